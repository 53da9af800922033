//! The page of error codes: what each says and what to do about it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::compare::GENERATED;
use crate::steps::errors::{Entry, Enum};

const INTRODUCTION: &str = "# Error codes\n\n\
    An error is printed to stderr as its message and, after `hint:`, what to do. With `--format json` stdout has one\n\
    document of schema `kforge.error/1` with `error.code`, `error.message`, `error.hint` and `error.causes`. A code never\n\
    changes its meaning. Words in braces are filled in.\n";

pub(super) fn page(rooms: &BTreeMap<String, Vec<Enum>>) -> String {
    let mut text = format!("{GENERATED}{INTRODUCTION}");
    for (room, enums) in rooms {
        let mut rows: Vec<&Entry> =
            enums.iter().flat_map(|found| &found.entries).filter(|entry| !entry.codes.is_empty()).collect();
        rows.sort_by(|a, b| a.codes.cmp(&b.codes));
        if !rows.is_empty() {
            let _ = write!(text, "\n## {room}\n");
        }
        for entry in rows {
            section(&mut text, entry);
        }
    }
    text
}

fn section(text: &mut String, entry: &Entry) {
    let codes: Vec<String> = entry.codes.iter().map(|code| format!("`{code}`")).collect();
    let _ = write!(text, "\n### {}\n\n", codes.join(", "));
    if !entry.doc.is_empty() {
        let _ = writeln!(text, "{}\n", entry.doc);
    }
    if let Some(shape) = &entry.shape {
        let _ = writeln!(text, "```text\n{shape}\n```");
    }
    for cure in &entry.cures {
        let _ = write!(text, "\nhint: {cure}\n");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::page;
    use crate::steps::errors::{Entry, Enum};

    #[test]
    fn a_variant_shows_its_code_message_and_cure_and_one_without_a_code_is_left_out() {
        let entry = Entry {
            room: "a".into(),
            variant: "Short".into(),
            doc: "A row is short.".into(),
            shape: Some("row {0} is short".into()),
            codes: vec!["a.short".into()],
            cures: vec!["write it again".into()],
            place: String::new(),
        };
        let through = Entry { codes: Vec::new(), shape: None, ..entry.clone() };
        let found = Enum { name: "Error".into(), place: String::new(), entries: vec![through, entry] };
        let text = page(&BTreeMap::from([("a".to_owned(), vec![found])]));
        let end = "## a\n\n### `a.short`\n\nA row is short.\n\n```text\nrow {0} is short\n```\n\nhint: write it again\n";
        assert!(text.ends_with(end), "{text}");
    }
}
