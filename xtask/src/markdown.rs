//! The code and the links of a Markdown document, with their lines.
//!
//! Answers by a CommonMark parser, so that blocks inside lists and quotes count and text that looks like a fence does
//! not. Refuses nothing.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A piece of code in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Code {
    /// The lines of a fenced block, each with its line number, and the block's language.
    Block { language: String, lines: Vec<(usize, String)> },
    /// An inline span and its line number.
    Span { line: usize, text: String },
}

/// Every piece of code in `text`, in order.
pub(crate) fn code(text: &str) -> Vec<Code> {
    let line_at = |byte: usize| text[..byte].matches('\n').count() + 1;
    let mut found = Vec::new();
    let mut open: Option<(String, Vec<(usize, String)>)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                open = Some((language.to_string(), Vec::new()));
            }
            Event::Text(part) => {
                if let Some((_, lines)) = &mut open {
                    let first = line_at(range.start);
                    lines.extend(part.lines().enumerate().map(|(at, line)| (first + at, line.to_owned())));
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                found.extend(open.take().map(|(language, lines)| Code::Block { language, lines }));
            }
            Event::Code(part) => {
                found.push(Code::Span { line: line_at(range.start), text: part.to_string() });
            }
            _ => {}
        }
    }
    found
}

/// The destination of every link and image in `text`, with its line.
pub(crate) fn links(text: &str) -> Vec<(usize, String)> {
    Parser::new(text)
        .into_offset_iter()
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some((text[..range.start].matches('\n').count() + 1, dest_url.to_string()))
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Code, code, links};

    #[test]
    fn links_and_images_are_found_and_links_in_code_are_not() {
        let text = "[a](b.md)\n\n`[c](d.md)` and ![e](f.png)\n";
        assert_eq!(links(text), [(1, "b.md".to_owned()), (3, "f.png".to_owned())]);
    }

    #[test]
    fn blocks_and_spans_are_found_with_their_lines() {
        let text = "Run `kforge tour`:\n\n- so\n\n  ```sh\n  a\n  b\n  ```\n\n    not fenced\n";
        let found = code(text);
        assert_eq!(found[0], Code::Span { line: 1, text: "kforge tour".into() });
        let lines = vec![(6, "a".to_owned()), (7, "b".to_owned())];
        assert_eq!(found[1], Code::Block { language: "sh".into(), lines });
        assert_eq!(found.len(), 2);
    }
}
