//! What `tuned` answers.
//!
//! Invariant: every file that was named is among the tables or among the refused ones.

use crate::{ExitClass, Note};
use kforge_tuning::{Finding, Severity};
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole answer.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The tables that were read, in the order in which they were named.
    pub files: Vec<File>,
    /// The files that are no tables.
    pub refused: Vec<Refused>,
    /// The shape that was looked up, where one was.
    pub shape: BTreeMap<String, String>,
    /// What each table gives for the shape.
    pub lookups: Vec<Found>,
    /// What is wrong; all of it with `audited`, else only what the reader met.
    pub findings: Vec<Finding>,
    /// Whether the rows were audited.
    pub audited: bool,
    /// What the user should know beside.
    pub notes: Vec<Note>,
}

/// One table.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// The file.
    pub file: String,
    /// Its kind.
    pub layout: &'static str,
    /// Rows that were read.
    pub rows: usize,
    /// Lines that hold something and are no row.
    pub damaged: usize,
    /// Its columns.
    pub columns: Vec<String>,
    /// What its name says.
    pub named: BTreeMap<String, String>,
    /// Findings of weight `error`.
    pub errors: usize,
    /// Findings of weight `warning`.
    pub warnings: usize,
}

/// A file that could not be read as a table.
#[derive(Clone, Debug, Serialize)]
pub struct Refused {
    /// The file.
    pub file: String,
    /// The stable code.
    pub code: &'static str,
    /// Why, with the row.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// A look-up in one table.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The file.
    pub file: String,
    /// `exact`, `rounded`, `ambiguous`, `none`, `other-file` or `incomplete`.
    pub outcome: &'static str,
    /// The lines of the row, or of the rows where several fit.
    pub lines: Vec<usize>,
    /// The row, where there is one: column and cell.
    pub row: BTreeMap<String, String>,
    /// What was tried, in order.
    pub steps: Vec<String>,
    /// The loader's rule.
    pub rule: &'static str,
    /// What the rule says.
    pub rule_text: &'static str,
    /// Where the rule was read.
    pub source: &'static str,
    /// What the library does without a row.
    pub otherwise: &'static str,
}

impl Response {
    /// What the answer means for a script: 3 where a file is no table, 1 where an audit found errors.
    pub fn class(&self) -> ExitClass {
        let errors = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        match (self.refused.is_empty(), self.audited && errors) {
            (false, _) => ExitClass::Input,
            (true, true) => ExitClass::No,
            (true, false) => ExitClass::Yes,
        }
    }
}
