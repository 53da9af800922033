//! The whole command line, and which verb answers it.

use super::{
    bench, commit, doctor, history, hooks, init, inspect, record, tour, trace, tuned, validate, verify,
};
use crate::interrupt::Patience;
use clap::{Parser, Subcommand};
use kforge_workbench::ExitClass;

/// Takes a GPU kernel from "it is slow" to "a proven, recorded, committed win".
#[derive(Debug, Parser)]
#[command(name = "kforge", version, propagate_version = true, arg_required_else_help = true)]
pub struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Tour(tour::Arguments),
    Init(init::Arguments),
    Trace(trace::Arguments),
    Tuned(tuned::Arguments),
    Validate(validate::Arguments),
    Bench(bench::Arguments),
    Inspect(inspect::Arguments),
    Record(record::Arguments),
    History(history::Arguments),
    Commit(commit::Arguments),
    Verify(verify::Arguments),
    Hooks(hooks::Arguments),
    Doctor(doctor::Arguments),
}

impl CommandLine {
    /// How the verb takes the first Ctrl-C.
    pub fn patience(&self) -> Patience {
        match self.verb {
            Verb::Trace(_) | Verb::Tuned(_) | Verb::History(_) | Verb::Inspect(_) => Patience::Reader,
            Verb::Tour(_) | Verb::Validate(_) | Verb::Bench(_) | Verb::Doctor(_) | Verb::Verify(_) => {
                Patience::Listener
            }
            Verb::Init(_) | Verb::Record(_) | Verb::Commit(_) | Verb::Hooks(_) => Patience::Finisher,
        }
    }
}

/// Runs the verb and says what its answer means.
pub fn dispatch(command_line: &CommandLine) -> ExitClass {
    match &command_line.verb {
        Verb::Tour(arguments) => tour::run(arguments),
        Verb::Init(arguments) => init::run(arguments),
        Verb::Trace(arguments) => trace::run(arguments),
        Verb::Tuned(arguments) => tuned::run(arguments),
        Verb::Validate(arguments) => validate::run(arguments),
        Verb::Bench(arguments) => bench::run(arguments),
        Verb::Inspect(arguments) => inspect::run(arguments),
        Verb::Record(arguments) => record::run(arguments),
        Verb::History(arguments) => history::run(arguments),
        Verb::Commit(arguments) => commit::run(arguments),
        Verb::Verify(arguments) => verify::run(arguments),
        Verb::Hooks(arguments) => hooks::run(arguments),
        Verb::Doctor(arguments) => doctor::run(arguments),
    }
}
