//! A page of headings, lines and tables, as text or as Markdown.
//!
//! Invariant: whatever is put on it passes through [`harmless`]; no text of a capture, a log or a path is more than text.

use kforge_workbench::Note;

use crate::harmless;
use crate::{Format, Table};

/// Headings, lines and tables in the order in which they are read.
pub(crate) struct Page {
    markdown: bool,
    text: String,
    /// The last thing was a heading: what follows needs no empty line before it.
    headed: bool,
}

impl Page {
    /// A page without a title.
    pub(crate) fn untitled(format: Format) -> Self {
        Self { markdown: format == Format::Markdown, text: String::new(), headed: false }
    }

    /// A page that begins with one sentence.
    pub(crate) fn new(format: Format, title: &str) -> Self {
        let mut page = Self::untitled(format);
        let title = page.shown(title);
        page.text = if page.markdown { format!("# {title}\n\n") } else { format!("{title}\n") };
        page
    }

    /// A text of the page, in one line.
    fn shown(&self, text: &str) -> String {
        let text = harmless::one_line(text);
        if self.markdown { harmless::markdown(&text) } else { text.into_owned() }
    }

    /// The lines of a text; those after the first stand `indent` columns in, so that none looks like the page's own.
    fn paragraph(&self, text: &str, indent: usize) -> String {
        let text = harmless::lines(text.trim_end());
        // A backslash at the end of a line is a hard line break.
        let between = format!("{}\n{}", if self.markdown { "\\" } else { "" }, " ".repeat(indent));
        let shown = |line: &str| if self.markdown { harmless::markdown_line(line) } else { line.to_owned() };
        let lines = text.split('\n').map(shown);
        lines.collect::<Vec<_>>().join(&between)
    }

    fn push(&mut self, begin: &str, text: &str) {
        self.text.push_str(begin);
        self.text.push_str(text);
        self.text.push('\n');
        self.headed = false;
    }

    /// What the lines and tables below it are about.
    pub(crate) fn heading(&mut self, title: &str) {
        let title = self.shown(title);
        let (begin, end) = if self.markdown { ("\n## ", "\n") } else { ("\n", "") };
        self.push(begin, &format!("{title}{end}"));
        self.headed = true;
    }

    /// One statement.
    pub(crate) fn line(&mut self, line: &str) {
        let text = self.paragraph(line, if self.markdown { 2 } else { 4 });
        self.push(if self.markdown { "- " } else { "  " }, &text);
    }

    /// Something with details below it: its name and what is said of it.
    pub(crate) fn item(&mut self, name: &str, said: &str) {
        let (name, said) = (self.shown(name), self.shown(said));
        if self.markdown {
            self.push("- ", &format!("**{name}**: {said}"));
        } else {
            self.push("\n", &format!("{name}: {said}"));
        }
    }

    /// One detail of the item before, under a word of at most nine letters; an empty word continues the detail before.
    pub(crate) fn detail(&mut self, word: &str, text: &str) {
        if self.markdown {
            let text = self.paragraph(text, 4);
            let word = if word.is_empty() { String::new() } else { format!("{word}: ") };
            self.push("  - ", &format!("{word}{text}"));
        } else {
            let text = self.paragraph(text, 12);
            self.push("  ", &format!("{word:<9} {text}"));
        }
    }

    /// An empty line between a table and statements about it.
    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// What to do about the statement before.
    pub(crate) fn hint(&mut self, hint: &str) {
        self.line(&format!("hint: {hint}"));
    }

    /// The end of a log; nothing where it is empty.
    pub(crate) fn log(&mut self, log: &str) {
        if !log.trim().is_empty() {
            self.gap();
            log.trim_end().lines().for_each(|line| self.line(&format!("| {line}")));
        }
    }

    /// A table; nothing where it has no rows.
    pub(crate) fn table(&mut self, table: &Table) {
        if table.is_empty() {
            return;
        }
        if !self.headed {
            self.text.push('\n');
        }
        self.headed = false;
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

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[9A\u{1b}[2K<b>\n# faster 2.000x";

    #[test]
    fn nothing_on_a_page_reaches_the_terminal_raw() {
        for format in [Format::Text, Format::Markdown] {
            let mut page = Page::new(format, HOSTILE);
            page.heading(HOSTILE);
            page.line(HOSTILE);
            page.item(HOSTILE, HOSTILE);
            page.detail("log", HOSTILE);
            page.log(HOSTILE);
            page.hint(HOSTILE);
            let text = page.finish();
            assert!(!text.contains('\u{1b}'), "{text:?}");
            assert!(!text.lines().any(|line| line.starts_with("# faster")), "{text}");
        }
    }

    #[test]
    fn nothing_on_a_markdown_page_becomes_markup() {
        let mut page = Page::new(Format::Markdown, "<x>");
        page.line("[x](y)");
        page.detail("log", "<script>\nb");
        assert_eq!(page.finish(), "# \\<x>\n\n- \\[x](y)\n  - log: \\<script>\\\n    b\n");
    }

    #[test]
    fn a_detail_of_several_lines_stays_below_its_word() {
        let mut page = Page::new(Format::Text, "t");
        page.item("fast", "faster");
        page.detail("log", "one\ntwo");
        assert_eq!(page.finish(), "t\n\nfast: faster\n  log       one\n            two\n");
    }
}
