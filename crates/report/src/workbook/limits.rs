//! Excel's limits, and what they cost this workbook.

use kforge_units::{Nanos, counted, duration, grouped};
use kforge_workbench::Note;

/// What a worksheet can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rows of a sheet.
    pub rows: u32,
    /// Characters of a cell, in UTF-16 units as Excel counts them.
    pub characters: usize,
}

impl Default for Limits {
    /// Excel's own («Excel specifications and limits»): 1,048,576 rows, 32,767 characters.
    fn default() -> Self {
        Self { rows: 1_048_576, characters: 32_767 }
    }
}

/// What was cut, for the notes.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    cells: u64,
    characters: u64,
    rows: Vec<(String, u64, i64)>,
}

impl Cuts {
    /// A cell lost this many characters.
    pub(super) fn cell(&mut self, characters: usize) {
        self.cells += 1;
        self.characters += characters as u64;
    }

    /// A sheet lost rows that show this much time.
    pub(super) fn rows(&mut self, sheet: &str, rows: u64, ns: i64) {
        self.rows.push((sheet.to_owned(), rows, ns));
    }

    /// A note for each kind of cut.
    pub(super) fn notes(&self, limits: Limits) -> Vec<Note> {
        let mut notes = Vec::new();
        for (sheet, rows, ns) in &self.rows {
            let mut note = Note::new(
                "workbook.rows",
                format!(
                    "sheet {sheet}: {} ({}) do not fit the {} rows of a worksheet; JSON and CSV have them",
                    counted(*rows, "row", "rows"),
                    duration(Nanos(*ns)),
                    grouped(i64::from(limits.rows)),
                ),
            );
            note.events = Some(*rows);
            note.ns = Some(*ns);
            notes.push(note);
        }
        if self.cells > 0 {
            notes.push(Note::new(
                "workbook.text",
                format!(
                    "{} cut by {} in all: a worksheet's cell holds {}; JSON and CSV have the whole text",
                    counted(self.cells, "cell was", "cells were"),
                    counted(self.characters, "character", "characters"),
                    counted(limits.characters, "character", "characters"),
                ),
            ));
        }
        notes
    }
}
