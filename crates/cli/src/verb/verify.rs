//! `kforge verify`: the arguments, and what the answer means for a script.
//!
//! What does not hold is an answer: exit 1, so that a hook or a CI job can stand on it.

use std::path::PathBuf;

use clap::Args;
use kforge_report::verify as report;
use kforge_workbench::{ExitClass, verify};

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;

/// Does it rest on evidence? Recomputes a commit, a range or an evidence file from files alone.
///
/// Says `consistent, unsigned` or `consistent, signed by …`, or names what is broken; never more than files can show.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge verify\n  kforge verify origin/main..HEAD --require\n  kforge verify 3fa94c1be027 --unbound"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Arguments {
    /// A revision, a range A..B, or the first digits of an evidence id; HEAD where none is given.
    target: Option<String>,
    /// A gate: changed subject files must rest on evidence; other changes pass.
    #[arg(long)]
    require: bool,
    /// Look at the staged files instead.
    #[arg(long, conflicts_with = "target")]
    staged: bool,
    /// Build and measure again what holds; says `reproduced` where a fresh run of the same pair says the same.
    #[arg(long)]
    rerun: bool,
    /// Also list the fields of evidence that nothing recomputes.
    #[arg(long)]
    unbound: bool,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = verify::Request {
        folder: PathBuf::from("."),
        target: arguments.target.clone(),
        // Inside a pre-commit hook git names the index that is about to be committed.
        staged: arguments.staged.then(|| std::env::var_os("GIT_INDEX_FILE").map(PathBuf::from)),
        require: arguments.require,
        rerun: arguments.rerun,
        unbound: arguments.unbound,
    };
    let answer = verify::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = if response.holds { ExitClass::Yes } else { ExitClass::No };
            output::rendered(report::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}
