//! `kforge hooks`: the arguments, and what the answer means for a script.
//!
//! Knows the path of the running binary, which the hook will call.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kforge_report::hooks as report;
use kforge_workbench::{ExitClass, Silent, hooks};

use super::format::FormatArg;
use crate::output;

/// Puts `verify --require` into the repository's hooks, or takes it out; a hook that is there is kept and called first.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge hooks install\n  kforge hooks install --hook pre-commit\n  kforge hooks remove"
)]
pub struct Arguments {
    /// Install or remove.
    #[arg(value_enum)]
    action: Action,
    /// Which hook; may be repeated.
    #[arg(long, value_enum, default_values_t = [HookArg::PrePush])]
    hook: Vec<HookArg>,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Action {
    /// Put the gate in.
    Install,
    /// Take the gate out.
    Remove,
}

/// The hooks that can be gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HookArg {
    /// Before a push: what is pushed must hold.
    PrePush,
    /// Before a commit, and before a merge that makes one (git's pre-merge-commit): what is staged must hold.
    PreCommit,
}

impl From<HookArg> for hooks::Hook {
    fn from(hook: HookArg) -> Self {
        match hook {
            HookArg::PrePush => Self::PrePush,
            HookArg::PreCommit => Self::PreCommit,
        }
    }
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let request = hooks::Request {
        folder: PathBuf::from("."),
        hooks: arguments.hook.iter().copied().map(Into::into).collect(),
        remove: arguments.action == Action::Remove,
        // A hook falls back to `kforge` on the path where this file is gone.
        program: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("kforge")),
    };
    match hooks::run(&request, &Silent) {
        Ok(response) => output::rendered(report::render(&response, format), format, ExitClass::Yes),
        Err(error) => output::failure(&error, format),
    }
}
