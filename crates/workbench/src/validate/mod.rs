//! `validate`: is the candidate right, and is it faster?

mod answer;
mod base;
mod device;
mod locate;
mod moment;
mod place;
mod request;
mod run;
mod scratch;
mod todo;

pub use answer::{CandidateAnswer, CaseAnswer, CheckSummary, EarlierRuns, Response};
pub use base::Base;
pub use request::Request;
pub use run::run;
