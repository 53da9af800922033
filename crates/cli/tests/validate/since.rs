//! `kforge validate OP --base REV`: one side at a commit against the same side in the working tree.

use crate::KFORGE;
use kforge_testkit::{ScaleProject as Project, verdict};
use serde_json::Value;
use std::fs;

/// How often a machine that other tests keep busy is asked again.
const ATTEMPTS: usize = 6;

fn times(times: u32) -> String {
    format!(
        "    for again in range({times}):\n        for i in range(len(y)):\n            y[i] = 2.0 * x[i]"
    )
}

/// A project whose candidate does its work three times at the commit and once in the working tree.
fn edited() -> Project {
    let mut project = Project::new(KFORGE);
    project.candidate("fast", &times(3));
    project.finish();
    let file = project.path("kernels/scale/fast.py");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("range(3)", "range(1)")).unwrap();
    project
}

/// Asks until the machine gave an answer about the code.
fn measured(project: &Project, arguments: &[&str]) -> (Value, i32) {
    let mut answer = project.json(arguments);
    for _ in 0..ATTEMPTS {
        let data = &answer.0["data"]["candidates"][0]["verdict"]["verdict"];
        if !matches!(data.as_str(), Some("void" | "inconclusive")) {
            break;
        }
        answer = project.json(arguments);
    }
    answer
}

#[test]
fn a_dirty_tree_is_faster_than_its_commit_and_the_evidence_names_both_trees_and_no_commit_rests_on_it() {
    let project = edited();
    let (answer, code) = measured(&project, &["--base", "HEAD"]);
    assert_eq!((verdict(&answer, "fast").0.as_str(), code), ("faster", 0), "{answer:#}");
    let head = project.git(&["rev-parse", "HEAD"]);
    let base = &answer["data"]["base"];
    assert_eq!(
        (&base["side"], &base["commit"], &base["unchanged"]),
        (&"fast".into(), &head.as_str().into(), &false.into())
    );
    assert_eq!(base["changed"], serde_json::json!(["kernels/scale/fast.py"]));

    let one = &answer["data"]["candidates"][0];
    let text = fs::read_to_string(project.path(one["evidence_path"].as_str().unwrap())).unwrap();
    let facts = &serde_json::from_str::<Value>(&text).unwrap()["facts"];
    assert_eq!(facts["run"]["base"], head);
    let blob = |side: &str| facts["sides"][side]["subject"]["entries"][0]["blob"].clone();
    assert_eq!(blob("baseline"), project.git(&["rev-parse", "HEAD:kernels/scale/fast.py"]));
    assert_eq!(blob("candidate"), project.git(&["hash-object", "kernels/scale/fast.py"]));

    // It is a win over the commit, which nobody may take for one over the operation's baseline.
    let (refused, code) = project.ask(&["commit", "scale"]);
    assert_eq!((refused["data"]["refused"]["link"].as_str(), code), (Some("other-baseline"), 1), "{refused}");
    let id = one["evidence"].as_str().unwrap();
    let (recorded, code) = project.ask(&["record", id]);
    assert_eq!(code, 2, "{recorded}");
    let (rows, _) = project.ask(&["history"]);
    assert_eq!(rows["data"]["rows"][0]["base"], head);
    let (checked, code) = project.ask(&["verify", id]);
    assert_eq!(code, 0, "the evidence itself holds: {checked}");
    let said = checked["data"]["checked"][0]["answer"].as_str().unwrap();
    assert!(said.contains(&format!("against commit {}", &head[..12])), "{said}");
}

#[test]
fn a_tree_without_changes_is_called_an_a_a_and_is_never_a_yes() {
    let mut project = Project::new(KFORGE);
    project.candidate("fast", &times(1));
    project.finish();
    let (answer, code) = project.json(&["--base", "HEAD"]);
    assert_eq!(answer["data"]["base"]["unchanged"], true);
    assert_eq!(answer["notes"][0]["code"], "validate.unchanged", "{answer:#}");
    assert!(matches!(code, 1 | 4), "{answer:#}");
}

#[test]
fn where_there_is_no_candidate_yet_the_baseline_is_compared_and_several_candidates_have_to_be_told_apart() {
    let mut project = Project::new(KFORGE);
    project.finish();
    fs::write(
        project.path("kernels/scale/baseline.py"),
        fs::read_to_string(project.path("kernels/scale/baseline.py")).unwrap().replace("2.0 *", "2.5 *"),
    )
    .unwrap();
    let (answer, code) = project.json(&["--base", "HEAD"]);
    assert_eq!((answer["data"]["base"]["side"].as_str(), code), (Some("baseline"), 1));
    assert_eq!(
        verdict(&answer, "worktree").0,
        "incorrect",
        "what is wrong in the tree is wrong whatever it is called"
    );

    project.candidate("one", &times(1)).candidate("two", &times(1));
    project.finish();
    let (answer, code) = project.json(&["--base", "HEAD"]);
    assert_eq!(code, 2, "{answer}");
    assert!(answer["error"]["hint"].as_str().unwrap().contains("one, two"), "{answer}");
}

#[test]
fn a_revision_that_is_none_and_a_file_that_the_commit_does_not_have_are_told_by_name() {
    let project = edited();
    let (answer, code) = project.json(&["--base", "nowhere"]);
    assert_eq!((answer["error"]["message"].as_str(), code), (Some("`nowhere` names no commit"), 2));
    let (answer, code) = project.json(&["--base", "-x"]);
    assert_eq!(code, 2, "{answer}");

    // The candidate that nobody has committed yet.
    let text = fs::read_to_string(project.path("kernels/scale/experiment.toml")).unwrap();
    fs::write(project.path("kernels/scale/fresh.py"), "").unwrap();
    let section = "[candidate.fresh]\ntree = \"worktree\"\nrunner = \"python3 kernels/scale/fresh.py\"\nsources = [\"kernels/scale/fresh.py\"]\n\n[candidate.fast]";
    fs::write(project.path("kernels/scale/experiment.toml"), text.replacen("[candidate.fast]", section, 1))
        .unwrap();
    let (answer, code) = project.json(&["--base", "HEAD", "--candidate", "fresh"]);
    assert_eq!(code, 3, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("it has no `kernels/scale/fresh.py`"), "{message}");
}

#[test]
fn a_command_that_changed_is_a_difference_and_the_commit_keeps_the_one_that_it_had() {
    let mut project = Project::new(KFORGE);
    let program = "import os\nimport kforge_runner\n\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n    for again in range(int(os.environ['TIMES'])):\n        for i in range(len(y)):\n            y[i] = 2.0 * x[i]\n\nkforge_runner.main(scale)\n";
    project.side("fast", program, "env = { TIMES = \"3\" }");
    project.finish();
    let path = project.path("kernels/scale/experiment.toml");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("TIMES = \"3\"", "TIMES = \"1\"")).unwrap();
    let (answer, code) = measured(&project, &["--base", "HEAD"]);
    assert_eq!(answer["data"]["base"]["commands_changed"], true);
    assert_eq!(answer["data"]["base"]["unchanged"], false);
    assert_eq!((verdict(&answer, "fast").0.as_str(), code), ("faster", 0), "{answer:#}");
}
