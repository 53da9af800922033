//! `kforge trace`.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::Args;
use kforge_report::trace as report;
use kforge_workbench::{ExitClass, trace};
use std::path::PathBuf;

/// Where does the time go? Reads a profiler capture and shows kernels, modules, sources, launches and gaps.
///
/// Example: kforge trace capture.json.gz
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  kforge trace capture.json.gz\n  kforge trace capture.json.gz --format json"
)]
pub struct Arguments {
    /// The capture: a PyTorch profiler trace, .json or .json.gz; found by content, not by name.
    capture: PathBuf,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = trace::Request { capture: arguments.capture.clone() };
    let answer = trace::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => output::rendered(report::render(&response, format), format, ExitClass::Yes),
        Err(error) => output::failure(&error, format),
    }
}
