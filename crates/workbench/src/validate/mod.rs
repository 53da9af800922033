//! `validate`: is the candidate right, and is it faster?

mod answer;
mod device;
mod exactness;
mod locate;
mod moment;
pub mod pairs;
mod place;
mod request;
mod run;
mod scratch;
mod since;
mod todo;

pub use answer::{CandidateAnswer, CaseAnswer, CheckSummary, EarlierRuns, Response};
pub use exactness::{BesideBaseline, LargestErrors, OutputErrors};
pub use request::Request;
pub use run::run;
pub use since::Base;
