//! One file a verb: its arguments, its request, its answer's exit class.

mod command_line;
mod format;
mod tour;
mod trace;
mod validate;

pub use command_line::{CommandLine, dispatch};
