//! The tables. In each, Σ of the rows' own time + `residual_ns` = `whole_ns`.

use kforge_catalog::Labels;
use serde::Serialize;

/// Rows, and what they leave out of the whole.
#[derive(Clone, Debug, Serialize)]
pub struct Table<Row> {
    /// The rows, the largest first (steps: in time order; modules: parents first).
    pub rows: Vec<Row>,
    /// Device time that no row shows.
    pub residual_ns: i64,
    /// Activities that no row shows.
    pub residual_count: u64,
    /// Device time of everything the table is about.
    pub whole_ns: i64,
}

/// All kernels (or copies and fills) of one name.
#[derive(Clone, Debug, Serialize)]
pub struct KernelRow {
    /// The full name.
    pub name: String,
    /// What the name says the kernel does, is made of, and comes from.
    pub labels: Labels,
    /// How many.
    pub count: u64,
    /// How many of them have a length.
    pub timed: u64,
    /// The sum of their lengths.
    pub total_ns: i64,
    /// Their mean length, rounded down; `null` where none has a length.
    pub mean_ns: Option<i64>,
    /// The shortest.
    pub min_ns: Option<i64>,
    /// The longest.
    pub max_ns: Option<i64>,
    /// Part of the whole, 0 to 1.
    pub share: f64,
    /// Part of the whole down to this row, 0 to 1.
    pub cumulative_share: f64,
    /// Host time of the calls that launched them one by one; `null` where none was.
    pub launch_ns: Option<i64>,
    /// How many of them a graph replayed.
    pub graph_replayed: u64,
}

/// All kernels of one family.
#[derive(Clone, Debug, Serialize)]
pub struct FamilyRow {
    /// The family.
    pub family: &'static str,
    /// Distinct kernel names.
    pub names: u64,
    /// Kernels.
    pub count: u64,
    /// Their time.
    pub total_ns: i64,
    /// Part of all kernel time, 0 to 1.
    pub share: f64,
}

/// One module at its place in the tree.
#[derive(Clone, Debug, Serialize)]
pub struct ModuleRow {
    /// The names from the outermost module to this one, joined by `/`.
    pub path: String,
    /// The module around it, as a row of this table and before it; `null` at the top.
    pub parent: Option<usize>,
    /// The class, such as `LlamaRMSNorm`.
    #[serde(rename = "type")]
    pub class: String,
    /// The instance number, where the name has one.
    pub instance: Option<u64>,
    /// How deep in the tree; 0 at the top.
    pub depth: usize,
    /// Its calls; `null` where only stacks were recorded, which do not show calls.
    pub count: Option<u64>,
    /// Activities launched in it and in no module below.
    pub activities: u64,
    /// Kernels among them.
    pub kernels: u64,
    /// Kernels in it and below.
    pub subtree_kernels: u64,
    /// Time of its own activities.
    pub self_ns: i64,
    /// Time of its own activities and of those below.
    pub subtree_ns: i64,
}

/// All modules of one class.
#[derive(Clone, Debug, Serialize)]
pub struct ModuleTypeRow {
    /// The class.
    #[serde(rename = "type")]
    pub class: String,
    /// Distinct instances at distinct places.
    pub instances: u64,
    /// Their calls; `null` where calls are unknown.
    pub count: Option<u64>,
    /// Kernels launched in them and in no module below.
    pub kernels: u64,
    /// Kernels in them and below; a class inside itself counts once.
    pub subtree_kernels: u64,
    /// Time of their own activities.
    pub self_ns: i64,
    /// Time in them and below; a class inside itself counts once.
    pub subtree_ns: i64,
}

/// All calls of one op.
#[derive(Clone, Debug, Serialize)]
pub struct OpRow {
    /// The op.
    pub name: String,
    /// Its calls, with or without device work.
    pub count: u64,
    /// Activities launched in it and in no op below.
    pub activities: u64,
    /// Their time.
    pub self_ns: i64,
    /// Time in it and below; an op inside itself counts once.
    pub subtree_ns: i64,
}

/// All work of one source line.
#[derive(Clone, Debug, Serialize)]
pub struct SourceRow {
    /// The file as the capture names it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// Activities that it launched.
    pub count: u64,
    /// Their time.
    pub ns: i64,
}

/// One step in time order.
#[derive(Clone, Debug, Serialize)]
pub struct StepRow {
    /// The annotation.
    pub name: String,
    /// When it began, on the capture's clock.
    pub start_ns: i64,
    /// How long it was on the host.
    pub host_ns: Option<i64>,
    /// Activities launched in it.
    pub count: u64,
    /// Kernels among them.
    pub kernels: u64,
    /// The time of all of them.
    pub total_ns: i64,
    /// From the start of its first activity to the end of its last.
    pub device_window_ns: Option<i64>,
}
