//! One file a verb: its arguments, its request, its answer's exit class.

mod bench;
mod command_line;
mod commit;
mod doctor;
mod format;
mod history;
mod hooks;
mod init;
mod inspect;
mod record;
mod tour;
mod trace;
mod tuned;
mod validate;
mod verify;

pub use command_line::{CommandLine, dispatch};
