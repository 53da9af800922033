//! A scratch repository with a measured candidate, and the verbs asked in it.

use kforge_ledger::Ledger;
use kforge_record::Digest;
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{BrokenLink, Silent, commit, record, verify};

pub const FILE: &str = "kernels/rmsnorm/rmsnorm.c";

pub fn sample() -> SampleExperiment {
    SampleExperiment::new("rmsnorm", "vec")
}

/// A repository at the baseline, with the candidate's file in the working tree and its evidence in the ledger.
pub fn measured(sample: &SampleExperiment) -> (ScratchRepo, Digest) {
    let repo = ScratchRepo::with_files(&sample.baseline);
    for (path, bytes) in &sample.files {
        repo.write(path, bytes);
    }
    let id = store(&repo, sample);
    (repo, id)
}

pub fn store(repo: &ScratchRepo, sample: &SampleExperiment) -> Digest {
    let ledger = Ledger::open(repo.path()).expect("opens");
    ledger.put_evidence(&sample.seal().expect("seals")).expect("stores")
}

pub fn request(repo: &ScratchRepo) -> commit::Request {
    commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() }
}

pub fn commit(repo: &ScratchRepo) -> commit::Response {
    commit::run(&request(repo), &Silent).expect("answers")
}

pub fn refused(response: commit::Response) -> BrokenLink {
    assert!(response.committed.is_none(), "{response:?}");
    response.refused.expect("a link")
}

pub fn record_all(repo: &ScratchRepo) -> record::Response {
    record::run(&record::Request { folder: repo.path(), ..record::Request::default() }, &Silent)
        .expect("records")
}

pub fn verified(repo: &ScratchRepo, target: &str) -> verify::Response {
    let request = verify::Request {
        folder: repo.path(),
        target: Some(target.to_owned()),
        ..verify::Request::default()
    };
    verify::run(&request, &Silent).expect("answers")
}
