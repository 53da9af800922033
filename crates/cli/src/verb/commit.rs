//! `kforge commit`: the arguments, and what the answer means for a script.
//!
//! A refusal is an answer: exit 1. Nothing is decided here.

use std::path::PathBuf;

use clap::Args;
use kforge_report::commit as report;
use kforge_workbench::{ExitClass, commit};

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;

/// May this be committed? Commits the files that evidence says are faster, or names the first broken link.
///
/// The repository's hooks run; a hook that changes a measured file refuses.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge commit rmsnorm\n  kforge commit rmsnorm --candidate vec4 -m \"rmsnorm: 16-byte loads\" --also docs/rmsnorm.md"
)]
pub struct Arguments {
    /// The op.
    op: String,
    /// Only evidence of this candidate.
    #[arg(long, value_name = "NAME")]
    candidate: Option<String>,
    /// The message; one is made from the evidence where none is given.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Another path that the commit may hold; may be repeated.
    #[arg(long, value_name = "PATH")]
    also: Vec<String>,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = commit::Request {
        folder: PathBuf::from("."),
        op: arguments.op.clone(),
        candidate: arguments.candidate.clone(),
        message: arguments.message.clone(),
        also: arguments.also.clone(),
    };
    let answer = commit::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = if response.committed.is_some() { ExitClass::Yes } else { ExitClass::No };
            output::rendered(report::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}
