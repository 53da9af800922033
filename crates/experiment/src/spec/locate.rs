//! Turns what is wrong with a document into a line, a fact and a cure.

use crate::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The text of a file, for messages that name a line.
pub(super) struct Source<'a> {
    pub(super) path: PathBuf,
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    pub(super) fn new(path: &Path, text: &'a str) -> Self {
        Self { path: path.to_owned(), text }
    }

    /// The line of a byte, from 1.
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        self.text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
    }

    pub(super) fn wrong(
        &self,
        span: &Range<usize>,
        message: impl Into<String>,
        cure: impl Into<Option<String>>,
    ) -> Error {
        Error::Spec {
            path: self.path.clone(),
            line: self.line(span),
            message: message.into(),
            cure: cure.into(),
        }
    }

    pub(super) fn unsupported(&self, span: &Range<usize>, what: impl Into<String>, cure: &str) -> Error {
        Error::Unsupported {
            path: self.path.clone(),
            line: self.line(span),
            what: what.into(),
            cure: cure.to_owned(),
        }
    }

    /// A parser's complaint: its first line as the fact, the nearest known key as the cure.
    pub(super) fn complaint(&self, error: &toml::de::Error) -> Error {
        let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
        let cure = unknown_key(&message).map(|(unknown, known)| match nearest(&unknown, &known) {
            Some(near) => format!("did you mean `{near}`? known here: {}", known.join(", ")),
            None => format!("known here: {}", known.join(", ")),
        });
        let cure = cure.or_else(|| {
            message
                .starts_with("missing field")
                .then(|| "add it; docs/experiment.md shows every section with its keys".to_owned())
        });
        let message = match unknown_key(&message) {
            Some((unknown, _)) => format!("unknown key `{unknown}`"),
            None => message,
        };
        self.wrong(&error.span().unwrap_or(0..0), message, cure)
    }
}

/// The unknown key and the known ones, out of the sentence in which serde names them all in backticks.
fn unknown_key(message: &str) -> Option<(String, Vec<String>)> {
    if !message.starts_with("unknown field") {
        return None;
    }
    let mut quoted = message.split('`').skip(1).step_by(2).map(str::to_owned);
    let unknown = quoted.next()?;
    Some((unknown, quoted.collect()))
}

/// The known name at the smallest edit distance, where that is at most a third of its length.
pub(super) fn nearest(name: &str, known: &[String]) -> Option<String> {
    known
        .iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= (candidate.len() / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate.clone())
}

/// Levenshtein's distance in characters, by one row.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_its_key() {
        let known: Vec<String> = ["sources", "artifacts", "runner"].map(str::to_owned).to_vec();
        assert_eq!(nearest("sorces", &known).as_deref(), Some("sources"));
        assert_eq!(nearest("artefacts", &known).as_deref(), Some("artifacts"));
        assert_eq!(nearest("colour", &known), None);
    }

    #[test]
    fn distance_is_that_of_the_textbook() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
