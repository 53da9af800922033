//! `tuned`: what stands in tuned tables, which row a shape gets, what is wrong with them.

mod answer;
mod verb;

pub use answer::{File, Found, Refused, Response};
pub use kforge_tuning::Finding;
pub use verb::{Request, run};
