//! A machine that times kernels badly in known ways, for tests of the judge and of whatever feeds it.

mod machine;
mod rate;
mod zoo;

pub use machine::Machine;
pub use rate::upper_bound;
pub use zoo::{Named, zoo};
