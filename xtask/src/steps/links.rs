//! Whether the documents lead somewhere: relative links, paths in code spans and in the cures of errors, and the test
//! command that the README promises.
//!
//! Refuses a link or a path to a file that is not in the repository; `NAME` in capitals stands for any name. Addresses of the outside world are not visited. Invariant:
//! what the README tells a visitor to run is what `.ci/run` runs.

use std::path::{Component, Path, PathBuf};

use crate::finding::{Examined, Finding, Stop};
use crate::markdown::{Code, code, links};
use crate::repository::Repository;
use crate::steps::errors;

const README: &str = "README.md";
const CI: &str = ".ci/run";
/// Commands that both the README and `.ci/run` must have.
const TEST_COMMAND: &str = "cargo test --workspace";
/// Folders whose paths are checked wherever they are spoken of.
const FOLDERS: [&str; 9] =
    [".ci/", "benches/", "crates/", "data/", "docs/", "examples/", "runners/", "tests/", "xtask/"];
/// What may stand around a path in a sentence.
const PUNCTUATION: [char; 8] = [' ', ',', ';', ':', '(', ')', '`', '"'];
/// The first screen of a terminal that shows the README.
const FIRST_SCREEN_LINES: usize = 40;
/// Commands that the README shows on its first screen.
const FIRST_SCREEN: [&str; 2] = ["cargo run --release -- tour", TEST_COMMAND];

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let exists = |path: &str| {
        let folder = format!("{}/", path.trim_end_matches('/'));
        repository.files().any(|file| file == path || file.starts_with(&folder))
    };
    let (mut findings, mut count) = (Vec::new(), 0_usize);
    for file in repository.with_extension("md") {
        let text = repository.text(file)?.unwrap_or_default();
        for (line, path) in spans(&text) {
            count += 1;
            if !exists(&path) {
                findings.push(unknown(format!("{file}:{line}"), &path));
            }
        }
        for (line, target) in links(&text) {
            count += 1;
            let broken = inside(file, &target).filter(|path| !exists(path));
            findings.extend(broken.map(|path| {
                let fact = format!("links to {path}, which is not in the repository");
                Finding::new(format!("{file}:{line}"), fact, "repair the link or add the file")
            }));
        }
    }
    for entry in errors::catalogue(repository)?.values().flatten().flat_map(|found| &found.entries) {
        for path in entry
            .cures
            .iter()
            .flat_map(|cure| cure.split(PUNCTUATION))
            .map(|word| word.trim_end_matches('.'))
            .filter(|word| is_path(word))
        {
            count += 1;
            if !exists(path) {
                findings.push(unknown(entry.place.clone(), path));
            }
        }
    }
    let readme = repository.text(README)?.unwrap_or_default();
    let ci = repository.text(CI)?.unwrap_or_default();
    findings.extend(promises(&readme, &ci));
    Ok(Examined {
        looked_at: if count == 0 { String::new() } else { format!("{count} links and paths") },
        findings,
    })
}

/// Paths of this repository in inline code, with their lines.
fn spans(text: &str) -> Vec<(usize, String)> {
    code(text)
        .into_iter()
        .filter_map(|piece| match piece {
            Code::Span { line, text } if is_path(&text) => Some((line, text)),
            _ => None,
        })
        .collect()
}

/// `word` is a path below one of the repository's folders, without a placeholder.
fn is_path(word: &str) -> bool {
    let letters = |letter: char| letter.is_alphanumeric() || "./_-".contains(letter);
    let placeholder = |part: &str| part.len() > 1 && part.chars().all(char::is_uppercase);
    let inside = FOLDERS.iter().any(|folder| word.starts_with(folder) && word.len() > folder.len());
    inside && word.chars().all(letters) && !word.split(['/', '.']).any(placeholder)
}

fn unknown(place: String, path: &str) -> Finding {
    Finding::new(
        place,
        format!("speaks of {path}, which is not in the repository"),
        "repair the path or add the file",
    )
}

/// The repository path that a link leads to, or `None` for an address or an anchor of the same page.
fn inside(file: &str, target: &str) -> Option<String> {
    let target = target.split('#').next().unwrap_or_default();
    if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let mut path = PathBuf::new();
    for part in Path::new(file).parent().unwrap_or(Path::new("")).join(target).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    Some(path.to_string_lossy().into_owned())
}

fn promises(readme: &str, ci: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines: Vec<(usize, String)> = code(readme)
        .into_iter()
        .filter_map(|piece| match piece {
            Code::Block { lines, .. } => Some(lines),
            Code::Span { .. } => None,
        })
        .flatten()
        .collect();
    for command in FIRST_SCREEN {
        let early = |(line, text): &(usize, String)| *line <= FIRST_SCREEN_LINES && starts(text, command);
        if !lines.iter().any(early) {
            let fact = format!("`{command}` is not on the first screen");
            findings.push(Finding::new(README, fact, "show it in a fenced block near the top"));
        }
    }
    // `timed` prints the command and its duration.
    if !ci.lines().any(|line| line.trim().strip_prefix("timed ").unwrap_or(line.trim()) == TEST_COMMAND) {
        let fact = format!("does not run `{TEST_COMMAND}`, which the README promises");
        findings.push(Finding::new(CI, fact, "run exactly that command"));
    }
    findings
}

/// `text` is `command`, perhaps with a shell comment behind it.
fn starts(text: &str, command: &str) -> bool {
    let rest = text.trim().strip_prefix(command);
    rest.is_some_and(|rest| rest.trim().is_empty() || rest.trim_start().starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::{promises, run};
    use crate::repository::scratch;

    const GOOD_README: &str =
        "# x\n\n```sh\ncargo run --release -- tour  # all\ncargo test --workspace\n```\n";
    const GOOD_CI: &str = "timed cargo test --workspace\n";

    fn facts(page: &str) -> Vec<String> {
        let (_folder, tree) = scratch::tree(&[
            ("README.md", GOOD_README),
            (".ci/run", GOOD_CI),
            ("docs/a.md", page),
            ("docs/b.md", "[up](../README.md)"),
        ]);
        run(&tree).unwrap().findings.into_iter().map(|finding| finding.fact).collect()
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found_and_others_pass() {
        assert_eq!(facts("[x](gone.md)"), ["links to docs/gone.md, which is not in the repository"]);
        assert_eq!(facts("[x](b.md#part) [y](#here) [z](https://example.org/q) [f](../docs/)"), [""; 0]);
    }

    #[test]
    fn a_path_in_a_code_span_is_found_where_it_leads_nowhere() {
        assert_eq!(facts("see `docs/gone.md`"), ["speaks of docs/gone.md, which is not in the repository"]);
        assert_eq!(
            facts("see `docs/b.md`, `docs/`, `docs/NAME.md`, `kernels/x.toml`, `docs/b.md --x` [z](b.md)"),
            [""; 0]
        );
    }

    #[test]
    fn a_path_in_a_cure_is_found_where_it_leads_nowhere() {
        let source = r#"#[derive(thiserror::Error)] pub enum Error { #[error("x")] A }
            impl Error { pub fn hint(&self) -> Option<String> { match self { Self::A => Some("read docs/gone.md, then docs/b.md".into()) } } }"#;
        let (_folder, tree) = scratch::tree(&[
            ("README.md", GOOD_README),
            (".ci/run", GOOD_CI),
            ("docs/b.md", "[up](../README.md)"),
            ("crates/a/src/error.rs", source),
        ]);
        let facts: Vec<String> =
            run(&tree).unwrap().findings.into_iter().map(|finding| finding.fact).collect();
        assert_eq!(facts, ["speaks of docs/gone.md, which is not in the repository"]);
    }

    #[test]
    fn a_readme_without_its_commands_or_far_below_is_found() {
        assert_eq!(promises(GOOD_README, GOOD_CI), []);
        assert_eq!(promises("# x\n", GOOD_CI).len(), 2);
        let far = GOOD_README.replace("# x\n", &"line\n\n".repeat(40));
        assert_eq!(promises(&far, GOOD_CI).len(), 2);
    }

    #[test]
    fn another_test_command_in_ci_is_found() {
        assert_eq!(promises(GOOD_README, "timed cargo test --workspace --lib\n").len(), 1);
    }
}
