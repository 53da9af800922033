//! What the text must not say: paths of one machine, package hosts, placeholders, references a reader cannot follow.
//!
//! The patterns are data (`xtask/words.toml`). Invariant: that file is the only one not searched; every exception
//! names a path that exists and says why.

use regex::Regex;
use serde::Deserialize;

use crate::finding::{Examined, Finding, Stop};
use crate::repository::Repository;

const DATA: &str = "xtask/words.toml";

/// `xtask/words.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    pattern: Vec<Pattern>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    name: String,
    regex: String,
    cure: String,
    #[serde(default)]
    except: Vec<Exception>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    path: String,
    because: String,
}

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let words: Words = repository.data(DATA)?;
    let mut rules = Vec::new();
    for pattern in &words.pattern {
        let what = |error: regex::Error| Stop::Data { path: DATA.into(), what: error.to_string() };
        rules.push((pattern, Regex::new(&pattern.regex).map_err(what)?));
    }
    let mut findings = stale_exceptions(repository, &words);
    let mut texts = 0_usize;
    for file in repository.files().filter(|file| *file != DATA) {
        if let Some(text) = repository.text(file)? {
            texts += 1;
            let due = rules.iter().filter(|(pattern, _)| !pattern.excuses(file));
            findings.extend(due.flat_map(|(pattern, regex)| search(file, &text, pattern, regex)));
        }
    }
    let looked_at =
        if texts == 0 { String::new() } else { format!("{texts} texts, {} patterns", rules.len()) };
    Ok(Examined { looked_at, findings })
}

impl Pattern {
    fn excuses(&self, file: &str) -> bool {
        self.except.iter().any(|exception| exception.covers(file))
    }
}

impl Exception {
    fn covers(&self, file: &str) -> bool {
        file == self.path || (self.path.ends_with('/') && file.starts_with(&self.path))
    }
}

fn stale_exceptions(repository: &Repository, words: &Words) -> Vec<Finding> {
    let exceptions = words.pattern.iter().flat_map(|pattern| &pattern.except);
    exceptions
        .filter(|exception| {
            exception.because.trim().is_empty() || !repository.files().any(|file| exception.covers(file))
        })
        .map(|exception| {
            let fact = format!("the exception for {} covers no file or gives no reason", exception.path);
            Finding::new(DATA, fact, "remove it, or say why in `because`")
        })
        .collect()
}

fn search(file: &str, text: &str, pattern: &Pattern, regex: &Regex) -> Vec<Finding> {
    regex
        .find_iter(text)
        .map(|found| {
            // A match may begin with the line break before the word itself.
            let start = found.start() + (found.as_str().len() - found.as_str().trim_start().len());
            let line = text[..start].matches('\n').count() + 1;
            let fact = format!("{}: `{}`", pattern.name, found.as_str().trim());
            Finding::new(format!("{file}:{line}"), fact, &pattern.cure)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::finding::Finding;
    use crate::repository::scratch;

    const DATA: &str = include_str!("../../words.toml");

    fn said(text: &str) -> Vec<Finding> {
        let (_folder, tree) = scratch::tree(&[("xtask/words.toml", DATA), ("src/a.rs", text)]);
        let findings = run(&tree).unwrap().findings;
        findings.into_iter().filter(|finding| finding.place.starts_with("src/")).collect()
    }

    #[test]
    fn every_pattern_of_the_data_file_fires_on_its_own_example() {
        // Written in pieces, so that this file passes the step that it tests.
        let bad = [
            ["let p = \"/wo", "rk/x\";"],
            ["cd /ro", "ot/x"],
            ["open(\"/home/", "ada/x\")"],
            ["let p = \"/tm", "p/x\";"],
            ["from static.crates", ".io"],
            ["http://10.1", ".2.3/simple"],
            ["asked by the l", "ead"],
            ["see DESI", "GN.md"],
            ["// TO", "DO later"],
            ["db", "g!(x);"],
            ["to", "do!()"],
            ["sim", "ply run it"],
        ];
        for pieces in bad {
            let text = pieces.concat();
            assert_eq!(said(&format!("\n{text}\n")).len(), 1, "{text}");
        }
    }

    #[test]
    fn words_that_only_look_alike_pass() {
        for text in [
            "the framework/work split",
            "leading zeros",
            "mktemp -d kforge.XXXXXX",
            "${TMPDIR:-/tmp}",
            "/home/NAME stands for a home folder",
            "http://127.0.0.1:8000/",
            "git root/branch",
            "pytorch/kineto#105",
        ] {
            assert_eq!(said(text), [], "{text}");
        }
    }

    #[test]
    fn the_line_of_the_word_is_named() {
        assert_eq!(said(&["a\nb\n// FIX", "ME\n"].concat())[0].place, "src/a.rs:3");
    }

    #[test]
    fn an_exception_that_covers_nothing_is_a_finding() {
        let data = "[[pattern]]\nname = 'n'\nregex = 'q'\ncure = 'c'\n\
                    except = [{ path = 'gone/', because = 'was here' }]\n";
        let (_folder, tree) = scratch::tree(&[("xtask/words.toml", data), ("a.md", "q")]);
        let facts: Vec<String> = run(&tree).unwrap().findings.into_iter().map(|found| found.fact).collect();
        assert_eq!(facts, ["the exception for gone/ covers no file or gives no reason", "n: `q`"]);
    }
}
