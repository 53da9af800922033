//! `tour`: the whole circle once, in a new folder, with the real verbs.
//!
//! There is no special path: each step is a command that the user could type, run by the same program.

mod assets;
mod plan;
mod verb;

pub use plan::Step;
pub use verb::{Done, Request, Response, run};
