//! What evidence of `validate --base` is worth to `record`, `commit` and `verify`: it compares with an earlier commit.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_ledger::Ledger;
use kforge_record::{Digest, Evidence};
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{Silent, commit, record, verify};

const BASE: &str = "kernels/rmsnorm/base.c";
const FAST: &str = "kernels/rmsnorm/fast.c";

fn sample() -> SampleExperiment {
    SampleExperiment {
        baseline: vec![(BASE.to_owned(), b"base".to_vec())],
        files: vec![(FAST.to_owned(), b"fast".to_vec())],
        ..SampleExperiment::new("rmsnorm", "fast")
    }
}

/// Evidence that the candidate won over an earlier commit, and not over the op's baseline.
fn store_against_commit(repo: &ScratchRepo, sample: &SampleExperiment) -> Digest {
    let mut facts = sample.facts().expect("facts");
    let commit = repo.head();
    facts.run.base = Some(commit.clone());
    facts.run = facts.run.identified().expect("an id");
    facts.sides.baseline.subject.tree = format!("git:{commit}");
    facts.sides.baseline.subject.rev = Some(commit);
    let sealed = Evidence::seal(facts, sample.samples().expect("samples")).expect("seals");
    Ledger::open(repo.path()).expect("opens").put_evidence(&sealed).expect("stores")
}

#[test]
fn a_win_over_an_earlier_commit_carries_no_commit_and_hides_no_win_over_the_baseline() {
    let repo = ScratchRepo::with_files(&sample().baseline);
    let start = repo.head();
    repo.write(FAST, b"fast");
    let later = SampleExperiment { started_at: "2026-05-01T10:00:00Z".to_owned(), ..sample() };
    let aside = store_against_commit(&repo, &later);
    let request =
        commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() };
    let answer = commit::run(&request, &Silent).expect("answers");
    assert_eq!(answer.refused.as_ref().map(|link| link.link), Some("other-baseline"), "{answer:?}");
    let named = record::Request {
        folder: repo.path(),
        target: Some(aside.to_string()),
        ..record::Request::default()
    };
    assert!(record::run(&named, &Silent).is_err(), "no version is made of it");

    // The win over the baseline is older, and still what the commit rests on.
    let win = sample().seal().expect("seals");
    Ledger::open(repo.path()).expect("opens").put_evidence(&win).expect("stores");
    let answer = commit::run(&request, &Silent).expect("answers");
    assert!(answer.committed.is_some(), "{answer:?}");
    let range = verify::Request {
        folder: repo.path(),
        target: Some(format!("{start}..HEAD")),
        require: true,
        ..verify::Request::default()
    };
    assert_eq!(verify::run(&range, &Silent).expect("answers").broken, []);
}
