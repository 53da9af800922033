//! `init`: a working experiment for a new operation, to be edited.
//!
//! Writes a reference, a baseline, a candidate and the experiment.toml that joins them, from a skeleton or from a file that is there. A
//! skeleton runs unchanged; what a file does not say is marked, and validate refuses the marks. Writes nothing over, runs nothing.

mod from;
mod skeleton;
mod verb;

pub use skeleton::Class;
pub use verb::{Request, Response, Start, run};
