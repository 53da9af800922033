//! A scratch repository whose HEAD holds a proven win, and the gate asked in it.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_ledger::Ledger;
use kforge_record::Digest;
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{Silent, commit, verify};

pub const FILE: &str = "kernels/rmsnorm/rmsnorm.c";

pub fn sample() -> SampleExperiment {
    SampleExperiment::new("rmsnorm", "vec")
}

pub fn store(repo: &ScratchRepo, sample: &SampleExperiment) -> Digest {
    let ledger = Ledger::open(repo.path()).expect("opens");
    ledger.put_evidence(&sample.seal().expect("seals")).expect("stores")
}

pub fn save(repo: &ScratchRepo, message: &str) -> String {
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    repo.head()
}

pub fn commit(repo: &ScratchRepo) {
    let request =
        commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() };
    let answer = commit::run(&request, &Silent).expect("answers");
    assert!(answer.committed.is_some(), "{answer:?}");
}

pub fn proven() -> ScratchRepo {
    let repo = ScratchRepo::with_files(&sample().baseline);
    for (path, bytes) in &sample().files {
        repo.write(path, bytes);
    }
    store(&repo, &sample());
    commit(&repo);
    repo
}

pub fn gate(repo: &ScratchRepo, range: &str) -> verify::Response {
    asked(repo, range, true)
}

pub fn asked(repo: &ScratchRepo, range: &str, require: bool) -> verify::Response {
    let target = Some(range.to_owned());
    let request = verify::Request { folder: repo.path(), target, require, ..verify::Request::default() };
    verify::run(&request, &Silent).expect("answers")
}

pub fn links(answer: &verify::Response) -> Vec<&str> {
    answer.broken.iter().map(|link| link.link).collect()
}

pub fn codes(answer: &verify::Response) -> Vec<&str> {
    answer.notes.iter().map(|note| note.code.as_str()).collect()
}
