//! What the binary says of itself, for the tools of its repository: two hidden verbs.
//!
//! `kforge __reference` prints the command tree and the exit codes as JSON; the pages under `docs/reference/` are made
//! from it. `kforge __parse -- ARGUMENTS` says whether a command line would be understood, and runs nothing, so that
//! every command in the documents can be tried. Both read the same tree as the real parser: there is no second list.

use crate::output;
use crate::verb::CommandLine;
use clap::{Arg, ArgAction, Command, CommandFactory, Parser};
use kforge_report::Rendered;
use kforge_workbench::ExitClass;
use serde_json::{Value, json};
use std::ffi::OsString;

/// Answers a hidden verb, or `None` where the command line is an ordinary one.
pub fn answer(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitClass> {
    let program = arguments.next()?;
    match arguments.next()?.to_str()? {
        "__reference" => Some(output::answer(&Rendered::new(format!("{:#}\n", reference())), ExitClass::Yes)),
        "__parse" => {
            let words = arguments.skip_while(|word| word == "--");
            Some(match CommandLine::try_parse_from(std::iter::once(program).chain(words)) {
                Ok(_) => ExitClass::Yes,
                // Help and version are answers, not mistakes.
                Err(error) if !error.use_stderr() => ExitClass::Yes,
                Err(error) => {
                    let _ = error.print();
                    ExitClass::Usage
                }
            })
        }
        _ => None,
    }
}

fn reference() -> Value {
    let mut command = CommandLine::command();
    command.build();
    let exit_codes: Vec<Value> = ExitClass::ALL
        .iter()
        .map(|class| json!({ "code": class.code(), "meaning": class.meaning() }))
        .collect();
    json!({ "command": tree(&command), "exit_codes": exit_codes })
}

fn tree(command: &Command) -> Value {
    let shown = |argument: &&Arg| !argument.is_hide_set() && !is_help(argument);
    let arguments: Vec<Value> = command.get_arguments().filter(shown).map(argument).collect();
    let commands: Vec<Value> = command
        .get_subcommands()
        .filter(|one| !one.is_hide_set() && one.get_name() != "help")
        .map(tree)
        .collect();
    json!({
        "name": command.get_name(),
        "about": command.get_about().map(ToString::to_string),
        "long_about": command.get_long_about().map(ToString::to_string),
        "usage": command.clone().render_usage().to_string(),
        "after_help": command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string),
        "arguments": arguments,
        "commands": commands,
    })
}

fn is_help(argument: &Arg) -> bool {
    let action = argument.get_action();
    matches!(action, ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version)
}

fn argument(argument: &Arg) -> Value {
    let takes_value = argument.get_action().takes_values();
    let values: Vec<String> = if takes_value {
        argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect()
    } else {
        Vec::new()
    };
    let possible: Vec<Value> = argument
        .get_possible_values()
        .iter()
        .filter(|value| takes_value && !value.is_hide_set())
        .map(|value| json!({ "name": value.get_name(), "help": value.get_help().map(ToString::to_string) }))
        .collect();
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .filter(|_| takes_value)
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    json!({
        "id": argument.get_id().as_str(),
        "long": argument.get_long(),
        "short": argument.get_short().map(String::from),
        "values": values,
        "help": argument.get_long_help().or(argument.get_help()).map(ToString::to_string),
        "possible": possible,
        "defaults": defaults,
        "environment": argument.get_env().map(|name| name.to_string_lossy().into_owned()),
        "required": argument.is_required_set(),
        "repeats": matches!(argument.get_action(), ArgAction::Append | ArgAction::Count),
        "global": argument.is_global_set(),
    })
}
