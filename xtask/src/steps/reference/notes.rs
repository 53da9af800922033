//! The page of notes: what an answer may say about its input beside its figures.

use std::fmt::Write as _;

use super::compare::GENERATED;
use crate::steps::errors::Note;

const INTRODUCTION: &str = "# Notes\n\n\
    An answer that had to leave something out, or repair it, says so in `notes`: what, how much, and where it first\n\
    happened. A code never changes its meaning. What stands in braces is filled in.\n\n\
    | code | message |\n|---|---|\n";

pub(super) fn page(notes: &[Note]) -> String {
    let mut text = format!("{GENERATED}{INTRODUCTION}");
    for note in notes {
        let _ = writeln!(text, "| `{}` | {} |", note.code, note.shape.replace('|', "\\|"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::steps::errors::Note;

    #[test]
    fn every_kind_is_a_row() {
        let notes = [Note { code: "a.lost".into(), shape: "{n} lost".into() }];
        assert!(page(&notes).ends_with("| `a.lost` | {n} lost |\n"));
    }
}
