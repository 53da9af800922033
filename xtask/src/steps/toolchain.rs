//! Formatting and lints, as cargo itself reports them.
//!
//! Answers with one finding that carries the tool's own first lines. Refuses to guess: a tool that cannot start is
//! a stop, not a finding.

use std::path::Path;
use std::process::Command;

use crate::finding::{Examined, Finding, Stop};
use crate::repository::Repository;

/// Lines of a failing tool that a finding repeats.
const SHOWN_LINES: usize = 60;

pub(crate) fn fmt(repository: &Repository) -> Result<Examined, Stop> {
    let findings = cargo(
        repository.root(),
        &["fmt", "--all", "--check", "--", "-l", "--color=never"],
        "run `cargo fmt --all`",
    )?;
    Ok(Examined { looked_at: "cargo fmt --all --check".to_owned(), findings })
}

pub(crate) fn clippy(repository: &Repository) -> Result<Examined, Stop> {
    const ARGUMENTS: [&str; 7] =
        ["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-Dwarnings"];
    let cure = "repair it, or say why not with `#[expect(lint, reason = \"...\")]`";
    let findings = cargo(repository.root(), &ARGUMENTS, cure)?;
    Ok(Examined { looked_at: "cargo clippy --workspace --all-targets".to_owned(), findings })
}

/// Runs cargo with `arguments` in `root`; a non-zero end is one finding with the head of its output.
pub(crate) fn cargo(root: &Path, arguments: &[&str], cure: &str) -> Result<Vec<Finding>, Stop> {
    let command = format!("cargo {}", arguments.join(" "));
    let output = Command::new("cargo")
        .args(arguments)
        .current_dir(root)
        .env("CARGO_TERM_COLOR", "never")
        .output()
        .map_err(|what| Stop::Tool { command: command.clone(), what: what.to_string() })?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let both = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&both);
    let head: Vec<&str> = text.lines().take(SHOWN_LINES).collect();
    let left = text.lines().count().saturating_sub(head.len());
    let fact = format!("ended with {}\n{}\n({left} further lines)", output.status, head.join("\n"));
    Ok(vec![Finding::new(command, fact, cure)])
}

#[cfg(test)]
mod tests {
    use super::{cargo, fmt};
    use crate::repository::scratch;

    const MANIFEST: &str =
        "[package]\nname = \"fixture\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

    #[test]
    fn a_badly_formatted_file_is_found_and_a_good_one_is_not() {
        let (_bad, tree) = scratch::tree(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn a( ){ }\n")]);
        let findings = fmt(&tree).unwrap().findings;
        assert!(findings[0].fact.contains("src/lib.rs"), "{findings:?}");

        let (_good, tree) = scratch::tree(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn a() {}\n")]);
        assert_eq!(fmt(&tree).unwrap().findings, []);
    }

    #[test]
    fn a_lint_is_found_and_a_silent_crate_is_not() {
        let arguments = ["clippy", "--offline", "--quiet", "--", "-Dwarnings"];
        let (_bad, tree) = scratch::tree(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "fn unused() {}\n")]);
        let findings = cargo(tree.root(), &arguments, "repair it").unwrap();
        assert!(findings[0].fact.contains("never used"), "{findings:?}");

        let (_good, tree) = scratch::tree(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn used() {}\n")]);
        assert_eq!(cargo(tree.root(), &arguments, "repair it").unwrap(), []);
    }
}
