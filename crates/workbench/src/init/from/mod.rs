//! An experiment out of a file that is there: which file is meant, and the text of what is written for it.

mod document;
mod locate;
mod program;
mod write;

pub(super) use locate::task;
pub(super) use write::files;
