//! What an error enum must be: one a room, few variants, a lowercase fact each, a code of its own.
//!
//! Refuses a code that two variants share, since a script that matches on it could not tell them apart, and a note's code that the page of
//! notes cannot list because nobody reads its message from the source.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogue::{Entry, catalogue, codes, notes};
use super::source::{Enum, Note};
use crate::finding::{Examined, Finding, Stop};
use crate::repository::Repository;

/// More variants than this hide which of them a caller can meet.
const MOST_VARIANTS: usize = 20;

/// What a literal of that shape may be instead.
const FILE_NAMES: [&str; 5] = [".json", ".md", ".toml", ".py", ".so"];

/// Codes that mean the same wherever they arise.
const SAME_EVERYWHERE: [&str; 1] = ["interrupted"];

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let rooms = catalogue(repository)?;
    let count: usize = rooms.values().flatten().map(|found| found.entries.len()).sum();
    let looked_at =
        if count == 0 { String::new() } else { format!("{count} variants of {} rooms", rooms.len()) };
    let mut findings = examine(&rooms);
    findings.extend(unlisted(&rooms, &notes(repository)?, &codes(repository)?));
    Ok(Examined { looked_at, findings })
}

/// Words in the place of a note's code that are listed neither as a note nor as an error.
fn unlisted(rooms: &BTreeMap<String, Vec<Enum>>, notes: &[Note], codes: &[(String, String)]) -> Vec<Finding> {
    let room = |code: &str| code.split_once('.').map(|(room, _)| room.to_owned());
    let talking: BTreeSet<String> = notes.iter().filter_map(|note| room(&note.code)).collect();
    let errors: BTreeSet<&String> =
        rooms.values().flatten().flat_map(|found| &found.entries).flat_map(|entry| &entry.codes).collect();
    let known = |code: &String| errors.contains(code) || notes.iter().any(|note| note.code == *code);
    let file = |code: &str| FILE_NAMES.iter().any(|ending| code.ends_with(ending));
    let open = codes.iter().filter(|(code, _)| room(code).is_some_and(|room| talking.contains(&room)));
    open.filter(|(code, _)| !known(code) && !file(code))
        .map(|(code, place)| {
            let fact = format!("`{code}` looks like a note's code and is on no page");
            Finding::new(place, fact, "make the note with `Note::new(\"code\", message)`")
        })
        .collect()
}

fn examine(rooms: &BTreeMap<String, Vec<Enum>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut owners: BTreeMap<&str, &Entry> = BTreeMap::new();
    for (room, enums) in rooms {
        for second in enums.iter().skip(1) {
            let fact = format!("{} is the second public error enum of {room}", second.name);
            findings.push(Finding::new(&second.place, fact, "make it a variant, or private"));
        }
        for found in enums {
            if found.entries.len() > MOST_VARIANTS {
                let fact =
                    format!("{} has {} variants, more than {MOST_VARIANTS}", found.name, found.entries.len());
                findings.push(Finding::new(&found.place, fact, "join variants that share a cure"));
            }
        }
        // An enum without any code is wrapped by another room, which gives the code.
        let coded = enums.iter().filter(|found| found.entries.iter().any(|entry| !entry.codes.is_empty()));
        for entry in coded.flat_map(|found| &found.entries) {
            findings.extend(variant(entry));
            for code in &entry.codes {
                let owner = *owners.entry(code).or_insert(entry);
                if owner != entry && !SAME_EVERYWHERE.contains(&code.as_str()) {
                    let fact = format!("code `{code}` belongs to {} already", owner.place);
                    findings.push(Finding::new(&entry.place, fact, "give it a code of its own"));
                }
            }
        }
    }
    findings
}

fn variant(entry: &Entry) -> Vec<Finding> {
    let Some(shape) = &entry.shape else { return Vec::new() };
    let mut findings = Vec::new();
    let mut say = |fact: String, cure: &str| findings.push(Finding::new(&entry.place, fact, cure));
    if !shape.starts_with(|first: char| first.is_lowercase() || first == '{' || first == '`') {
        say(
            format!("the message `{shape}` does not begin as a lowercase fact"),
            "lowercase, or the file first",
        );
    }
    if shape.ends_with(['.', '!']) {
        say(format!("the message `{shape}` ends like a sentence"), "leave the mark out");
    }
    if entry.codes.is_empty() {
        let cure = "give it a literal in `fn code` beside its enum";
        say(format!("{} has no code", entry.variant), cure);
    }
    let odd = |code: &&String| {
        !code.chars().all(|letter| letter.is_ascii_lowercase() || ".-0123456789".contains(letter))
    };
    for code in entry.codes.iter().filter(odd) {
        say(format!("code `{code}` is not lowercase words with dots and hyphens"), "rename it");
    }
    if entry.cures.iter().any(|cure| cure.ends_with('!')) {
        say(format!("the cure of {} exclaims", entry.variant), "leave the mark out");
    }
    findings
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::catalogue::Entry;
    use super::{Enum, MOST_VARIANTS, examine, run};
    use crate::repository::scratch;

    fn entry(variant: &str, shape: &str, code: &str) -> Entry {
        Entry {
            room: "a".into(),
            variant: variant.into(),
            doc: String::new(),
            shape: Some(shape.into()),
            codes: if code.is_empty() { Vec::new() } else { vec![code.into()] },
            cures: Vec::new(),
            place: format!("crates/a/src/error.rs:{variant}"),
        }
    }

    fn facts(entries: Vec<Entry>) -> Vec<String> {
        let found = Enum { name: "Error".into(), place: "crates/a/src/error.rs:1".into(), entries };
        let rooms = BTreeMap::from([("a".to_owned(), vec![found])]);
        examine(&rooms).into_iter().map(|finding| finding.fact).collect()
    }

    #[test]
    fn a_lowercase_fact_with_a_code_passes() {
        assert_eq!(facts(vec![entry("Short", "{path}: row 3 is short", "a.short")]), [""; 0]);
    }

    #[test]
    fn messages_that_are_not_facts_are_found() {
        assert_eq!(facts(vec![entry("A", "Row is short", "a.a")]).len(), 1);
        assert_eq!(facts(vec![entry("A", "row is short!", "a.a")]).len(), 1);
    }

    #[test]
    fn a_missing_an_odd_and_a_doubled_code_are_found() {
        assert_eq!(facts(vec![entry("A", "x", ""), entry("B", "y", "a.b")]), ["A has no code"]);
        assert_eq!(facts(vec![entry("A", "x", "")]), [""; 0]);
        assert_eq!(facts(vec![entry("A", "x", "A.Code")]).len(), 1);
        assert_eq!(facts(vec![entry("A", "x", "a.a"), entry("B", "y", "a.a")]).len(), 1);
    }

    #[test]
    fn too_many_variants_are_found() {
        let many: Vec<Entry> =
            (0..=MOST_VARIANTS).map(|n| entry(&format!("V{n}"), "x", &format!("a.v{n}"))).collect();
        assert_eq!(facts(many), ["Error has 21 variants, more than 20"]);
    }

    #[test]
    fn a_second_public_enum_of_a_room_is_found_in_its_source() {
        let one = "#[derive(thiserror::Error)]\npub enum One { #[error(transparent)] A(B) }\n";
        let (_folder, tree) = scratch::tree(&[
            ("crates/a/src/one.rs", one),
            ("crates/a/src/two.rs", &one.replace("One", "Two")),
        ]);
        let facts: Vec<String> =
            run(&tree).unwrap().findings.into_iter().map(|finding| finding.fact).collect();
        assert_eq!(facts, ["Two is the second public error enum of a"]);
    }
}
