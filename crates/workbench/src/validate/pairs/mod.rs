//! `validate --a CMD --b CMD --metric REGEX`: two benchmark commands, run in pairs and judged by what they print.

mod answer;
mod command;
mod metric;
mod request;
mod run;
mod tally;

pub use answer::{CommandAnswer, MetricAnswer, PairBlock, Response};
pub use request::Request;
pub use run::run;
