//! Claims about the command line itself: every verb explains itself, streams and exit codes are what the pages say.
//!
//! Drives the real binary. The list of verbs comes from the binary too (`__reference`), so that a verb added later is
//! held to the same.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use assert_cmd::Command;
use serde_json::Value;

fn kforge() -> Command {
    Command::cargo_bin("kforge").unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = kforge().args(arguments).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{arguments:?} talks on stderr: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Every verb and sub-verb as the words after `kforge`.
fn verbs() -> Vec<Vec<String>> {
    fn below(node: &Value, path: &[String], found: &mut Vec<Vec<String>>) {
        for command in node["commands"].as_array().unwrap() {
            let name = command["name"].as_str().unwrap().to_owned();
            let path = [path, &[name]].concat();
            found.push(path.clone());
            below(command, &path, found);
        }
    }
    let reference: Value = serde_json::from_str(&stdout(&["__reference"])).unwrap();
    let mut found = Vec::new();
    below(&reference["command"], &[], &mut found);
    assert!(!found.is_empty(), "the binary has verbs");
    found
}

fn help_of(verb: &[String]) -> String {
    let words: Vec<&str> = verb.iter().map(String::as_str).chain(["--help"]).collect();
    stdout(&words)
}

#[test]
fn every_verb_says_which_question_it_answers() {
    for verb in verbs() {
        let help = help_of(&verb);
        let first = help.lines().next().unwrap_or_default();
        assert!(first.len() > 20, "{verb:?} says little: {first:?}");
        assert!(!first.starts_with("Usage"), "{verb:?} says nothing before its usage");
    }
}

#[test]
fn every_verb_has_an_example_that_the_parser_understands() {
    for verb in verbs() {
        let help = help_of(&verb);
        let begin = format!("kforge {}", verb.join(" "));
        let after = help.split_once("Example").map(|(_, after)| after);
        let after = after.unwrap_or_else(|| panic!("{verb:?} has no example:\n{help}"));
        let examples: Vec<&str> =
            after.lines().map(str::trim).filter(|line| line.starts_with(&begin)).collect();
        assert!(!examples.is_empty(), "{verb:?} has no line that begins with `{begin}`:\n{after}");
        for example in examples {
            let words = shlex::split(example).unwrap_or_else(|| panic!("a quote is open in {example}"));
            let ends = |word: &String| !["|", ">", "&&"].contains(&word.as_str());
            let words: Vec<String> = words.into_iter().skip(1).take_while(ends).collect();
            kforge().args(["__parse", "--"]).args(words).assert().code(0);
        }
    }
}

#[test]
fn help_fits_a_hundred_columns() {
    for verb in verbs() {
        let help = help_of(&verb);
        let wide = help.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{verb:?}");
    }
}

#[test]
fn version_and_help_are_answers_on_stdout() {
    assert_eq!(stdout(&["--version"]), format!("kforge {}\n", env!("CARGO_PKG_VERSION")));
    assert!(stdout(&["--help"]).contains("Usage: kforge"));
}

#[test]
fn a_command_line_that_is_not_understood_ends_with_2_and_leaves_stdout_empty() {
    for words in [&["trac"][..], &["trace"], &["trace", "a", "--no-such-option"], &[]] {
        let output = kforge().args(words).assert().code(2).get_output().clone();
        assert!(output.stdout.is_empty(), "{words:?}");
        assert!(!output.stderr.is_empty(), "{words:?}");
    }
}

#[test]
fn an_input_that_is_not_there_ends_with_3_and_a_hint() {
    let output = kforge().args(["trace", "no-such-capture.json"]).assert().code(3).get_output().clone();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(output.stdout.is_empty());
    assert!(talk.contains("no-such-capture.json"), "{talk}");
    assert!(talk.contains("hint: "), "{talk}");
}

#[test]
fn an_error_asked_for_as_json_is_one_document_with_a_code() {
    let words = ["trace", "no-such-capture.json", "--format", "json"];
    let output = kforge().args(words).assert().code(3).get_output().clone();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["schema"], "kforge.error/1");
    assert_eq!(document["ok"], false);
    assert!(document["error"]["code"].is_string(), "{document}");
    assert!(document["error"]["hint"].is_string(), "{document}");
}

#[test]
fn parsing_alone_runs_nothing() {
    kforge().args(["__parse", "--", "trace", "no-such-capture.json"]).assert().code(0).stdout("");
    kforge().args(["__parse", "--", "trac"]).assert().code(2).stdout("");
}

#[test]
fn a_command_line_that_is_not_understood_is_a_document_where_a_program_reads() {
    for arguments in [
        ["trace", "--format", "json"].as_slice(),
        &["trace", "--format=json"],
        &["history", "--no", "--format=json"],
    ] {
        let output = kforge().args(arguments).assert().code(2).get_output().clone();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&document["schema"], &document["ok"]), (&"kforge.error/1".into(), &false.into()));
        assert_eq!(document["error"]["code"], "usage");
        assert!(!output.stderr.is_empty(), "a person reads stderr");
    }
    let plain = kforge().args(["trace"]).assert().code(2).get_output().clone();
    assert!(plain.stdout.is_empty(), "{plain:?}");
}

#[test]
fn a_capture_can_be_piped_in() {
    let capture = r#"{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}]}"#;
    let piped = kforge().args(["trace", "-", "--format", "json"]).write_stdin(capture).assert().success();
    let document: Value = serde_json::from_slice(&piped.get_output().stdout).unwrap();
    assert_eq!(document["data"]["time"]["kernel_sum_ns"], 2000);
}
