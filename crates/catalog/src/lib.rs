//! Kernel families as data: a name to its labels, with the rule that matched.
//!
//! Answers "what kind of work is this kernel?" from its name alone, and "is this Python frame the user's or the
//! framework's?". Refuses to guess: a name no rule knows stays [`Family::Unclassified`].
//!
//! Invariant: the answer depends on the name and the rule files only. The operation names the rule that gave it.

mod builtin;
mod catalog;
mod dtype;
mod error;
mod family;
mod frames;
mod labels;
mod maker;
mod name;
mod phrase;
mod rule;
mod words;

pub use catalog::Catalog;
pub use error::Error;
pub use family::Family;
pub use frames::{FrameKind, Frames};
pub use labels::Labels;
pub use rule::RuleFacts;
