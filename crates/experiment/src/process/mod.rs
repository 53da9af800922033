//! Child processes: where commands run, how they are ended, and the runner protocol over their pipes.
//!
//! Invariant: only processes that kforge started are signalled, and none of them outlives kforge, whatever ends it.

mod census;
mod dump_file;
mod job;
mod place;
mod relay;
mod session;
mod standing;

pub use job::{Ended, Job, JobSpec, unrunnable};
pub use place::Place;
pub(crate) use place::quoted;
pub use relay::Relay;
pub use session::{PROTOCOL, ProcessRunner, Surroundings};
pub(crate) use standing::standing_of;
