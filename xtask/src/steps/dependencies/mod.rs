//! What the workspace links: licences, bans, duplicates and sources (`deny.toml`), and a reason for each direct
//! dependency (`xtask/dependencies.toml`).

mod direct;
mod graph;
mod policy;

pub(crate) use graph::run;
