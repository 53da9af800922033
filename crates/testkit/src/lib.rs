//! What tests share: where the real captures are.
//!
//! Nothing that ships depends on this room.

mod corpus;

pub use corpus::{corpus, lab, workspace_root};
