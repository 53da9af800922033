//! Readers: a bundle of named members in, a `Trace` and notes out; one module a format.
//!
//! A reader refuses only what makes the whole meaningless. Everything else is read as far as it can be, and each loss
//! becomes a note with its position.
//!
//! Invariant: no reader opens a file; what it reads comes through a [`Bundle`], and whoever watches is an [`Observer`].

mod bundle;
mod error;
mod gunzip;
pub mod kineto;
mod note;
mod observer;
mod pump;
mod recognise;

pub use bundle::{Bundle, Member};
pub use error::Error;
pub use note::ReadNote;
pub use observer::Observer;
