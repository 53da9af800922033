//! Operations in files that people already have: tests of operations, tasks of benchmarks, functions.
//!
//! Text in, a [`Task`] out, with the line of every finding. Nothing is imported or executed, and strings are data. What a file does not say
//! stays open in the task; it is never guessed.

mod budget;
mod builtin;
mod cases;
mod driver;
mod dtype;
mod error;
mod evaluate;
mod extent;
mod function;
mod given;
mod layer;
mod model;
mod op_test;
mod operator;
mod origin;
mod python;
mod scope;
mod slice;
mod task;
mod tensor;
mod timing;
mod value;
mod vocabulary;

pub use error::Error;
pub use function::function;
pub use model::model;
pub use op_test::op_test;
pub(crate) use origin::parsed;
pub use origin::read;
pub use task::{Fill, Finding, Input, Origin, Output, Program, Range, Task};
