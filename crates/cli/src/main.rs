//! The binary `kforge`: arguments, streams and exit codes stop here.

mod interrupt;
mod output;
mod progress;
mod reference;
mod verb;

use clap::Parser;
use kforge_workbench::ExitClass;
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
            return ExitCode::from(class.code());
        }
    };
    interrupt::install();
    ExitCode::from(verb::dispatch(&arguments).code())
}
