//! The steps of `cargo xtask check`, a file each: a pure core that tests feed, and a `run` that reads the tree.

pub(crate) mod commands;
pub(crate) mod dependencies;
pub(crate) mod doors;
pub(crate) mod errors;
pub(crate) mod layers;
pub(crate) mod links;
pub(crate) mod modules;
pub(crate) mod reference;
pub(crate) mod sizes;
pub(crate) mod toolchain;
pub(crate) mod words;
