//! `doctor`: is this machine fit to measure, and does a kernel class work on it from the skeleton to verified evidence?

mod answer;
mod bringup;
mod machine;
mod pitfalls;
mod report;
mod verb;

pub use answer::{Bringup, Finding, Response, Step};
pub use verb::{Request, run};
