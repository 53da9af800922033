//! What tests share: where the real captures are, and made-up experiments.
//!
//! Nothing that ships depends on this room.

mod answers;
pub mod captures;
mod corpus;
mod fault_disk;
mod sample_experiment;
mod scale_project;
mod scratch_repo;
pub mod trace_answer;

pub use answers::{gone, is_timed, processes_with, verdict};
pub use corpus::{corpus, lab, workspace_root};
pub use fault_disk::{Fault, FaultDisk};
pub use sample_experiment::SampleExperiment;
pub use scale_project::{ScaleProject, few_samples, scale_operation, scale_side};
pub use scratch_repo::{ScratchRepo, command};
