//! A machine that times kernels badly in known ways, for tests of the judge and of whatever feeds it.

mod machine;

pub use machine::Machine;
