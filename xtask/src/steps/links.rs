//! Whether the documents lead somewhere: relative links, and the test command that the README promises.
//!
//! Refuses a link to a file that is not in the repository. Addresses of the outside world are not visited. Invariant:
//! what the README tells a visitor to run is what `.ci/run` runs.

use std::path::{Component, Path, PathBuf};

use crate::finding::{Examined, Finding, Stop};
use crate::markdown::{Code, code, links};
use crate::repository::Repository;

const README: &str = "README.md";
const CI: &str = ".ci/run";
/// Commands that both the README and `.ci/run` must have.
const TEST_COMMAND: &str = "cargo test --workspace";
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
        for (line, target) in links(&text) {
            count += 1;
            let broken = inside(file, &target).filter(|path| !exists(path));
            findings.extend(broken.map(|path| {
                let fact = format!("links to {path}, which is not in the repository");
                Finding::new(format!("{file}:{line}"), fact, "repair the link or add the file")
            }));
        }
    }
    let readme = repository.text(README)?.unwrap_or_default();
    let ci = repository.text(CI)?.unwrap_or_default();
    findings.extend(promises(&readme, &ci));
    Ok(Examined { looked_at: if count == 0 { String::new() } else { format!("{count} links") }, findings })
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
