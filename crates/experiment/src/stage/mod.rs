//! The stages of an experiment, each a type that only the stage before it makes.

mod benched;
mod built;
mod calibration;
mod case_log;
mod checked;
mod checking;
mod engine;
mod facts;
mod first_write;
mod oddity;
mod outside_clock;
mod pairs;
mod plan;
mod proposed;
mod sealed;
mod timed;
mod timed_run;
mod timing;
mod trial;
mod unfinished;
mod watched;

pub use benched::{Alone, Benched, CaseTimes};
pub use built::Built;
pub use checked::{Checked, Correct, Refuted};
pub(crate) use engine::ENVIRONMENT;
pub use engine::{Engine, Event, Remark, SideBuild, SideSeal, SideTrouble, Workshop};
pub use facts::RunContext;
pub use proposed::Proposed;
pub use sealed::Sealed;
pub use timed::Timed;
pub use trial::Trial;
