//! Processes, folders and files that a side leaves: named, removed, and never anybody else's.

use crate::KFORGE;
use crate::places::Place;
use kforge_testkit::{ScaleProject as Project, gone, is_timed, processes_with, verdict};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const RIGHT: &str = "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]";

/// The body of a candidate that starts `sleep TEXT` once, out of its group and orphaned, with this environment.
fn leaves(seconds: &str, environment: &str) -> String {
    format!(
        "    import os\n    if 'left' not in globals():\n        globals()['left'] = True\n        if os.fork() == 0:\n            os.setsid()\n            if os.fork() == 0:\n                os.execve('/bin/sleep', ['sleep', '{seconds}'], {environment})\n            os._exit(0)\n{RIGHT}"
    )
}

fn notes(answer: &Value, code: &str) -> Vec<String> {
    let all = answer["notes"].as_array().unwrap().iter();
    all.filter(|note| note["code"] == code).map(|note| note["message"].as_str().unwrap().to_owned()).collect()
}

fn is_left(answer: &Value, candidate: &str) -> String {
    let (word, reason) = verdict(answer, candidate);
    assert!(word == "void" && reason.starts_with("left_process:"), "{candidate}: {word} {reason}");
    reason
}

#[test]
fn a_child_with_a_session_of_its_own_is_named_voids_the_timing_and_is_gone() {
    let mut project = Project::new(KFORGE);
    project.candidate("marked", &leaves("3331", "os.environ")).candidate("hidden", &leaves("3332", "{}"));
    project.finish();
    let (answer, code) = project.json(&[]);
    for (candidate, text) in [
        ("marked", "`sleep 3331`) behind, alive"),
        ("hidden", "`sleep 3332`) behind, which has removed its mark"),
    ] {
        let reason = is_left(&answer, candidate);
        assert!(reason.contains(&format!(": {candidate} ")) && reason.contains(text), "{reason}");
    }
    let told = notes(&answer, "validate.left-process");
    assert!(told.iter().any(|note| note.starts_with("marked left process")), "{told:?}");
    assert_eq!(code, 1, "{answer:#}");
    assert!(gone("sleep\x003331", 2) && gone("sleep\x003332", 2));
}

#[test]
fn a_child_that_works_only_while_others_are_timed_voids_and_one_that_idles_does_not() {
    let mut project = Project::new(KFORGE);
    let child = |work: &str| {
        format!(
            "    import os, time\n    if 'child' not in globals():\n        globals()['child'] = True\n        runner = os.getpid()\n        if os.fork() == 0:\n            os.setsid()\n            while os.getppid() == runner:\n                {work}\n            os._exit(0)\n{RIGHT}"
        )
    };
    project.candidate("burns", &child("pass")).candidate("idles", &child("time.sleep(0.01)"));
    project.finish();
    let (answer, _) = project.json(&[]);
    let reason = is_left(&answer, "burns");
    assert!(reason.contains("at work outside of its process group"), "{reason}");
    let (word, reason) = verdict(&answer, "idles");
    assert!(is_timed(&word, &reason), "{word} {reason}");
}

#[test]
fn what_a_build_leaves_is_named_and_gone_before_anything_is_timed() {
    let mut project = Project::new(KFORGE);
    let program = format!(
        "import kforge_runner\n\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n{RIGHT}\n\nkforge_runner.main(scale)\n"
    );
    project.side("daemon", &program, "build = \"setsid sleep 3335 >/dev/null 2>&1 & sleep 0.2\"");
    project.finish();
    let (answer, _) = project.json(&[]);
    let (word, reason) = verdict(&answer, "daemon");
    assert!(is_timed(&word, &reason), "{word} {reason}");
    let told = notes(&answer, "validate.left-process");
    assert!(
        told.len() == 1 && told[0].starts_with("daemon left process") && told[0].contains("sleep 3335"),
        "{told:?}"
    );
    assert!(gone("sleep\x003335", 2));
}

#[test]
fn behind_a_prefix_what_was_left_is_named_and_gone_too() {
    let mut project = Project::new(KFORGE);
    project.candidate("leaves", &leaves("3336", "os.environ"));
    project.finish();
    let place = Place::new();
    let arguments = place.arguments();
    let (answer, _) = project.json(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(is_left(&answer, "leaves").contains("`sleep 3336`"));
    assert!(gone("sleep\x003336", 2));
}

/// Starts a validate whose candidate hangs after it has left a process, and waits until that process is there.
fn hanging(project: &Project, seconds: &str, arguments: &[&str], scratch: &std::path::Path) -> Child {
    let mut command = project.command(arguments);
    let child = command.env("TMPDIR", scratch).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..400 {
        if !processes_with(&format!("sleep\x00{seconds}")).is_empty() {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    child
}

#[test]
fn an_interrupt_and_a_kill_end_what_was_left_and_the_next_run_removes_the_killed_ones_folder() {
    let mut project = Project::new(KFORGE);
    let hangs = leaves("3337", "os.environ").replace(RIGHT, "    while True:\n        pass");
    project.candidate("hangs", &hangs);
    project.finish();
    let place = Place::new();
    let behind = place.arguments();
    let behind: Vec<&str> = behind.iter().map(String::as_str).collect();
    for (name, arguments) in [("INT", &[][..]), ("KILL", &[]), ("KILL", &behind)] {
        let scratch = tempfile::tempdir().unwrap();
        let mut child = hanging(&project, "3337", arguments, scratch.path());
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
        let _ = child.wait();
        assert!(gone("sleep\x003337", 10), "{name} {arguments:?}");
        let folder = if arguments.is_empty() { scratch.path().to_owned() } else { place.outside() };
        let folders = || fs::read_dir(&folder).unwrap().count();
        assert_eq!(folders(), usize::from(name == "KILL"), "{name}");
        if name == "KILL" {
            // Any later run of the same user, of whatever project.
            let mut other = Project::new(KFORGE);
            other.candidate("wrong", "    pass");
            other.finish();
            let done = other.command(arguments).env("TMPDIR", scratch.path()).output().unwrap();
            assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
            assert_eq!(folders(), 0);
        }
    }
}

#[test]
fn a_process_that_kforge_did_not_start_is_never_signalled() {
    let mut project = Project::new(KFORGE);
    project.candidate("leaves", &leaves("3338", "{}"));
    project.finish();
    // Background jobs of the shell that becomes kforge are kforge's children then, one of them an orphan with a session of its own.
    let script = format!(
        "(setsid sleep 3339 >/dev/null 2>&1 &)\nsetsid sleep 3340 >/dev/null 2>&1 &\nsleep 0.2\nexec '{KFORGE}' validate scale"
    );
    let done = Command::new("sh").args(["-c", &script]).current_dir(project.folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(!text.contains("sleep 3339") && !text.contains("sleep 3340"), "{text}");
    let mut ended = Vec::new();
    for seconds in ["3338", "3339", "3340"] {
        for pid in processes_with(&format!("sleep\x00{seconds}")) {
            ended.push(seconds);
            assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
        }
    }
    // The hidden one could be theirs, so it is left alone as well: that much is documented.
    assert!(ended.contains(&"3339") && ended.contains(&"3340"), "{ended:?}");
}

#[test]
fn sources_that_a_build_or_a_runner_changes_are_told_at_once() {
    let mut project = Project::new(KFORGE);
    let program = |body: &str| {
        format!(
            "import kforge_runner\n\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n{body}\n{RIGHT}\n\nkforge_runner.main(scale)\n"
        )
    };
    let root = project.folder.path().canonicalize().unwrap();
    let counted = |count: u32, action: &str| {
        format!(
            "    import os\n    calls = globals()['calls'] = globals().get('calls', 0) + 1\n    if calls == {count}:\n        {action}"
        )
    };
    let append = "open(__file__, 'a').write('# later\\n')";
    project
        .side("built", &program(""), "build = \"echo '# built' >> kernels/scale/built.py\"")
        .side("early", &program(&counted(1, append)), "")
        .side("late", &program(&counted(60, append)), "")
        .side(
            "outside",
            &program(&counted(1, &format!("open('{}/PWN', 'w').write('x')", root.display()))),
            "",
        );
    project.finish();
    let (answer, _) = project.json(&[]);
    let (word, reason) = verdict(&answer, "built");
    assert!(is_timed(&word, &reason), "{word} {reason}");
    let told = notes(&answer, "validate.source-changed");
    assert!(
        told.len() == 1 && told[0].contains("built: its build changed `kernels/scale/built.py`"),
        "{told:?}"
    );
    for (candidate, text) in
        [("early", "was changed while its runner was warmed"), ("late", "changed after it was sealed")]
    {
        let (word, reason) = verdict(&answer, candidate);
        assert!(word == "void" && reason.starts_with("rebuilt:") && reason.contains(text), "{word} {reason}");
    }
    let told = notes(&answer, "validate.tree-changed");
    assert!(told.len() == 1 && told[0].starts_with("PWN changed in the project"), "{told:?}");
}
