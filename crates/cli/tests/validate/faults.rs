//! What goes wrong on a candidate's side is an answer about it; what goes wrong elsewhere is an error with a cure.

use crate::KFORGE;
use kforge_testkit::{ScaleProject as Project, verdict};
use std::fs;

#[test]
fn each_fault_and_each_cheat_is_an_answer_about_its_candidate() {
    let mut project = Project::new(KFORGE);
    let right = "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]";
    project
        .side("garbage", "print('hello, I am no runner')\nimport time\ntime.sleep(5)\n", "")
        .side("broken-build", "", "build = \"echo compiling; echo 'error: line 7' >&2; exit 2\"")
        .side("no-artifact", "", "build = \"true\"\nartifacts = [\"build/out\"]")
        .side("import-error", "import kforge_runner\nimport no_such_module\n", "")
        .candidate("raises", "    raise ValueError('no such shape')")
        .candidate("exits", "    import os\n    os._exit(3)")
        .candidate("segfaults", "    import ctypes\n    ctypes.string_at(0)")
        .candidate("unwritten", "    pass")
        .candidate("half", "    for i in range(len(y) // 2):\n        y[i] = 2.0 * x[i]")
        .candidate("wrong", "    for i in range(len(y)):\n        y[i] = 2.0 * x[i] + 0.001")
        .candidate("nan", &format!("{right}\n    y[0] = float('nan')"))
        .candidate("all-nan", "    for i in range(len(y)):\n        y[i] = float('nan')")
        .candidate("constant", "    for i in range(len(y)):\n        y[i] = 0.25")
        .candidate("speaks", "    raise ValueError('boom \\x1b[31m\\nsecond')")
        .candidate("exits-as-a-shell-would", "    import os\n    os._exit(127)")
        .candidate("memo", "    import array\n    memo = globals().setdefault('memo', {})\n    key = id(y), len(y)\n    if key not in memo:\n        memo[key] = array.array('f', [2.0 * v for v in x])\n    y[:] = memo[key]")
        .candidate("mutates", &format!("{right}\n    raw = next(t for t in kforge_runner_slots(call) if t.name == 'x').content()\n    raw[0] = raw[0] ^ 1\n\ndef kforge_runner_slots(call):\n    return call._inputs.values()"));
    project.finish();
    let (answer, code) = project.json(&[]);
    assert_eq!(code, 1, "{answer:#}");
    for (candidate, word, text) in [
        ("garbage", "incorrect", "no answer to hello"),
        ("broken-build", "incorrect", "error: line 7"),
        ("no-artifact", "incorrect", "left no `build/out`"),
        ("import-error", "incorrect", "no_such_module"),
        ("raises", "incorrect", "ValueError: no such shape"),
        ("exits", "incorrect", "status 3"),
        ("segfaults", "incorrect", "SIGSEGV"),
        ("unwritten", "incorrect", "was not written"),
        ("half", "incorrect", "was not written"),
        ("wrong", "incorrect", "outside the tolerance"),
        ("nan", "incorrect", "output y is NaN in 1 of"),
        ("all-nan", "incorrect", "is NaN in"),
        ("constant", "incorrect", "output y is 0.25 in every one of"),
        ("speaks", "incorrect", "ValueError: boom \\u{1b}[31m (1 more line)"),
        ("exits-as-a-shell-would", "incorrect", "status 127"),
        ("memo", "incorrect", "cached"),
        ("mutates", "incorrect", "input x was changed"),
    ] {
        let (got, reason) = verdict(&answer, candidate);
        assert_eq!(got, word, "{candidate}: {reason}");
        assert!(reason.contains(text), "{candidate}: {reason}");
        assert!(!reason.contains(char::is_control), "{candidate}: {reason}");
        assert_eq!(reason.contains("cached"), candidate == "memo", "{candidate}: {reason}");
    }
}

#[test]
fn a_hang_ends_at_its_deadline_and_leaves_no_process() {
    let mut project = Project::new(KFORGE);
    project.side(
        "hangs",
        "import kforge_runner\n\ndef scale(call):\n    while True:\n        pass\n\nkforge_runner.main(scale)\n",
        "deadline_s = 8\nenv = { MARK = \"hangs-at-its-deadline\" }",
    );
    project.finish();
    let (answer, code) = project.json(&[]);
    assert_eq!(code, 1);
    let (word, reason) = verdict(&answer, "hangs");
    assert_eq!(word, "incorrect", "{reason}");
    assert!(reason.contains("within 8 s (deadline_s)") && !reason.contains("Killed"), "{reason}");
    assert!(kforge_testkit::gone("hangs-at-its-deadline", 5));
}

#[test]
fn a_copy_of_the_harness_in_the_tree_is_refused_by_name() {
    let mut project = Project::new(KFORGE);
    project.candidate("shadow", "    pass");
    fs::write(
        project.path("kernels/scale/kforge_runner.py"),
        include_str!("../../../../runners/kforge_runner.py"),
    )
    .unwrap();
    project.finish();
    let output = project.run(&[]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("another harness") && text.contains("remove copies"), "{text}");
}

#[test]
fn a_missing_baseline_runner_is_the_environment_and_a_wrong_baseline_the_input() {
    let mut project = Project::new(KFORGE);
    project.candidate("any", "    pass");
    project.finish();
    let path = project.path("kernels/scale/experiment.toml");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, good.replace("python3 kernels/scale/baseline.py", "no-such-interpreter x")).unwrap();
    let output = project.run(&[]);
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));

    fs::write(&path, good).unwrap();
    let baseline = project.path("kernels/scale/baseline.py");
    let text = fs::read_to_string(&baseline).unwrap().replace("2.0 *", "3.0 *");
    fs::write(baseline, text).unwrap();
    let (answer, code) = project.json(&[]);
    let (word, reason) = verdict(&answer, "any");
    assert_eq!((word.as_str(), code), ("void", 3), "{reason}");
    assert!(reason.contains("the baseline is wrong"), "{reason}");
}

#[test]
fn what_cannot_be_run_here_is_the_environment_and_no_loss_of_the_pair() {
    let mut project = Project::new(KFORGE);
    project
        .side("no-program", "", "runner = \"no-such-program kernels/scale/no-program.py\"")
        .side("not-executable", "", "runner = \"./kernels/scale/not-executable.py\"")
        .side("no-compiler", "", "build = \"cd kernels && no-such-compiler -o x\"");
    project.finish();
    let (answer, code) = project.json(&[]);
    assert_eq!(code, 4, "{answer:#}");
    for (candidate, program) in [
        ("no-program", "`no-such-program` cannot be run"),
        ("not-executable", "`./kernels/scale/not-executable.py` cannot be run"),
        ("no-compiler", "`no-such-compiler`"),
    ] {
        let (word, reason) = verdict(&answer, candidate);
        assert_eq!(word, "void", "{candidate}: {reason}");
        assert!(reason.starts_with("environment:") && reason.contains(program), "{candidate}: {reason}");
    }
    // The same files again: nothing ran before, so there is no earlier run.
    let (answer, _) = project.json(&["--candidate", "no-program"]);
    assert_eq!(answer["data"]["candidates"][0]["earlier"]["runs"], 0, "{answer:#}");
}

#[test]
fn a_baseline_that_is_late_is_told_its_deadline_and_where_it_is_set() {
    let mut project = Project::new(KFORGE);
    project.candidate("any", "    pass");
    project.finish();
    let path = project.path("kernels/scale/experiment.toml");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, good.replacen("[baseline]\n", "[baseline]\ndeadline_s = 2\n", 1)).unwrap();
    let baseline = project.path("kernels/scale/baseline.py");
    let text = fs::read_to_string(&baseline).unwrap().replace("def scale", "import time\n\ndef scale");
    fs::write(baseline, text.replace("    x, y", "    time.sleep(60)\n    x, y")).unwrap();
    let output = project.run(&[]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("within 2 s (deadline_s)") && !text.contains("Killed"), "{text}");
    assert!(text.contains("hint: raise `deadline_s` of `baseline`"), "{text}");
}

#[test]
fn the_users_tree_is_left_as_it_was_but_for_the_ledger() {
    let mut project = Project::new(KFORGE);
    project.candidate("wrong", "    pass");
    project.finish();
    let _ = project.json(&[]);
    let status = std::process::Command::new("git")
        .arg("-C")
        .arg(project.folder.path())
        .args(["status", "--porcelain", "-uall"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    for line in text.lines() {
        assert!(line.contains("kernels/scale/evidence/") || line.contains(".kforge/"), "{text}");
    }
}
