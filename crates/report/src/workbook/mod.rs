//! Workbooks: the .xlsx that engineers hand to each other.
//!
//! Numbers are numbers, times are µs with three decimals (exact nanoseconds), headers stay in view. Where Excel's own
//! limits cut something, a row says so and so does a note.

mod cell;
mod detail;
mod kernels;
mod limits;
mod modules;
mod overview;
mod sheet;
mod summary;
mod trace;
mod tree;

pub use limits::Limits;
pub use trace::{TraceWorkbook, trace};
