//! The page of verbs: what each answers, its usage, its arguments, an example.

use std::fmt::Write as _;

use super::compare::GENERATED;
use crate::kforge::{Argument, Verb};

const INTRODUCTION: &str = "# Command line\n\n\
    stdout is data, stderr is talk. [Exit codes](exit-codes.md), [error codes](errors.md) and\n\
    [notes](notes.md) have pages of their own.\n";

pub(super) fn page(root: &Verb) -> String {
    let mut text = format!("{GENERATED}{INTRODUCTION}");
    if !root.commands.is_empty() {
        text.push_str("\n| verb | what it answers |\n|---|---|\n");
    }
    for verb in &root.commands {
        let about = verb.about.as_deref().unwrap_or_default();
        let _ = writeln!(text, "| [`{0}`](#{1}-{0}) | {2} |", verb.name, root.name, cell(about));
    }
    for verb in &root.commands {
        section(&mut text, verb, &root.name, 2);
    }
    text
}

fn section(text: &mut String, verb: &Verb, parent: &str, depth: usize) {
    let name = format!("{parent} {}", verb.name);
    let _ = write!(text, "\n{} {name}\n", "#".repeat(depth));
    if let Some(about) = verb.long_about.as_ref().or(verb.about.as_ref()) {
        let _ = write!(text, "\n{}\n", about.trim());
    }
    let usage = verb.usage.trim().trim_start_matches("Usage: ");
    let _ = write!(text, "\n```text\n{usage}\n```\n");
    let named = |argument: &&Argument| argument.long.is_some() || argument.short.is_some();
    let placed = verb.arguments.iter().filter(|argument| !named(argument));
    table(text, "argument", placed);
    table(text, "option", verb.arguments.iter().filter(named));
    if let Some(after) = &verb.after_help {
        let lines: Vec<&str> = after.lines().map(str::trim).collect();
        let _ = write!(text, "\n```sh\n{}\n```\n", commented(&lines));
    }
    for child in &verb.commands {
        section(text, child, &name, depth + 1);
    }
}

/// Lines of a help's tail as a shell script: what is not a command becomes a comment.
fn commented(lines: &[&str]) -> String {
    let line = |line: &&str| match *line {
        "" => String::new(),
        command if command.starts_with("kforge ") || command.starts_with("$ ") => command.to_owned(),
        talk => format!("# {talk}"),
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn table<'a>(text: &mut String, kind: &str, arguments: impl Iterator<Item = &'a Argument>) {
    for (at, argument) in arguments.enumerate() {
        if at == 0 {
            let _ = write!(text, "\n| {kind} | meaning |\n|---|---|\n");
        }
        let _ = writeln!(text, "| `{}` | {} |", written(argument), cell(&meaning(argument)));
    }
}

/// An argument as a person would type it.
fn written(argument: &Argument) -> String {
    let values: Vec<String> = argument.values.iter().map(|value| format!("<{value}>")).collect();
    let values = values.join(" ");
    let short = argument.short.as_ref().map(|short| format!("-{short}"));
    let long = argument.long.as_ref().map(|long| format!("--{long}"));
    let name = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
    let dots = if argument.repeats { "..." } else { "" };
    let written = match (name.is_empty(), values.is_empty()) {
        (true, true) => argument.id.to_uppercase(),
        (true, false) => values,
        (false, true) => name,
        (false, false) => format!("{name} {values}"),
    };
    format!("{written}{dots}")
}

fn meaning(argument: &Argument) -> String {
    let mut parts = vec![argument.help.clone().unwrap_or_default().trim().trim_end_matches('.').to_owned()];
    if !argument.possible.is_empty() {
        let values = argument.possible.iter().map(|value| match &value.help {
            Some(help) => format!("`{}` ({})", value.name, help.trim_end_matches('.')),
            None => format!("`{}`", value.name),
        });
        parts.push(format!("one of {}", values.collect::<Vec<_>>().join(", ")));
    }
    if !argument.defaults.is_empty() {
        parts.push(format!("default `{}`", argument.defaults.join(" ")));
    }
    if let Some(name) = &argument.environment {
        parts.push(format!("from `{name}` where not given"));
    }
    if argument.required && (argument.long.is_some() || argument.short.is_some()) {
        parts.push("required".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// Text that stays inside one cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::kforge::Verb;

    const TREE: &str = r#"{
        "name": "kforge", "about": null, "long_about": null, "usage": "Usage: kforge <COMMAND>", "after_help": null,
        "arguments": [], "commands": [{
            "name": "trace", "about": "Where?", "long_about": "Where does it go?", "usage": "Usage: kforge trace <FILE>",
            "after_help": "Example:\n  kforge trace a.json", "commands": [],
            "arguments": [
                {"id": "file", "long": null, "short": null, "values": ["FILE"], "help": "The capture.", "possible": [],
                 "defaults": [], "environment": null, "required": true, "repeats": false},
                {"id": "format", "long": "format", "short": "f", "values": ["FORMAT"], "help": "a|b",
                 "possible": [{"name": "text", "help": "A page."}, {"name": "json", "help": null}],
                 "defaults": ["text"], "environment": "KFORGE_FORMAT", "required": false, "repeats": true}
            ]
        }]
    }"#;

    #[test]
    fn a_verb_shows_usage_arguments_options_and_its_example_as_a_command() {
        let root: Verb = serde_json::from_str(TREE).unwrap();
        let text = page(&root);
        for part in [
            "| [`trace`](#kforge-trace) | Where? |\n",
            "\n## kforge trace\n\nWhere does it go?\n\n```text\nkforge trace <FILE>\n```\n",
            "| `<FILE>` | The capture |\n",
            "| `-f, --format <FORMAT>...` | a\\|b; one of `text` (A page), `json`; default `text`; from `KFORGE_FORMAT` where not given |\n",
            "```sh\n# Example:\nkforge trace a.json\n```\n",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
    }
}
