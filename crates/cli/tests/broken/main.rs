//! Damaged captures: what is readable is read, what was lost is said, nothing is invented.
//!
//! Every input is made here from a small capture whose kernels and lengths are known by construction, so that each case
//! says which kernels survive at the least and what the sum then is. The binary reads it as a user's file.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why and fails")]

mod cuts;
mod expectation;
mod extremes;
mod layouts;
mod mutations;
mod strangers;
mod text;
mod values;
