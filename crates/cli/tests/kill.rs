//! The real binary, killed with SIGKILL at random moments while it records and commits: the user's tree, git and the
//! ledger are then as they were, or complete.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kforge_ledger::Ledger;
use kforge_testkit::{SampleExperiment, ScratchRepo, command};

const KILLS: u64 = 200;

fn kforge(folder: &Path, arguments: &[&str]) -> Command {
    let mut child = command(env!("CARGO_BIN_EXE_kforge"), folder);
    child.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    child
}

/// Runs to the end or to the kill; gives whether it ended by itself.
fn killed_after(mut child: Command, delay: Duration) -> bool {
    let mut running = child.spawn().expect("starts");
    std::thread::sleep(delay);
    // Killing a process that has ended is no error to this test.
    let _ = running.kill();
    running.wait().expect("waits").code().is_some()
}

#[test]
fn two_hundred_random_kills_leave_everything_as_it_was_or_complete() {
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let sealed = sample.seal().expect("seals");
    let repo = ScratchRepo::with_files(&sample.baseline);
    for (path, bytes) in &sample.files {
        repo.write(path, bytes);
    }
    Ledger::open(repo.path()).expect("opens").put_evidence(&sealed).expect("stores");
    let start = repo.head();
    let measured = repo.state();
    let record = ["record", "rmsnorm"];
    let commit = ["commit", "rmsnorm", "-m", "faster"];
    #[expect(clippy::disallowed_methods, reason = "only to place the kills inside the command's run")]
    let time = |arguments: &[&str]| {
        let clock = Instant::now();
        assert!(kforge(&repo.path(), arguments).status().expect("runs").success(), "{arguments:?}");
        clock.elapsed()
    };
    let record_time = time(&record);
    let recorded = repo.state();
    let commit_time = time(&commit);
    let done = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let (mut interrupted, mut random) = (0, 0x9E37_79B9_7F4A_7C15_u64);
    for round in 0..KILLS {
        // xorshift: the moments need no quality, only spread.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let recording = round % 4 == 0;
        reset(&repo, &start, if recording { &measured } else { &recorded });
        let (arguments, whole) =
            if recording { (&record[..], record_time) } else { (&commit[..], commit_time) };
        let delay = whole.mul_f64(random as f64 / u64::MAX as f64);
        interrupted += u64::from(!killed_after(kforge(&repo.path(), arguments), delay));
        assert!(
            kforge(&repo.path(), &["history"]).status().expect("runs").success(),
            "the next command works"
        );
        let place = format!("round {round}, {arguments:?} killed after {delay:?}");
        assert!(!repo.path().join(".git/index.lock").exists(), "{place}");
        if recording {
            let state = repo.state();
            assert!(state == measured || state == recorded, "{place}");
        } else if repo.head() == start {
            assert!(repo.state() == recorded, "{place}: {}", repo.git(&["status", "--porcelain"]));
        } else {
            assert_eq!(repo.git(&["rev-parse", "HEAD^{tree}"]), done, "{place}");
            assert_eq!(repo.git(&["status", "--porcelain"]), "", "{place}");
        }
    }
    assert!(interrupted > KILLS / 4, "only {interrupted} of {KILLS} kills met a running command");
}

/// Puts branch, index and working tree back, keeping `.kforge` as the last round left it.
fn reset(repo: &ScratchRepo, start: &str, state: &[(String, Vec<u8>)]) {
    repo.git(&["reset", "--quiet", "--hard", start]);
    repo.git(&["clean", "--quiet", "--force", "-d", "-x", "--exclude=.kforge"]);
    for (path, bytes) in state.iter().filter(|(path, _)| !path.starts_with('(')) {
        repo.write(path, bytes);
    }
}
