//! Claims about tuned tables, counted by hand from the texts in the tests.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod audit;
mod corpus;
mod lookup;
mod read;

use kforge_tuning::{Finding, Scope, Table};
use std::collections::BTreeMap;

fn table(file: &str, text: &str) -> Table {
    kforge_tuning::read(file, text.as_bytes()).unwrap()
}

fn shape(text: &str) -> BTreeMap<String, String> {
    text.split(' ')
        .filter_map(|pair| pair.split_once('='))
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect()
}

/// Code and line of every finding.
fn places(findings: &[Finding]) -> Vec<(&'static str, usize)> {
    findings.iter().map(|finding| (finding.code, finding.line)).collect()
}

fn audited(text: &str) -> Vec<(&'static str, usize)> {
    places(&kforge_tuning::audit(&table("t.csv", text), &Scope::default()))
}
