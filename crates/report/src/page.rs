//! A short page of lines and tables, as text or as Markdown.

use kforge_workbench::Note;

use crate::{Format, Table};

/// Lines and tables in the order in which they are read.
pub(crate) struct Page {
    markdown: bool,
    text: String,
}

impl Page {
    /// A page that begins with one sentence.
    pub(crate) fn new(format: Format, title: &str) -> Self {
        let markdown = format == Format::Markdown;
        let text = if markdown { format!("# {title}\n\n") } else { format!("{title}\n") };
        Self { markdown, text }
    }

    /// One statement.
    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(if self.markdown { "- " } else { "  " });
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// An empty line between a table and statements about it.
    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// What to do about the statement before.
    pub(crate) fn hint(&mut self, hint: &str) {
        self.line(&format!("hint: {hint}"));
    }

    /// A table; nothing where it has no rows.
    pub(crate) fn table(&mut self, table: &Table) {
        if table.is_empty() {
            return;
        }
        self.text.push('\n');
        self.text.push_str(&if self.markdown { table.markdown() } else { table.text() });
    }

    /// What the reader should know beside the answer.
    pub(crate) fn notes(&mut self, notes: &[Note]) {
        for note in notes {
            self.line(&format!("note [{}] {}", note.code, note.message));
        }
    }

    /// The page's text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
