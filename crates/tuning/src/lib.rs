//! Tuned tables of kernel libraries: aiter's CSV files, the JSON files of SGLang and vLLM, aiter's Triton configurations.
//!
//! Answers what stands in which row, which row the library's own loader takes for a shape, and what is wrong with a table. Refuses
//! what has no header that is known here, with the row. Invariant: every row keeps its line and byte, and nothing of a damaged row is guessed.

mod audit;
mod columns;
mod csv;
mod error;
mod finding;
mod json;
mod key;
mod layout;
mod lookup;
mod number;
mod read;
mod rule;
mod table;

pub use audit::{Scope, audit, untuned};
pub use error::Error;
pub use finding::{Finding, Severity};
pub use layout::Layout;
pub use lookup::{Hit, Lookup, Match, lookup};
pub use read::read;
pub use rule::Rule;
pub use table::{Row, Table};
