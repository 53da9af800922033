//! `kforge history`: the arguments, and what the answer means for a script.
//!
//! Finding nothing is an answer too: exit 0.

use std::path::PathBuf;

use clap::Args;
use kforge_report::history as report;
use kforge_workbench::{ExitClass, Silent, history};

use super::format::FormatArg;
use crate::output;

/// Have we tried X on Y? Lists evidence and searches everything that was written about it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge history\n  kforge history \"vectorised loads\" --device mi300\n  kforge history --op rmsnorm --verdict slower"
)]
pub struct Arguments {
    /// Words to search for in names, machines, lessons and answers; everything where none are given.
    query: Vec<String>,
    /// Only this op.
    #[arg(long)]
    op: Option<String>,
    /// Only devices whose name or architecture contains this.
    #[arg(long, value_name = "TEXT")]
    device: Option<String>,
    /// Only this verdict: faster, slower, same, mixed, inconclusive, incorrect or void; `malformed` is evidence that does not hold.
    #[arg(long)]
    verdict: Option<String>,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let request = history::Request {
        folder: PathBuf::from("."),
        query: (!arguments.query.is_empty()).then(|| arguments.query.join(" ")),
        op: arguments.op.clone(),
        device: arguments.device.clone(),
        verdict: arguments.verdict.clone(),
    };
    match history::run(&request, &Silent) {
        Ok(response) => output::rendered(report::render(&response, format), format, ExitClass::Yes),
        Err(error) => output::failure(&error, format),
    }
}
