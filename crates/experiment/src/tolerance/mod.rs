//! Tolerance profiles: what an output may differ by, by element type and length of its sums, as data with sources.
//!
//! Invariant: a figure without a source does not exist; what follows from a profile is a [`kforge_record::Tolerance`] in plain figures,
//! which is what evidence holds and is judged by.

mod budget;
mod builtin;
mod figures;
mod profile;

pub use budget::Sum;
pub use figures::{Figure, FigureSource};
pub use profile::Profile;
