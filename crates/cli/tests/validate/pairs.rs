//! `kforge validate --a CMD --b CMD --metric REGEX`: two commands that time themselves, compared by what they print.

use crate::KFORGE;
use crate::places::Place;
use kforge_testkit::{ScaleProject as Project, gone, processes_with};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A command that prints a time around so many microseconds, another one each time.
fn prints(us: u32) -> String {
    format!(
        "python3 -c 'import random; print(\"warm up\"); print(\"time: %.3f us\" % ({us} + random.random()))'"
    )
}

const TIME: &str = "time: ([0-9.]+ us)";

fn project() -> Project {
    let project = Project::new(KFORGE);
    project.finish();
    project
}

fn command(project: &Project, a: &str, b: &str, more: &[&str]) -> Command {
    let mut command = Command::new(KFORGE);
    command.current_dir(project.folder.path()).args(["validate", "--a", a, "--b", b]).args(more);
    command
}

fn json(project: &Project, a: &str, b: &str, more: &[&str]) -> (Value, i32) {
    let output = command(project, a, b, more).args(["--format", "json"]).output().unwrap();
    let value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (value, output.status.code().unwrap_or(-1))
}

fn word(answer: &Value) -> &str {
    answer["data"]["verdict"]["verdict"].as_str().unwrap_or_default()
}

/// The sample's median ratio, from the printed texts alone.
fn ratio(answer: &Value) -> f64 {
    let number = |text: &Value| text.as_str().unwrap().trim_end_matches(" us").parse::<f64>().unwrap();
    let blocks = answer["data"]["blocks"].as_array().unwrap();
    let mut ratios: Vec<f64> = blocks.iter().map(|block| number(&block["a"]) / number(&block["b"])).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

#[test]
fn a_quicker_command_is_faster_marked_as_self_timed_everywhere_and_nothing_is_stored() {
    let project = project();
    let (answer, code) = json(&project, &prints(100), &prints(80), &["--metric", TIME]);
    assert_eq!((word(&answer), code), ("faster", 0), "{answer:#}");
    let data = &answer["data"];
    assert_eq!((data["timing"].as_str(), data["recorded"].as_bool()), (Some("self-timed"), Some(false)));
    let speedup = data["measured"]["speedup"]["estimate"].as_f64().unwrap();
    assert!((speedup - ratio(&answer)).abs() < 0.01 && (1.22..1.28).contains(&speedup), "{speedup}");
    assert_eq!(data["metric"]["unit"], "ns");
    assert!((80_000.0..81_000.0).contains(&data["b"]["median"].as_f64().unwrap()));
    let codes: Vec<&str> =
        answer["notes"].as_array().unwrap().iter().filter_map(|note| note["code"].as_str()).collect();
    assert_eq!(codes, ["validate.self-timed", "validate.unchecked"]);
    // Every block has all three, and not always in the same order.
    let blocks = data["blocks"].as_array().unwrap();
    assert!(blocks.len() >= 6 && blocks.iter().any(|block| block["order"] != blocks[0]["order"]));

    let text = command(&project, &prints(100), &prints(80), &["--metric", TIME]).output().unwrap();
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.starts_with("b against a: faster (self-timed)  1.2"), "{text}");
    assert!(text.contains("not recorded: self-timed"), "{text}");
    assert!(!project.path("kernels/scale/evidence").exists());
    let refused =
        Command::new(KFORGE).current_dir(project.folder.path()).args(["commit", "scale"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn a_command_against_itself_is_no_win_and_a_rate_that_grew_is() {
    let project = project();
    let (answer, code) = json(&project, &prints(100), &prints(100), &["--metric", TIME]);
    assert_eq!(code, 1, "{answer:#}");
    let rate = |rate: u32| format!("echo {rate}.$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')");
    let (a, b) = (rate(500), rate(600));
    let (answer, code) = json(&project, &a, &b, &["--metric", "([0-9.]+)", "--higher-is-better"]);
    assert_eq!((word(&answer), code), ("faster", 0), "{answer:#}");
    assert_eq!(answer["data"]["metric"]["unit"], "as printed");
    let (answer, code) = json(&project, &a, &b, &["--metric", "([0-9.]+)"]);
    assert_eq!((word(&answer), code), ("slower", 1), "less is better unless it is said: {answer:#}");
}

#[test]
fn digits_that_were_not_printed_are_no_result() {
    let project = project();
    let (answer, code) = json(&project, "echo 6", "echo 5", &["--metric", "([0-9.]+)"]);
    assert_eq!((word(&answer), code), ("inconclusive", 1), "{answer:#}");
    assert_eq!(answer["notes"][0]["code"], "validate.coarse-metric");
    let (answer, code) = json(&project, "echo 6.0000", "echo 5.0000", &["--metric", "([0-9.]+)"]);
    assert_eq!((word(&answer), code), ("faster", 0), "{answer:#}");
}

#[test]
fn nothing_is_timed_before_both_sides_passed_the_check() {
    let project = project();
    let runs =
        |a: &str, b: &str, check: &str| json(&project, a, b, &["--metric", "([0-9.]+)", "--check", check]);
    let mark = "echo x >> ran; echo 3.0000";
    let (answer, code) = runs(mark, mark, "test $KFORGE_SIDE = a || { echo 'differs at 7'; false; }");
    assert_eq!((word(&answer), code), ("incorrect", 1), "{answer:#}");
    assert_eq!(answer["data"]["reason"], "b: the check ended with status 1");
    assert_eq!(answer["data"]["log"], "differs at 7");
    let (answer, code) = runs(mark, mark, "test $KFORGE_SIDE = b");
    assert_eq!((answer["error"]["code"].as_str(), code), (Some("validate.command"), 3), "{answer}");
    assert!(!project.path("ran").exists(), "a command ran although the check had failed");
    let (answer, _) = runs(mark, mark, "echo $KFORGE_SIDE >> sides");
    assert_eq!(fs::read_to_string(project.path("sides")).unwrap(), "a\nb\n");
    assert!(answer["notes"].as_array().unwrap().iter().all(|note| note["code"] != "validate.unchecked"));
}

#[test]
fn output_without_a_positive_number_is_refused_with_its_end_and_a_failing_b_is_an_answer() {
    let project = project();
    for (a, b, side, says) in [
        ("echo nothing here", "echo 1", "a: ", "printed nothing that matches"),
        ("echo t=1", "echo t=fast", "b: ", "`fast` where a number is wanted"),
        ("echo t=1", "echo t=-2", "b: ", "printed -2, which is not positive"),
        ("echo t=1ms", "echo t=2", "b: ", "one has a unit of time"),
        ("echo 'no space' >&2; exit 7", "echo t=1", "a: ", "ended with status 7\nno space"),
    ] {
        let (answer, code) = json(&project, a, b, &["--metric", "t=(.+)"]);
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(message.starts_with(side) && message.contains(says) && code == 3, "{code}: {message}");
    }
    let (answer, _) = json(&project, "echo nothing here", "echo 1", &["--metric", "t=(.+)"]);
    assert!(answer["error"]["message"].as_str().unwrap().ends_with("\nnothing here"), "{answer}");

    let (answer, code) = json(&project, "echo t=1", "echo broken >&2; exit 3", &["--metric", "t=(.+)"]);
    assert_eq!((word(&answer), answer["data"]["log"].as_str(), code), ("incorrect", Some("broken"), 1));
    let (answer, code) = json(&project, "echo t=1", "sleep 5551", &["--metric", "t=(.+)", "--deadline", "1"]);
    assert_eq!((word(&answer), code), ("incorrect", 1));
    assert!(answer["data"]["reason"].as_str().unwrap().contains("did not end within 1 s"), "{answer}");
    assert!(gone("sleep\x005551", 2));
    let (answer, code) = json(&project, "echo t=1", "nosuchprogram", &["--metric", "t=(.+)"]);
    assert_eq!(code, 4, "{answer}");
}

#[test]
fn a_command_line_that_makes_no_sense_is_exit_code_2() {
    let project = project();
    for more in [
        &["--metric", "time"][..],
        &["--metric", "(time"],
        &["--metric", "(1)", "--runs", "2"],
        &["--metric", "(1)", "--base", "HEAD"],
        &["--metric", "(1)", "scale"],
        &[],
    ] {
        let (answer, code) = json(&project, "echo 1", "echo 1", more);
        assert_eq!(code, 2, "{more:?}: {answer}");
    }
}

#[test]
fn what_a_command_leaves_behind_is_killed_before_the_next_one_and_named_once() {
    let project = project();
    let (answer, _) =
        json(&project, "echo 3.0000", "setsid sleep 5552 & echo 3.0000", &["--metric", "([0-9.]+)"]);
    let notes = answer["notes"].as_array().unwrap();
    let told: Vec<&Value> = notes.iter().filter(|note| note["code"] == "validate.left-process").collect();
    assert_eq!(told.len(), 1, "{answer:#}");
    assert!(told[0]["message"].as_str().unwrap().contains("`sleep 5552`"), "{answer:#}");
    assert!(gone("sleep\x005552", 2));
}

#[test]
fn an_interrupt_ends_the_command_at_work() {
    let project = project();
    let mut command = command(&project, "sleep 5553; echo 1", "echo 1", &["--metric", "(1)"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..400 {
        if !processes_with("sleep\x005553").is_empty() {
            break;
        }
        sleep(Duration::from_millis(25));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(gone("sleep\x005553", 2));
}

#[test]
fn commands_run_behind_a_prefix_in_a_folder_that_is_visible_there() {
    let place = Place::new();
    let folder = place.outside().join("work");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("number"), "2.0000\n").unwrap();
    let ask = |at: &std::path::Path| {
        let mut command = Command::new(KFORGE);
        command.current_dir(at).args([
            "validate",
            "--a",
            "cat number",
            "--b",
            "echo 1.0000",
            "--format",
            "json",
        ]);
        let output = command.args(["--metric", "([0-9.]+)"]).args(place.arguments()).output().unwrap();
        (serde_json::from_slice::<Value>(&output.stdout).unwrap(), output.status.code())
    };
    let (answer, code) = ask(&folder);
    assert_eq!((word(&answer), code), ("faster", Some(0)), "{answer:#}");
    assert!(answer["data"]["prefix"].as_str().unwrap().ends_with("/enter"));
    let elsewhere = tempfile::tempdir().unwrap();
    let (answer, code) = ask(elsewhere.path());
    assert_eq!(code, Some(2), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("is not visible"), "{answer}");
}
