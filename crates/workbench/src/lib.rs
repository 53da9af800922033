//! The facade: a module a verb, each `run(&Request, &dyn Observer) -> Result<Response, Error>`.
//!
//! This room is the only composer: it owns files and processes, and joins readers, analyses, engine and store. It knows
//! neither the command line nor how an answer is shown.
//!
//! Invariant: a `Response` is complete and already consistent; the serde names of its fields are the JSON of `data`.

pub mod commit;
pub mod doctor;
mod error;
mod exit;
mod gate;
mod git;
pub mod history;
pub mod hooks;
pub mod init;
mod inside_commit;
pub mod inspect;
mod note;
mod observer;
mod project;
pub mod record;
mod save;
mod settings;
mod signing;
pub mod tour;
pub mod trace;
pub mod tuned;
pub mod validate;
pub mod verify;

pub use error::Error;
pub use exit::ExitClass;
pub use gate::BrokenLink;
pub use kforge_ledger::headline;
pub use note::Note;
pub use observer::{Observer, Progress, Silent};
pub use save::{is_same_file, save};
