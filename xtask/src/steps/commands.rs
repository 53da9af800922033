//! Every command line in the documents is one that the real CLI understands.
//!
//! Looks at fenced blocks and at inline spans of the Markdown files, and at the cures of the error enums. Runs nothing
//! but the parser. Leaves out blocks marked `text`, which show output or usage; a span that names a verb alone is tried
//! as a question for its help. Refuses a tree without a single command line. Invariant: a line that starts with `kforge`, with
//! `$ kforge`, or with `cargo run ... --` is always tried, but for runs of another package of the workspace.

use crate::finding::{Examined, Finding, Stop};
use crate::kforge::Kforge;
use crate::markdown::{Code, code};
use crate::repository::Repository;
use crate::steps::errors;

/// Words of a shell that end the part of a line that kforge would see.
const SHELL_WORDS: [&str; 9] = ["|", "||", "&&", ";", "&", ">", ">>", "<", "2>"];

/// One command line and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    place: String,
    /// The words after `kforge`, or why they cannot be split.
    words: Result<Vec<String>, &'static str>,
}

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let mut lines = Vec::new();
    for file in repository.with_extension("md") {
        lines.extend(in_document(file, &repository.text(file)?.unwrap_or_default()));
    }
    for entry in errors::catalogue(repository)?.values().flatten().flat_map(|found| &found.entries) {
        lines.extend(entry.cures.iter().flat_map(|cure| in_document(&entry.place, cure)));
    }
    let kforge = Kforge::build(repository)?;
    let findings = refused(&lines, |words| kforge.refusal(words))?;
    let looked_at = if lines.is_empty() { String::new() } else { format!("{} command lines", lines.len()) };
    Ok(Examined { looked_at, findings })
}

/// The lines that `refusal` refuses, as findings.
fn refused(
    lines: &[Line],
    refusal: impl Fn(&[String]) -> Result<Option<String>, Stop>,
) -> Result<Vec<Finding>, Stop> {
    let mut findings = Vec::new();
    for line in lines {
        let fact = match &line.words {
            Err(what) => Some((*what).to_owned()),
            Ok(words) => refusal(words)?.map(|why| format!("`kforge {}`: {why}", words.join(" "))),
        };
        let finding =
            fact.map(|fact| Finding::new(&line.place, fact, "write a line that `kforge --help` allows"));
        findings.extend(finding);
    }
    Ok(findings)
}

fn in_document(file: &str, text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    // A cure is one line of an error, its place already has a line number.
    let place = |line: usize| if file.contains(':') { file.to_owned() } else { format!("{file}:{line}") };
    for piece in code(text) {
        match piece {
            Code::Span { line, text } if !is_pattern(&text) => {
                found.extend(after_kforge(&text).map(|rest| Line { place: place(line), words: named(rest) }));
            }
            Code::Block { language, lines } if language != "text" => {
                for (line, text) in joined(&lines) {
                    found.extend(
                        after_kforge(&text).map(|rest| Line { place: place(line), words: words(rest) }),
                    );
                }
            }
            Code::Span { .. } | Code::Block { .. } => {}
        }
    }
    found
}

/// The words of an inline span; a verb alone is a mention, so only its existence is asked for.
fn named(rest: &str) -> Result<Vec<String>, &'static str> {
    let mut words = words(rest)?;
    if words.len() == 1 {
        words.push("--help".to_owned());
    }
    Ok(words)
}

/// An inline span that speaks of a class of commands, such as `kforge VERB`, or of the bare binary.
fn is_pattern(span: &str) -> bool {
    let verb = span.split_whitespace().nth(1).unwrap_or("VERB");
    verb.chars().all(|letter| !letter.is_lowercase()) || verb.starts_with("__")
}

/// Joins lines that end in a backslash with the next one.
fn joined(lines: &[(usize, String)]) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in lines {
        let (text, continues) = match line.strip_suffix('\\') {
            Some(text) => (text, true),
            None => (line.as_str(), false),
        };
        match out.last_mut() {
            Some((_, last)) if goes_on => last.push_str(text),
            _ => out.push((*number, text.to_owned())),
        }
        goes_on = continues;
    }
    out
}

/// What follows `kforge` where `line` is a kforge command.
fn after_kforge(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    if let Some(rest) = line.strip_prefix("cargo run ") {
        // Another package of the workspace is not kforge.
        let (options, rest) = rest.split_once("-- ")?;
        let mut words = options.split([' ', '=']).skip_while(|word| !matches!(*word, "-p" | "--package"));
        return words.nth(1).is_none_or(|package| package == "kforge-cli").then_some(rest);
    }
    let path = line.split_whitespace().next()?;
    let is_kforge = path == "kforge" || path.ends_with("/kforge");
    is_kforge.then(|| &line[path.len()..])
}

fn words(rest: &str) -> Result<Vec<String>, &'static str> {
    let all = shlex::split(rest).ok_or("a quote is not closed")?;
    let ends =
        |word: &str| SHELL_WORDS.contains(&word) || word.starts_with(['<', '>']) || word.starts_with("2>");
    let mut words = Vec::new();
    for word in all {
        if ends(&word) {
            break;
        }
        match word.strip_suffix(';') {
            Some(last) => {
                words.push(last.to_owned());
                break;
            }
            None => words.push(word),
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::{in_document, refused};

    fn found(text: &str) -> Vec<String> {
        let lines = in_document("a.md", text);
        lines.into_iter().map(|line| format!("{} {}", line.place, line.words.unwrap().join(","))).collect()
    }

    #[test]
    fn commands_are_found_in_blocks_with_or_without_a_prompt_and_through_cargo() {
        let text = "```sh\nkforge trace a.json\n$ kforge tour --dir x\ncargo run --release -- tour\n\
                    ./target/release/kforge verify\ncargo test --workspace\necho kforge\n```\n";
        assert_eq!(
            found(text),
            ["a.md:2 trace,a.json", "a.md:3 tour,--dir,x", "a.md:4 tour", "a.md:5 verify"]
        );
    }

    #[test]
    fn of_the_packages_that_cargo_can_run_only_kforge_is_tried() {
        let text = "```\ncargo run -q -p kforge-cli -- trace a\ncargo run -p xtask -- docs\ncargo run --package=xtask -- docs\n```\n";
        assert_eq!(found(text), ["a.md:2 trace,a"]);
    }

    #[test]
    fn the_part_that_a_shell_would_keep_is_left_out() {
        let text = "```\nkforge trace a --format json | jq .data > out # all of it\nkforge trace \\\n  'my file' && ls\n```\n";
        assert_eq!(found(text), ["a.md:2 trace,a,--format,json", "a.md:3 trace,my file"]);
    }

    #[test]
    fn inline_commands_count_and_patterns_do_not() {
        assert_eq!(found("Use `kforge trace FILE`, any `kforge VERB`, or `kforge`."), ["a.md:1 trace,FILE"]);
        assert_eq!(found("See `kforge trace`."), ["a.md:1 trace,--help"]);
    }

    #[test]
    fn blocks_of_output_are_left_out() {
        assert_eq!(found("```text\nkforge trace [OPTIONS] <FILE>\n```\n"), [""; 0]);
    }

    #[test]
    fn a_line_that_the_parser_refuses_is_found_with_its_place_and_the_parsers_words() {
        let lines = in_document("a.md", "```\nkforge trac x\nkforge trace x\n```\n");
        let only_trace =
            |words: &[String]| Ok((words[0] != "trace").then(|| "unrecognized subcommand".to_owned()));
        let findings = refused(&lines, only_trace).unwrap();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].place, "a.md:2");
        assert_eq!(findings[0].fact, "`kforge trac x`: unrecognized subcommand");
    }

    #[test]
    fn an_open_quote_is_found() {
        let lines = in_document("a.md", "```\nkforge trace 'x\n```\n");
        let findings = refused(&lines, |_| Ok(None)).unwrap();
        assert_eq!(findings[0].fact, "a quote is not closed");
    }
}
