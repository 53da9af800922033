//! The whole answer of `trace`, part by part; the parts are in the modules beside this one.
//!
//! Invariant: every part counts the same activities, so that totals agree across the answer.

use super::coverage::Coverage;
use super::link::Links;
use super::summary::{Activities, Summary, Time};
use super::table::{FamilyRow, KernelRow, ModuleRow, ModuleTypeRow, OpRow, SourceRow, StepRow, Table};
use super::trust::Doubts;
use crate::Note;
use serde::Serialize;

/// What the capture says; the serde names are the JSON of `data`.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// What the capture is.
    pub capture: Summary,
    /// How many activities.
    pub activities: Activities,
    /// How long they took.
    pub time: Time,
    /// How they were launched.
    pub links: Links,
    /// How much has an answer.
    pub coverage: Coverage,
    /// What cannot be taken as it is.
    pub trust: Doubts,
    /// The tables.
    pub tables: Tables,
    /// What was lost, repaired or doubtful, each with its position.
    pub notes: Vec<Note>,
}

/// Every table of the answer.
#[derive(Clone, Debug, Serialize)]
pub struct Tables {
    /// Kernels by name.
    pub kernels: Table<KernelRow>,
    /// Kernels by family.
    pub families: Table<FamilyRow>,
    /// Copies and fills by name.
    pub transfers: Table<KernelRow>,
    /// Framework ops by name.
    pub ops: Table<OpRow>,
    /// Modules, parents first.
    pub modules: Table<ModuleRow>,
    /// Modules by class.
    pub module_types: Table<ModuleTypeRow>,
    /// Source lines.
    pub sources: Table<SourceRow>,
    /// Steps.
    pub steps: Table<StepRow>,
}
