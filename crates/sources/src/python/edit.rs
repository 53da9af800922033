//! Code handed on in its author's words: a slice of the file with some bytes replaced, moved to another indentation.

use super::tree::Module;
use std::collections::BTreeMap;
use std::ops::Range;

/// Replacements by their first byte. Those that lie inside another one are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits(BTreeMap<usize, (usize, String)>);

impl Edits {
    /// Puts a text in the place of some bytes. The first word said about a place stands.
    pub(crate) fn replace(&mut self, span: Range<usize>, text: impl Into<String>) {
        self.0.entry(span.start).or_insert_with(|| (span.end, text.into()));
    }

    /// The bytes of a span as they read now, every line indented by `spaces`, where the first line of the span was indented as in the file.
    pub(crate) fn text(&self, module: &Module, span: &Range<usize>, spaces: usize) -> String {
        let start_of_line = module.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let depth = span.start - start_of_line;
        let mut out = String::new();
        let mut at = span.start;
        for (start, (end, text)) in self.0.range(span.start..span.end) {
            if *start < at || *end > span.end {
                continue;
            }
            out.push_str(module.slice(&(at..*start)));
            out.push_str(text);
            at = *end;
        }
        out.push_str(module.slice(&(at..span.end)));
        let pad = " ".repeat(spaces);
        let mut lines = Vec::new();
        for (number, line) in out.trim_end().lines().enumerate() {
            let own = if number == 0 {
                line
            } else {
                let indent = line.len() - line.trim_start_matches(' ').len();
                &line[indent.min(depth)..]
            };
            lines.push(if own.is_empty() { String::new() } else { format!("{pad}{own}") });
        }
        lines.join("\n")
    }
}
