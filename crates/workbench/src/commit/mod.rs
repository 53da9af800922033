//! `commit`: may these files be committed? Yes, where evidence for exactly their blobs says faster.
//!
//! Names the first broken link otherwise. The user's hooks run; a hook that changes a subject blob refuses. Index and
//! branch change together or not at all, also when interrupted.

mod publish;
mod staging;
mod verb;

pub(crate) use publish::recover;
pub(crate) use verb::in_progress;
pub use verb::{Committed, Request, Response, run, run_on};
