//! `kforge tour`: the arguments, and the answer shown step by step as it comes.

use crate::output;
use crate::progress::Terminal;
use clap::Args;
use kforge_report::{Format, tour as report};
use kforge_workbench::{Error, ExitClass, tour};
use std::path::PathBuf;

/// What does the whole circle look like? Runs it once in a new folder: capture, candidates, proof, record, commit, verify.
///
/// Unpacks a real capture and a CPU kernel, then runs the real verbs one after another and shows each command line before its
/// output. Needs a C++ compiler and git. The folder is kept.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kforge tour\n  kforge tour my-tour")]
pub struct Arguments {
    /// A new or empty folder; a fresh temporary one where none is given.
    folder: Option<PathBuf>,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(source) => {
            return output::failure(&Error::Io { path: PathBuf::from("kforge"), source }, Format::Text);
        }
    };
    let request = tour::Request { folder: arguments.folder.clone(), program };
    let mut announce = |step: &tour::Step| {
        output::answer(&report::announcement(step), ExitClass::Yes);
    };
    match tour::run(&request, &Terminal::default(), &mut announce) {
        Ok(response) => {
            let class = if response.complete { ExitClass::Yes } else { ExitClass::No };
            output::answer(&report::render(&response), class)
        }
        Err(error) => output::failure(&error, Format::Text),
    }
}
