//! Which device an experiment runs on, and the lease that keeps other measurements off it.

mod choice;
mod lease;

pub(super) use choice::{Chosen, Wish, choose};
