//! The shapes an answer can be written in.

/// A text shape on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A page for a person; legible without colour, at most 100 columns.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// Markdown tables.
    Markdown,
    /// Comma-separated values of one table.
    Csv,
}
