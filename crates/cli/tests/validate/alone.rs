//! `kforge bench`, `kforge validate --reuse` and `kforge doctor`: one side without a rival, evidence judged again, and the machine itself.

use crate::KFORGE;
use kforge_testkit::{ScaleProject as Project, verdict};
use std::fs;
use std::process::Command;

/// How often a machine that other tests keep busy is asked again.
const ATTEMPTS: usize = 6;

#[test]
fn a_side_alone_has_its_times_with_every_sample_and_a_wrong_one_has_none() {
    let mut project = Project::new(KFORGE);
    project.candidate("wrong", "    for i in range(len(y)):\n        y[i] = 2.0 * x[i] + 0.5");
    project.finish();
    let (answer, code) = project.ask(&["bench", "scale", "--launches", "2", "--cache", "warm"]);
    let data = &answer["data"];
    assert_eq!(
        (data["side"].as_str(), data["correct"].as_bool()),
        (Some("baseline"), Some(true)),
        "{answer:#}"
    );
    // Doubts are about a busy machine here, and are told by the exit code.
    assert_eq!(code, i32::from(!data["doubts"].as_array().unwrap().is_empty()), "{answer:#}");
    let case = &data["cases"][0];
    let raw: Vec<Vec<u64>> = serde_json::from_value(case["raw_ns"].clone()).unwrap();
    // Four blocks in each of two processes.
    assert_eq!(raw.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
    let mut all: Vec<u64> = raw.concat();
    all.sort_unstable();
    let calls = case["calls"].as_f64().unwrap();
    let middle = (all[3] + all[4]) as f64 / 2.0 / calls;
    assert!((case["median_ns"].as_f64().unwrap() / middle - 1.0).abs() < 1e-9, "{case:#}");
    assert!(case["lower_quartile_ns"].as_f64() <= case["median_ns"].as_f64());
    assert_eq!((case["cache"].as_str(), case["bytes_per_s"].is_null()), (Some("warm"), true));
    assert!(!project.path(".kforge").join("journal.jsonl").exists(), "nothing was journalled");

    let (answer, code) = project.ask(&["bench", "scale", "--side", "wrong", "--launches", "1"]);
    let reason = answer["data"]["reason"].as_str().unwrap();
    assert_eq!((code, answer["data"]["cases"].as_array().unwrap().len()), (1, 0), "{answer:#}");
    assert!(reason.contains("600 of 600 elements outside the tolerance"), "{reason}");

    let (answer, code) = project.ask(&["bench", "scale", "--side", "wrnog"]);
    assert_ne!(code, 0);
    assert!(answer["error"]["message"].as_str().unwrap().contains("wrnog"), "{answer}");
}

#[test]
fn evidence_is_judged_again_by_the_present_thresholds_and_nothing_is_measured() {
    let mut project = Project::new(KFORGE);
    let longer = "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]\n    for i in range(len(y)):\n        y[i] = 2.0 * x[i]";
    project.candidate("slow", longer);
    project.finish();
    let mut answer = project.json(&[]).0;
    for _ in 0..ATTEMPTS {
        if verdict(&answer, "slow").0 == "slower" {
            break;
        }
        answer = project.json(&[]).0;
    }
    assert_eq!(verdict(&answer, "slow").0, "slower", "{answer:#}");
    let id = answer["data"]["candidates"][0]["evidence"].as_str().unwrap().to_owned();
    let runs = || fs::read_dir(project.path("kernels/scale/evidence")).unwrap().count();
    let before = runs();
    let (same, code) = project.ask(&["validate", "scale", "--reuse", &id]);
    let one = &same["data"]["judged"][0];
    assert_eq!(
        (one["same"].as_bool(), one["then"]["verdict"].as_str(), code),
        (Some(true), Some("slower"), 1),
        "{same:#}"
    );

    // Twice as long is 0.5 of the speed; slower by this threshold is what is surely below 1 / (1 + 1).
    let file = project.path("kernels/scale/experiment.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("[policy]\n", "[policy]\nmin_effect = 1.0\n")).unwrap();
    let (other, code) = project.ask(&["validate", "scale", "--reuse", &id[..8]]);
    let one = &other["data"]["judged"][0];
    let now = one["now"]["verdict"].as_str().unwrap();
    assert!(matches!(now, "same" | "inconclusive") && code == 1, "{other:#}");
    assert_eq!(one["then"]["verdict"].as_str(), Some("slower"));
    assert_eq!(runs(), before);

    let (answer, code) = project.ask(&["validate", "scale", "--reuse", "0000000000"]);
    assert_ne!(code, 0, "{answer}");
}

#[test]
fn a_machine_is_looked_at_and_a_class_whose_tools_are_missing_does_not_come_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(KFORGE);
    // A folder with git and a shell, and nothing that could build a runner.
    let tools = folder.path().join("tools");
    fs::create_dir(&tools).unwrap();
    for tool in ["git", "sh", "setsid", "mkdir", "cat", "mv", "env", "kill", "grep", "sleep"] {
        let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().unwrap();
        let path = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        std::os::unix::fs::symlink(path, tools.join(tool)).unwrap();
    }
    command.current_dir(folder.path()).env("PATH", &tools).args([
        "doctor",
        "--bringup",
        "cpu",
        "--format",
        "json",
    ]);
    let output = command.output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(output.status.code(), Some(1), "{answer:#}");
    let findings = answer["data"]["findings"].as_array().unwrap();
    let of = |what: &str| findings.iter().find(|finding| finding["what"] == what).unwrap();
    assert!(of("git")["fit"] == true && of("git")["fact"].as_str().unwrap().contains("git version"));
    // Nothing on this machine needs it by itself.
    assert!(of("c++")["fit"].is_null() && of("c++")["cure"].as_str().unwrap().contains("C++"), "{answer:#}");
    let steps = answer["data"]["bringup"]["steps"].as_array().unwrap();
    let works: Vec<bool> = steps.iter().map(|step| step["works"].as_bool().unwrap()).collect();
    assert_eq!(works, [true, false, false, false, false], "{answer:#}");
    assert!(steps[1]["seen"].to_string().contains("c++"), "{:#}", steps[1]);
    let report = fs::read_to_string(folder.path().join("kforge-bringup-cpu.md")).unwrap();
    assert!(report.starts_with("# Bring-up of cpu: does not work\n") && report.contains("FAILS"), "{report}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "only the report is left beside the tools");
}
