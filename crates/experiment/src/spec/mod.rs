//! experiment.toml: what it may say, and what it means.
//!
//! Invariant: an [`Experiment`] has only names that exist, expressions that parse, and kinds that the engine carries out;
//! whatever else a file says is refused with its line and a cure.

mod document;
mod domain;
mod experiment;
mod locate;
mod output;
mod side;
mod tensor;
mod tuning;

pub use domain::{Domain, Range};
pub(crate) use experiment::case_name;
pub use experiment::{CaseSpec, Experiment, OP_NAMES, Work, is_name, is_op_name};
pub use output::OutputSpec;
pub use side::{SideSpec, Tree};
pub(crate) use tensor::extents;
pub use tensor::{InputKind, InputSpec};
pub use tuning::{CacheMode, Tuning};
