//! Measuring again what was committed: the same answer is `reproduced`, another one is not, whatever the files say.

use crate::KFORGE;
use kforge_testkit::ScaleProject as Project;
use serde_json::Value;

/// How often a machine that other tests keep busy is asked again.
const ATTEMPTS: usize = 6;

fn body(times: &str) -> String {
    format!(
        "    for again in range({times}):\n        for i in range(len(y)):\n            y[i] = 2.0 * x[i]"
    )
}

fn program(head: &str, times: &str) -> String {
    let body = body(times);
    format!(
        "import os\nimport kforge_runner\n{head}\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n{body}\n\nkforge_runner.main(scale)\n"
    )
}

/// Measures again, and once more where only the machine stood in the way of an answer.
fn again(project: &Project) -> (Value, i32) {
    let mut answer = project.ask(&["verify", "HEAD", "--rerun"]);
    for _ in 0..ATTEMPTS {
        let message = answer.0["data"]["broken"][0]["message"].as_str().unwrap_or_default();
        if !(message.contains("is void") || message.contains("is inconclusive")) {
            break;
        }
        answer = project.ask(&["verify", "HEAD", "--rerun"]);
    }
    answer
}

#[test]
fn a_committed_win_is_reproduced_until_what_was_built_no_longer_wins() {
    let outside = tempfile::tempdir().unwrap();
    let weight = outside.path().join("weight");
    let head = format!("TIMES = 9 if os.path.exists({:?}) else 1\n", weight.display().to_string());
    let mut project = Project::new(KFORGE);
    std::fs::write(project.path("kernels/scale/baseline.py"), program("", "3")).unwrap();
    project.side("once", &program(&head, "TIMES"), "");
    project.finish();
    for (name, value) in [("user.name", "t"), ("user.email", "t@example.org")] {
        project.git(&["config", name, value]);
    }
    let committed = (0..ATTEMPTS).any(|_| {
        project.json(&[]);
        project.ask(&["commit", "scale"]).1 == 0
    });
    assert!(committed, "{}", project.ask(&["commit", "scale"]).0);

    let (answer, code) = again(&project);
    assert_eq!((code, answer["data"]["level"].as_str()), (0, Some("reproduced")), "{answer}");
    let checked = &answer["data"]["checked"][0];
    assert_eq!(checked["level"].as_str(), Some("reproduced"));
    // The fresh run is evidence of its own, beside what was committed.
    let note = answer["notes"][0]["message"].as_str().unwrap();
    let (old, new) = note
        .strip_prefix("evidence ")
        .and_then(|rest| rest.split_once(" was measured again: "))
        .unwrap_or_else(|| panic!("{note}"));
    assert!(checked["evidence"].as_str().unwrap().starts_with(old) && old != new);
    let (_, code) = project.ask(&["verify", new]);
    assert_eq!(code, 0);

    // The files are the same, and so is the answer from files; what they make is slower now.
    std::fs::write(&weight, "").unwrap();
    let (answer, code) = again(&project);
    let broken = &answer["data"]["broken"][0];
    assert_eq!((code, broken["link"].as_str()), (1, Some("not-reproduced")), "{answer}");
    assert!(broken["message"].as_str().unwrap().contains("measured again it is slower"), "{answer}");
    assert!(answer["data"]["level"].is_null());
    let (answer, code) = project.ask(&["verify", "HEAD"]);
    assert_eq!((code, answer["data"]["level"].as_str()), (0, Some("consistent, unsigned")), "{answer}");

    // Another file is another pair: it says nothing about the committed one.
    std::fs::remove_file(&weight).unwrap();
    std::fs::write(project.path("kernels/scale/once.py"), program("", "2")).unwrap();
    let (answer, code) = again(&project);
    let link = answer["data"]["broken"][0]["link"].as_str();
    assert_eq!((code, link), (1, Some("subject-differs")), "{answer}");
}
