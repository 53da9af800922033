//! What tests share: where the real captures are, and made-up experiments.
//!
//! Nothing that ships depends on this room.

pub mod captures;
mod corpus;
mod sample_experiment;
pub mod trace_answer;

pub use corpus::{corpus, lab, workspace_root};
pub use sample_experiment::SampleExperiment;
