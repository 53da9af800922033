//! Every effect of storing, recording and committing is made to fail, and the world is stopped before, after and in
//! the middle of it: the user's tree, git and the ledger are then as they were, or complete.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Arc;

use kforge_ledger::{Ledger, Recording};
use kforge_record::{LESSON_SCHEMA, Lesson, Sealed};
use kforge_testkit::{Fault, FaultDisk, SampleExperiment, ScratchRepo};
use kforge_workbench::{ExitClass, Silent, commit, hooks, verify};

const FAULTS: [Fault; 6] = [
    Fault::Error(ErrorKind::StorageFull),
    Fault::Error(ErrorKind::Other),
    Fault::Lasting(ErrorKind::ReadOnlyFilesystem),
    Fault::KillBefore,
    Fault::KillAfter,
    Fault::Torn,
];

fn sample() -> SampleExperiment {
    SampleExperiment::new("rmsnorm", "vec")
}

fn measured(sealed: &Sealed) -> ScratchRepo {
    let sample = sample();
    let repo = ScratchRepo::with_files(&sample.baseline);
    for (path, bytes) in &sample.files {
        repo.write(path, bytes);
    }
    repo.write("kernels/rmsnorm/notes.md", b"# my own words\n");
    Ledger::open(repo.path()).expect("opens").put_evidence(sealed).expect("stores");
    repo
}

fn recording(sealed: &Sealed) -> Recording {
    Recording {
        op: "rmsnorm".to_owned(),
        lesson: Lesson {
            schema: LESSON_SCHEMA.to_owned(),
            evidence: sealed.id,
            tag: "vec".to_owned(),
            layer: None,
            what: Some("wider loads".to_owned()),
            failed: Vec::new(),
            not_tried: Vec::new(),
            source_ext: Some("c".to_owned()),
        },
        patch: Some(b"--- a\n+++ b\n".to_vec()),
        source: Some(b"int candidate;\n".to_vec()),
        signature: None,
    }
}

/// Opening a project is all that recovery needs.
fn reopened(repo: &ScratchRepo) {
    let request =
        hooks::Request { folder: repo.path(), hooks: Vec::new(), remove: true, program: "kforge".into() };
    hooks::run(&request, &Silent).expect("the next command works");
}

#[test]
fn storing_and_recording_are_complete_or_absent_at_every_effect() {
    let sealed = sample().seal().expect("seals");
    let whole = {
        let repo = measured(&sealed);
        let disk = Arc::new(FaultDisk::counting());
        let ledger = Ledger::open_with(repo.path(), disk.clone()).expect("opens");
        ledger.record(&recording(&sealed)).expect("records");
        (repo.state(), disk.seen())
    };
    let (complete, effects) = whole;
    assert!(effects.len() > 20, "{effects:?}");
    for (at, effect) in effects.iter().enumerate() {
        for fault in FAULTS {
            let repo = measured(&sealed);
            let before = repo.state();
            let disk = Arc::new(FaultDisk::failing(at, fault));
            let answer =
                Ledger::open_with(repo.path(), disk).and_then(|ledger| ledger.record(&recording(&sealed)));
            reopened(&repo);
            let after = repo.state();
            assert!(after == before || after == complete, "{fault:?} at {at} {effect:?}: {answer:?}");
            if answer.is_ok() {
                assert!(after == complete, "{fault:?} at {at} {effect:?} was swallowed");
            }
            // And the command repeated does the whole.
            Ledger::open(repo.path()).expect("opens").record(&recording(&sealed)).expect("records");
            assert!(repo.state() == complete, "{fault:?} at {at} {effect:?}: the repeated command");
        }
    }
}

#[test]
fn evidence_is_there_whole_or_not_at_all_at_every_effect() {
    let timed = (0..12).map(|case| format!("case-{case}")).collect();
    let sealed = SampleExperiment { timed, launches: 24, blocks: 64, ..sample() }.seal().expect("seals");
    assert!(sealed.samples.is_some(), "samples in a file of their own");
    let place = tempfile::tempdir().expect("a folder");
    let counting = Arc::new(FaultDisk::counting());
    Ledger::open_with(place.path(), counting.clone())
        .and_then(|ledger| ledger.put_evidence(&sealed))
        .expect("stores");
    for (at, effect) in counting.seen().iter().enumerate() {
        for fault in FAULTS {
            let place = tempfile::tempdir().expect("a folder");
            let disk = Arc::new(FaultDisk::failing(at, fault));
            let answer =
                Ledger::open_with(place.path(), disk).and_then(|ledger| ledger.put_evidence(&sealed));
            let ledger = Ledger::open(place.path()).expect("opens");
            let ids = ledger.evidence_ids("rmsnorm").expect("lists");
            match ids.as_slice() {
                [] => assert!(answer.is_err(), "{fault:?} at {at} {effect:?} was swallowed"),
                [id] => {
                    let bytes = ledger.bytes("rmsnorm", id).expect("reads");
                    assert_eq!(bytes, sealed.bytes, "{fault:?} at {at} {effect:?}");
                }
                more => assert!(more.len() <= 1, "{fault:?} at {at} {effect:?}: {more:?}"),
            }
            assert_eq!(ledger.put_evidence(&sealed).expect("stores"), sealed.id);
        }
    }
}

#[test]
fn a_commit_happens_whole_or_not_at_all_at_every_effect() {
    let sealed = sample().seal().expect("seals");
    let request = |repo: &ScratchRepo| commit::Request {
        folder: repo.path(),
        op: "rmsnorm".to_owned(),
        message: Some("faster".to_owned()),
        ..commit::Request::default()
    };
    let counting = Arc::new(FaultDisk::counting());
    let files = {
        let repo = measured(&sealed);
        let done = commit::run_on(&request(&repo), &Silent, counting.clone())
            .expect("answers")
            .committed
            .expect("commits");
        done.files.into_iter().collect::<BTreeSet<_>>()
    };
    let effects = counting.seen();
    assert!(effects.len() > 15, "{effects:?}");
    for (at, effect) in effects.iter().enumerate() {
        for fault in FAULTS {
            let repo = measured(&sealed);
            repo.write("staged-before.txt", b"staged\n");
            let (before, head) = (repo.state(), repo.head());
            let answer = commit::run_on(&request(&repo), &Silent, Arc::new(FaultDisk::failing(at, fault)));
            reopened(&repo);
            let place = format!("{fault:?} at {at} {effect:?}: {answer:?}");
            let no_room = matches!(
                fault,
                Fault::Error(ErrorKind::StorageFull) | Fault::Lasting(ErrorKind::ReadOnlyFilesystem)
            );
            if let (true, Err(error)) = (no_room, &answer) {
                assert_eq!(error.class(), ExitClass::Environment, "{place}");
            }
            if repo.head() == head {
                assert!(answer.is_err(), "said yes and did nothing: {place}");
                assert!(repo.state() == before, "{place}");
            } else {
                let changed: BTreeSet<String> =
                    repo.git(&["diff", "--name-only", &head, "HEAD"]).lines().map(str::to_owned).collect();
                assert_eq!(changed, files, "{place}");
                assert_eq!(repo.git(&["rev-parse", "HEAD^"]), head, "{place}");
                assert_eq!(repo.git(&["status", "--porcelain"]), "?? staged-before.txt", "{place}");
                let verified = verify::Request { folder: repo.path(), ..verify::Request::default() };
                assert!(verify::run(&verified, &Silent).expect("answers").holds, "{place}");
            }
            assert!(!repo.path().join(".git/index.lock").exists(), "{place}");
            assert!(!repo.path().join(".git/index.kforge").exists(), "{place}");
        }
    }
}
