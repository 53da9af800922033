//! `validate`: is the candidate right, and is it faster?

mod answer;
pub mod bench;
mod device;
mod exactness;
mod locate;
mod moment;
pub mod pairs;
mod place;
mod request;
mod resources;
pub mod reuse;
mod run;
mod scratch;
mod since;
mod todo;
mod world;

pub use answer::{CandidateAnswer, CaseAnswer, CheckSummary, EarlierRuns, Response};
pub use exactness::{BesideBaseline, LargestErrors, OutputErrors};
pub use kforge_experiment::CacheMode;
pub(crate) use moment::now;
pub use request::Request;
pub use resources::Resources;
pub use run::run;
pub(crate) use scratch::Scratch;
pub use since::Base;
pub(crate) use todo::MARK;
