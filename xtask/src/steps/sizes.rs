//! How long source files are and how heavy stored files are.
//!
//! Limits and exceptions are data (`xtask/sizes.toml`). Invariant: an exception has a reason and a file that needs it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::finding::{Examined, Finding, Stop};
use crate::repository::Repository;

const DATA: &str = "xtask/sizes.toml";
const SOURCES: [&str; 6] = [".rs", ".py", ".hpp", ".h", ".cpp", ".cu"];

/// `xtask/sizes.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    limits: Limits,
    /// Path to reason.
    source_lines: BTreeMap<String, String>,
    /// Path to reason.
    file_bytes: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    source_lines: usize,
    file_bytes: usize,
}

/// One measured file.
struct Measured<'a> {
    file: &'a str,
    bytes: usize,
    /// Only for source files.
    lines: Option<usize>,
}

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let sizes: Sizes = repository.data(DATA)?;
    let mut measured = Vec::new();
    for file in repository.files() {
        let bytes = repository.bytes(file)?;
        let is_source = SOURCES.iter().any(|end| file.ends_with(end));
        let lines = is_source.then(|| bytes.split_inclusive(|byte| *byte == b'\n').count());
        measured.push(Measured { file, bytes: bytes.len(), lines });
    }
    let looked_at = if measured.is_empty() { String::new() } else { format!("{} files", measured.len()) };
    Ok(Examined { looked_at, findings: examine(&sizes, &measured) })
}

fn examine(sizes: &Sizes, measured: &[Measured<'_>]) -> Vec<Finding> {
    let lines: Vec<(&str, usize)> =
        measured.iter().filter_map(|one| one.lines.map(|lines| (one.file, lines))).collect();
    let bytes: Vec<(&str, usize)> = measured.iter().map(|one| (one.file, one.bytes)).collect();
    let mut findings = over(&lines, sizes.limits.source_lines, "lines", &sizes.source_lines);
    findings.extend(over(&bytes, sizes.limits.file_bytes, "bytes", &sizes.file_bytes));
    findings
}

fn over(
    files: &[(&str, usize)],
    limit: usize,
    unit: &str,
    excused: &BTreeMap<String, String>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, size) in files {
        if *size > limit && !excused.contains_key(*file) {
            let fact = format!("{size} {unit}, more than {limit}");
            let cure = format!("split it by what it knows, or give a reason in {DATA}");
            findings.push(Finding::new(*file, fact, cure));
        }
    }
    for (path, reason) in excused {
        let needed = files.iter().any(|(file, size)| file == path && *size > limit);
        if !needed || reason.trim().is_empty() {
            let fact = format!("the exception for {path} is not needed or gives no reason");
            findings.push(Finding::new(DATA, fact, "remove it, or write the reason"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::repository::scratch;

    fn facts(data: &str, text: &str) -> Vec<String> {
        let (_folder, tree) = scratch::tree(&[("xtask/sizes.toml", data), ("src/a.rs", text)]);
        run(&tree).unwrap().findings.into_iter().map(|finding| finding.fact).collect()
    }

    #[test]
    fn a_long_source_file_is_found_unless_a_reason_is_given() {
        let data = "[limits]\nsource_lines = 3\nfile_bytes = 1000\n[source_lines]\n[file_bytes]\n";
        assert_eq!(facts(data, "\n\n\n\n"), ["4 lines, more than 3"]);
        assert_eq!(facts(data, "\n\n\n"), [""; 0]);
        let excused = data.replace("[source_lines]", "[source_lines]\n'src/a.rs' = 'one table'");
        assert_eq!(facts(&excused, "\n\n\n\n"), [""; 0]);
        assert_eq!(facts(&excused, "\n"), ["the exception for src/a.rs is not needed or gives no reason"]);
    }

    #[test]
    fn a_heavy_file_is_found() {
        let data = "[limits]\nsource_lines = 900\nfile_bytes = 200\n[source_lines]\n[file_bytes]\n";
        assert_eq!(facts(data, &"x".repeat(201)), ["201 bytes, more than 200"]);
    }
}
