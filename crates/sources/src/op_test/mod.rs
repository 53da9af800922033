//! A test that times an operation and compares its result with a reference, as aiter's `op_tests` do.
//!
//! What is compared names the two sides: the one that reaches a library is the baseline, the one made of PyTorch is the reference.

mod check;
mod choose;
mod programs;
mod reading;
mod side;

pub use choose::op_test;
pub(crate) use choose::{from_module, tests};
