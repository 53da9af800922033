//! The facade: a module a verb, each `run(&Request, &dyn Observer) -> Result<Response, Error>`.
//!
//! This room is the only composer: it owns files and processes, and joins readers, analyses, engine and store. It knows
//! neither the command line nor how an answer is shown.
//!
//! Invariant: a `Response` is complete and already consistent; the serde names of its fields are the JSON of `data`.

mod error;
mod exit;
mod note;
mod observer;
mod save;
pub mod tour;
pub mod trace;
pub mod validate;

pub use error::Error;
pub use exit::ExitClass;
pub use note::Note;
pub use observer::{Observer, Progress, Silent};
pub use save::save;
