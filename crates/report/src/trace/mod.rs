//! How the answer of `trace` reads.
//!
//! The page answers in the order of the questions: how much, how long, how launched, where, and what is doubtful. A table
//! that is cut says how many rows and how much time it leaves out.

mod cells;
mod page;
mod render;
mod section;
mod tables;

pub(crate) use cells::plain;
pub use render::{View, render};
pub use section::Section;
