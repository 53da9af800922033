//! The binary `kforge`: arguments, streams and exit codes stop here.

mod interrupt;
mod output;
mod progress;
mod reference;
mod verb;

use clap::Parser;
use kforge_workbench::ExitClass;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(class) = reference::answer(std::env::args_os()) {
        return ExitCode::from(class.code());
    }
    let arguments = match verb::CommandLine::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let class = if error.use_stderr() { ExitClass::Usage } else { ExitClass::Yes };
            // A closed pipe is the reader's choice, not a failure.
            let _ = error.print();
            let class = if class == ExitClass::Usage && asks_for_json(std::env::args_os()) {
                output::misunderstood(&error)
            } else {
                class
            };
            return ExitCode::from(class.code());
        }
    };
    interrupt::install(arguments.patience());
    ExitCode::from(verb::dispatch(&arguments).code())
}

/// Whether a command line that was not understood still shows that a program reads the answer.
fn asks_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let arguments: Vec<OsString> = arguments.collect();
    let pairs = arguments.windows(2).any(|pair| pair == ["--format", "json"]);
    pairs || arguments.iter().any(|argument| argument == "--format=json")
}
