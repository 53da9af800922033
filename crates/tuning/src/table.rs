//! A table as it was read: columns by name, rows with their places, and what its reader found.

use crate::{Finding, Layout};
use std::collections::BTreeMap;

/// One row and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The line, from 1.
    pub line: usize,
    /// The byte of its beginning, from 0.
    pub byte: usize,
    /// The cells, in the order of the columns; absent where the row has none.
    pub cells: Vec<Option<String>>,
}

/// A table with what its reader found.
#[derive(Clone, Debug)]
pub struct Table {
    /// The file, as it was named.
    pub file: String,
    /// Its kind.
    pub layout: Layout,
    /// The names of the columns; of a JSON table the first is `key`.
    pub columns: Vec<String>,
    /// The line of the header, from 1.
    pub header: usize,
    /// What the file's name says: E, N, K, device_name, dtype, block_shape, gfx.
    pub named: BTreeMap<String, String>,
    /// The rows that could be read, in the order of the file.
    pub rows: Vec<Row>,
    /// Lines that hold something and are no row, for the faults that the findings name.
    pub damaged: usize,
    /// What the reader found.
    pub findings: Vec<Finding>,
}

impl Table {
    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// A row's cell; none where there is no such column or the cell is empty.
    pub fn cell<'a>(&self, row: &'a Row, name: &str) -> Option<&'a str> {
        let cell = row.cells.get(self.column(name)?)?.as_deref()?.trim();
        (!cell.is_empty()).then_some(cell)
    }
}
