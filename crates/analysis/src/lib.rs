//! Pure answers from a `Trace`: launches, context, tables, timeline, trust. One file an analysis.
//!
//! No analysis knows which format a trace came from; it asks which columns the trace has. Nothing here opens a file, reads a
//! clock or formats a number.
//!
//! Invariant: in every table the rows and the residual add up to the whole, in integer nanoseconds. The residual is counted beside
//! the rows, and the lengths that a reader keeps add up inside 64 bits.

mod context;
mod detail_table;
mod kernel_table;
mod launch;
mod lengths;
mod module_table;
mod module_tree;
mod op_table;
mod range_table;
mod source;
mod source_table;
mod timeline;
mod trust;
mod whole;

pub use context::{Context, HostContext};
pub use detail_table::{DetailKey, DetailRow, DetailTable};
pub use kernel_table::{KernelRow, KernelTable};
pub use launch::{Launch, LaunchClass, Launches};
pub use lengths::Lengths;
pub use module_table::ModuleTable;
pub use module_tree::{DEEPEST, LONGEST_PATH, LONGEST_PATHS, ModuleId, ModuleNode, ModuleTree};
pub use op_table::{OpRow, OpTable};
pub use range_table::{RangeRow, RangeTable};
pub use source::{SourceId, SourceLine, Sources};
pub use source_table::{SourceRow, SourceTable};
pub use timeline::{DeviceTime, GapCause, StreamTime, Timeline};
pub use trust::Trust;
pub use whole::Whole;
