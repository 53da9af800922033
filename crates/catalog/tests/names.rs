//! The catalog against names that were labelled by reading them, before the catalog had answered.
//!
//! `names_labelled_by_hand.tsv`: 210 names drawn from real captures (the 60 with most GPU time, the rest at random);
//! 209 agreed at first sight. `names_of_libraries.tsv`: 134 kernels of serving libraries that those captures lack,
//! written after the rules; 120 agreed at first sight, 9 were left unclassified. `names_of_public_profiles.tsv`: 60 names
//! from published profiles of serving runs, labelled later still; 46 agreed at first sight, 7 were left unclassified. The
//! rules were repaired after each; a first sight is what to expect of names nobody has seen yet.

#![expect(clippy::unwrap_used, reason = "a test's own table")]

use kforge_catalog::{Catalog, Family, Labels};

/// `family[+part…] TAB name`, a line each.
const OF_CAPTURES: &str = include_str!("names_labelled_by_hand.tsv");
const OF_LIBRARIES: &str = include_str!("names_of_libraries.tsv");
const OF_PROFILES: &str = include_str!("names_of_public_profiles.tsv");

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
    for line in OF_CAPTURES.lines().chain(OF_LIBRARIES.lines()).chain(OF_PROFILES.lines()) {
        let (expected, name) = line.split_once('\t').unwrap();
        let labels = catalog.classify(name);
        count += 1;
        if !agrees(&families(expected), &labels) {
            wrong.push(format!("{expected} but {:?} by {:?}: {name}", labels.parts, labels.rule));
        }
    }
    assert!(count >= 400);
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}
