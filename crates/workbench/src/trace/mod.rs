//! `trace`: where does the time go?
//!
//! Reads one capture and answers with counts, times, launches, tables, timeline and doubts.

mod answer;
mod coverage;
mod detail;
mod device;
mod files;
mod link;
mod notes;
mod read;
mod summary;
mod table;
mod trust;
mod verb;

pub use answer::{Response, Tables};
pub use coverage::{Coverage, Covered};
pub use detail::DetailRow;
pub use device::{Device, Gap, Stream};
pub use files::CaptureFile;
pub use link::{ClassTotal, Links};
pub use read::{Capture, read};
pub use summary::{Activities, Summary, Time};
pub use table::{FamilyRow, KernelRow, ModuleRow, ModuleTypeRow, OpRow, SourceRow, StepRow, Table};
pub use trust::Doubts;
pub use verb::{Request, run, run_detailed};
