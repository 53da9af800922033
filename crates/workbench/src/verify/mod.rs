//! `verify`: does what was committed rest on evidence? Recomputed from files alone.
//!
//! Evidence binds blobs, never a tree: rebase, cherry-pick and squash keep it valid, an edit of a subject file voids
//! it. Says `consistent, unsigned`, `consistent, signed by … (listed in …)`, `reproduced` where it was measured again, or names the first
//! broken link; never more.

mod answer;
mod changed;
mod derived;
mod known;
mod ledger_at;
mod replaced;
mod rerun;
mod settings;
mod shelf;
mod signers;
mod start;
mod state;
mod verb;

pub use answer::{Checked, Response, UnboundField};
pub use verb::{Request, run};
