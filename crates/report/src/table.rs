//! A plain table that text, Markdown and CSV share.
//!
//! Cells are text already; a table knows only how wide they are. Text output has no borders, so that it survives a
//! terminal, a mail and a diff.

use crate::harmless;
use std::fmt::Write as _;

/// Which side a column's cells lean to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells under headers.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect(),
            rows: Vec::new(),
        }
    }

    /// Appends a row; missing cells are empty, surplus ones are dropped.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut row: Vec<String> = cells
            .into_iter()
            .take(self.columns.len())
            .map(|cell| harmless::one_line(&cell).into_owned())
            .collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// True where no row was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Columns padded with spaces, two between them, each line indented by two.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let header = self.columns[column].0.chars().count();
                self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(header)
            })
            .collect();
        let mut text = String::new();
        let headers: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        for row in std::iter::once(&headers).chain(&self.rows) {
            let mut line = String::from(" ");
            for ((cell, width), (_, align)) in row.iter().zip(&widths).zip(&self.columns) {
                let space = " ".repeat(width - cell.chars().count());
                let _ = match align {
                    Align::Left => write!(line, " {cell}{space} "),
                    Align::Right => write!(line, " {space}{cell} "),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// A Markdown table; in cells, bars and what HTML or a link could begin with are escaped.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let mut line = String::from("|");
            for cell in cells {
                let _ = write!(line, " {} |", harmless::markdown(&cell));
            }
            line.push('\n');
            line
        };
        text.push_str(&line(&mut self.columns.iter().map(|(name, _)| name.clone())));
        text.push('|');
        for (_, align) in &self.columns {
            text.push_str(if *align == Align::Right { "---:|" } else { "---|" });
        }
        text.push('\n');
        for row in &self.rows {
            text.push_str(&line(&mut row.iter().cloned()));
        }
        text
    }

    /// RFC 4180 records, the header first, cells as they are: a name that begins with `=` is still that name, and a
    /// spreadsheet that takes it for a formula has to be told that the column is text. The workbook needs no such care.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let headers: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        for row in std::iter::once(&headers).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| csv_cell(cell)).collect();
            text.push_str(&cells.join(","));
            text.push_str("\r\n");
        }
        text
    }
}

fn csv_cell(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(&[("name", Align::Left), ("ns", Align::Right)]);
        table.row(["a|b".to_owned(), "1,000".to_owned()]);
        table.row(["long name".to_owned()]);
        table
    }

    #[test]
    fn text_pads_each_column_and_trims_line_ends() {
        assert_eq!(sample().text(), "  name          ns\n  a|b        1,000\n  long name\n");
    }

    #[test]
    fn markdown_escapes_bars() {
        assert_eq!(sample().markdown(), "| name | ns |\n|---|---:|\n| a\\|b | 1,000 |\n| long name |  |\n");
    }

    #[test]
    fn markdown_makes_no_markup_of_a_name() {
        let mut table = Table::new(&[("name", Align::Left)]);
        table.row(["<script>".to_owned()]);
        table.row(["[x](y)".to_owned()]);
        // CommonMark 0.31, section 2.4: a backslash before ASCII punctuation takes its meaning away.
        assert_eq!(table.markdown(), "| name |\n|---|\n| \\<script> |\n| \\[x](y) |\n");
    }

    #[test]
    fn what_a_terminal_obeys_is_shown_as_an_escape() {
        let mut table = Table::new(&[("name", Align::Left)]);
        table.row(["a\u{1b}]0;x\u{7}\u{202e}".to_owned()]);
        assert_eq!(table.csv(), "name\r\na\\u{1b}]0;x\\u{7}\\u{202e}\r\n");
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        assert_eq!(sample().csv(), "name,ns\r\na|b,\"1,000\"\r\nlong name,\r\n");
    }
}
