//! `init`: a working experiment for a new operation, to be edited.
//!
//! Writes a reference, a baseline, a candidate and the experiment.toml that joins them; what it writes runs unchanged. Writes nothing over.

mod skeleton;
mod verb;

pub use skeleton::Class;
pub use verb::{Request, Response, run};
