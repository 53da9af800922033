//! What may be committed, which link is named when not, and what verify says afterwards.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

mod after;
mod links;
mod scratch;
mod selection;
