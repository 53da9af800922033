//! Commands that run behind a prefix, with another root and another layout of paths; and what is left when something ends early.

use crate::KFORGE;
use kforge_testkit::{ScaleProject as Project, gone, is_timed, processes_with, verdict};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A prefix that knows the project's scratch folder under another name and puts everything into a session of its own,
/// as a container does.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside"), folder.path().join("inside")).unwrap();
        let script = folder.path().join("enter");
        let text =
            format!("#!/bin/sh\ncd '{}/inside' || exit 98\nexec setsid -w \"$@\"\n", folder.path().display());
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    /// The folder in which runs make theirs, as it is called here.
    pub fn outside(&self) -> std::path::PathBuf {
        self.folder.path().join("outside")
    }

    pub fn arguments(&self) -> Vec<String> {
        let base = self.folder.path().display();
        vec![
            "--in".to_owned(),
            format!("{base}/enter"),
            "--map".to_owned(),
            format!("{base}/outside:{base}/inside"),
        ]
    }

    /// The word that every process inside has in its environment.
    fn mark(&self) -> String {
        format!("{}/inside", self.folder.path().display())
    }
}

const HANGS: &str =
    "import kforge_runner\n\ndef scale(call):\n    while True:\n        pass\n\nkforge_runner.main(scale)\n";

fn strings(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Starts a validate and waits until processes are at work inside.
fn started(project: &Project, place: &Place, arguments: &[&str]) -> Child {
    let mut command = project.command(&[&strings(&place.arguments()), arguments].concat());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..400 {
        if processes_with("hangs.py").len() > 1 && !processes_with(&place.mark()).is_empty() {
            sleep(Duration::from_millis(700));
            return child;
        }
        sleep(Duration::from_millis(50));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let done = std::process::Command::new("kill")
        .arg(format!("-{name}"))
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert!(done.success());
}

#[test]
fn a_candidate_is_validated_behind_a_prefix_and_nothing_stays_inside() {
    let mut project = Project::new(KFORGE);
    project
        .candidate("wrong", "    pass")
        .candidate("twin", "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]");
    project.finish();
    let place = Place::new();
    let (answer, _) = project.json(&strings(&place.arguments()));
    assert_eq!(verdict(&answer, "wrong").0, "incorrect");
    let (word, reason) = verdict(&answer, "twin");
    assert!(is_timed(&word, &reason), "{word} {reason}");
    assert!(answer["data"]["prefix"].as_str().unwrap().ends_with("enter"));
    assert!(gone(&place.mark(), 5), "{:?}", processes_with(&place.mark()));
    let left: Vec<_> = fs::read_dir(place.folder.path().join("outside")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_hang_an_interrupt_and_a_kill_leave_no_process_inside() {
    let mut project = Project::new(KFORGE);
    project.side("hangs", HANGS, "deadline_s = 10");
    project.finish();
    let path = project.path("kernels/scale/experiment.toml");
    let text = fs::read_to_string(&path).unwrap();

    // The deadline.
    let place = Place::new();
    let (answer, _) = project.json(&strings(&place.arguments()));
    assert!(verdict(&answer, "hangs").1.contains("within 10 s"));
    assert!(gone(&place.mark(), 5), "deadline: {:?}", processes_with(&place.mark()));

    // Ctrl-C and a polite end: the scratch folder goes too.
    fs::write(&path, text.replace("deadline_s = 10", "deadline_s = 600")).unwrap();
    for name in ["INT", "TERM"] {
        let place = Place::new();
        let mut child = started(&project, &place, &[]);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        assert!(gone(&place.mark(), 5), "{name}: {:?}", processes_with(&place.mark()));
        assert_eq!(fs::read_dir(place.folder.path().join("outside")).unwrap().count(), 0, "{name}");
    }

    // kill -9 of kforge itself.
    let place = Place::new();
    let mut child = started(&project, &place, &[]);
    signal(&child, "KILL");
    let _ = child.wait();
    assert!(gone(&place.mark(), 10), "kill -9: {:?}", processes_with(&place.mark()));
}

/// True while one of these processes stands still.
fn one_is_stopped(mark: &str) -> bool {
    processes_with(mark).iter().any(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
    })
}

#[test]
fn a_kill_while_processes_stand_still_between_blocks_leaves_none_here_nor_inside() {
    let mut project = Project::new(KFORGE);
    project.candidate("twin", "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]");
    project.finish();
    for inside in [false, true] {
        let place = Place::new();
        let arguments = if inside { place.arguments() } else { Vec::new() };
        let mark = place.mark();
        let mut command = project.command(&strings(&arguments));
        let mut child =
            command.env("VALIDATED", &mark).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut stopped = false;
        while !stopped && child.try_wait().unwrap().is_none() {
            stopped = one_is_stopped(&mark);
            sleep(Duration::from_millis(5));
        }
        assert!(stopped, "nothing was timed, inside: {inside}");
        signal(&child, "KILL");
        let _ = child.wait();
        assert!(gone(&mark, 10), "{:?}", processes_with(&mark));
    }
}

#[test]
fn a_build_that_hangs_dies_with_kforge() {
    let mut project = Project::new(KFORGE);
    project.side("hangs", HANGS, "build = \"echo kernels/scale/hangs.py; sleep 300; true hangs.py\"");
    project.finish();
    let place = Place::new();
    let mut child = started(&project, &place, &[]);
    signal(&child, "KILL");
    let _ = child.wait();
    assert!(gone(&place.mark(), 10), "{:?}", processes_with(&place.mark()));
}

#[test]
fn a_prefix_that_runs_nothing_is_refused_with_a_cure() {
    let mut project = Project::new(KFORGE);
    project.candidate("any", "    pass");
    project.finish();
    let output = project.run(&["--in", "false"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("hint:") && text.contains("prefix"), "{text}");
}
