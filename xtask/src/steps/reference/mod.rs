//! The generated pages under `docs/reference/`: written by `cargo xtask docs`, compared by the step `reference`.

mod battery;
mod cli;
mod compare;
mod errors;
mod exit_codes;
mod notes;

pub(crate) use compare::{run, write};
