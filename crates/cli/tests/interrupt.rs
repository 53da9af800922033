//! The first Ctrl-C or SIGTERM ends kforge, also where it waits for somebody else.

#![expect(clippy::unwrap_used, reason = "tests")]

use kforge_testkit::{gone, processes_with};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn kforge(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kforge"));
    command.current_dir(folder).args(arguments).stderr(Stdio::null());
    command
}

/// Sends the signal and gives the exit code; none where it does not end within five seconds.
#[expect(clippy::disallowed_methods, reason = "the test bounds its own waiting")]
fn ended_by(child: &mut Child, signal: &str) -> Option<i32> {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

#[test]
fn a_pipe_that_nobody_writes_to_does_not_hold_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("f");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for signal in ["TERM", "INT"] {
        // Blocked in open: there is no writer.
        let mut child = kforge(folder.path(), &["trace", "f"]).stdout(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(400));
        assert_eq!(ended_by(&mut child, signal), Some(130), "{signal}, open");
        // Blocked in read: the writer is there and says nothing.
        let mut writer =
            Command::new("sh").args(["-c", "exec sleep 60 > f"]).current_dir(folder.path()).spawn().unwrap();
        let mut child = kforge(folder.path(), &["trace", "f"]).stdout(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(400));
        assert_eq!(ended_by(&mut child, signal), Some(130), "{signal}, read");
        writer.kill().unwrap();
        writer.wait().unwrap();
    }
}

#[test]
fn a_reader_that_does_not_read_does_not_hold_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("many.json");
    let kernel = |number: u32| {
        format!(
            "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a_kernel_with_a_long_name_{number:06}\",\"pid\":0,\"tid\":7,\"ts\":{number},\"dur\":0.5,\"args\":{{\"device\":0,\"stream\":7}}}}"
        )
    };
    let events: Vec<String> = (0..3000).map(kernel).collect();
    std::fs::write(&capture, format!("{{\"traceEvents\":[{}]}}", events.join(","))).unwrap();
    // The answer is larger than a pipe holds, and nobody takes it.
    let mut child = kforge(folder.path(), &["trace", "many.json", "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_secs(3));
    assert!(child.try_wait().unwrap().is_none(), "the answer fits the pipe");
    assert_eq!(ended_by(&mut child, "TERM"), Some(130));
}

#[test]
fn a_tour_passes_the_wish_to_stop_on_to_the_step_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("KFORGE_TEST_TOUR={}", std::process::id());
    let (name, value) = mark.split_once('=').unwrap();
    let mut child =
        kforge(folder.path(), &["tour", "t"]).env(name, value).stdout(Stdio::null()).spawn().unwrap();
    let journal = folder.path().join("t/.kforge");
    for _ in 0..400 {
        // The first validate is at work once the ledger is there.
        if journal.exists() {
            break;
        }
        sleep(Duration::from_millis(25));
    }
    assert!(!processes_with(&mark).is_empty(), "the tour and its step have the mark");
    assert_eq!(ended_by(&mut child, "TERM"), Some(130));
    assert!(gone(&mark, 5), "{:?}", processes_with(&mark));
}
