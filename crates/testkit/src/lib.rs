//! What tests share: where the real captures are, and made-up experiments.
//!
//! Nothing that ships depends on this room.

mod corpus;
mod sample_experiment;

pub use corpus::{corpus, lab, workspace_root};
pub use sample_experiment::SampleExperiment;
