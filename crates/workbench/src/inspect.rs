//! `inspect`: what does a compiled kernel take, what limits its occupancy, and what changed between two builds?

mod answer;
mod changes;
mod verb;

pub use answer::{FileAnswer, KernelAnswer, OccupancyAnswer, Response, UnreadAnswer};
pub(crate) use changes::differing;
pub use changes::{Change, Changes};
pub(crate) use verb::{Launch, kernels_of};
pub use verb::{Request, run};
