//! The catalog against names that a person labelled by reading them, before any program had seen them.

#![expect(clippy::unwrap_used, reason = "a test's own table")]

use kforge_catalog::{Catalog, Family, Labels};

/// `family[+part…] TAB name`, a line each.
const LABELLED: &str = include_str!("names_labelled_by_hand.tsv");

/// Labels that a person gave, as families in order.
fn families(text: &str) -> Vec<Family> {
    text.split('+').map(|name| Family::from_name(name).unwrap()).collect()
}

fn agrees(expected: &[Family], labels: &Labels) -> bool {
    labels.operation == expected[0] && expected[1..].iter().all(|part| labels.parts.contains(part))
}

#[test]
fn names_labelled_by_hand_get_the_label_of_the_hand() {
    let catalog = Catalog::builtin().unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in LABELLED.lines() {
        let (expected, name) = line.split_once('\t').unwrap();
        let labels = catalog.classify(name);
        count += 1;
        if !agrees(&families(expected), &labels) {
            wrong.push(format!("{expected} but {:?} by {:?}: {name}", labels.parts, labels.rule));
        }
    }
    assert!(count >= 200);
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}
