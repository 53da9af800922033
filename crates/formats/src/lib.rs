//! Readers: a bundle of named members in, a `Trace` and notes out; one module a format.
//!
//! A reader refuses only what makes the whole meaningless. Everything else is read as far as it can be, and each loss
//! becomes a note with its position.

mod error;

pub use error::Error;
