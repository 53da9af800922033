//! Sides of several files: what was measured is all of them together. And trees and indexes that no gate can go by.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_ledger::Ledger;
use kforge_record::Evidence;
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{Silent, commit, record, verify};

use crate::scratch::{gate, links, proven, sample, save, store};

const CODE: &str = "kernels/rmsnorm/k.c";
const HEAD: &str = "kernels/rmsnorm/k.h";

fn files(code: &str, head: &str) -> Vec<(String, Vec<u8>)> {
    [(CODE, code), (HEAD, head)].map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).to_vec()
}

#[test]
fn a_file_of_a_win_among_files_of_the_baseline_was_never_measured() {
    let before = files("code a\n", "head a\n");
    let win = files("code b\n", "head b\n");
    let sample = SampleExperiment { baseline: before.clone(), files: win.clone(), ..sample() };
    let repo = ScratchRepo::with_files(&before);
    store(&repo, &sample);
    let start = save(&repo, "the evidence");
    repo.write(CODE, b"code b\n");
    save(&repo, "one file of the win");
    assert_eq!(gate(&repo, &format!("{start}..HEAD")).broken.len(), 1);
    repo.write(HEAD, b"head b\n");
    let whole = save(&repo, "the win");
    assert!(gate(&repo, &format!("{start}..HEAD")).holds);
    repo.write(HEAD, b"head a\n");
    save(&repo, "one file of the baseline");
    assert_eq!(gate(&repo, &format!("{whole}..HEAD")).broken.len(), 1);
    repo.write(CODE, b"code a\n");
    save(&repo, "the baseline");
    assert!(gate(&repo, &format!("{whole}..HEAD")).holds);
}

fn commit_answer(repo: &ScratchRepo) -> commit::Response {
    let request =
        commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() };
    commit::run(&request, &Silent).expect("answers")
}

fn at(percent: u64, day: u32) -> SampleExperiment {
    SampleExperiment { percent, started_at: format!("2026-03-{day:02}T10:00:00Z"), ..sample() }
}

#[test]
fn a_win_over_a_commit_confirms_no_win_of_the_same_pair() {
    let repo = ScratchRepo::with_files(&sample().baseline);
    for (path, bytes) in &sample().files {
        repo.write(path, bytes);
    }
    store(&repo, &at(130, 1));
    store(&repo, &at(70, 2));
    let aside = at(70, 3);
    let mut facts = aside.facts().expect("facts");
    facts.run.base = Some(repo.head());
    facts.run = facts.run.identified().expect("an id");
    facts.sides.baseline.subject.tree = format!("git:{}", repo.head());
    facts.sides.baseline.subject.rev = Some(repo.head());
    let sealed = Evidence::seal(facts, aside.samples().expect("samples")).expect("seals");
    Ledger::open(repo.path()).expect("opens").put_evidence(&sealed).expect("stores");
    let refused = commit_answer(&repo).refused.expect("refused");
    assert_eq!(refused.link, "needs-confirmation", "{refused:?}");
    store(&repo, &at(70, 4));
    assert!(commit_answer(&repo).committed.is_some());
}

#[test]
fn a_loss_that_cannot_be_read_is_named_though_a_win_fits() {
    let repo = ScratchRepo::with_files(&sample().baseline);
    for (path, bytes) in &sample().files {
        repo.write(path, bytes);
    }
    let loss = store(&repo, &at(130, 1));
    store(&repo, &at(70, 2));
    repo.write(&format!("kernels/rmsnorm/evidence/{loss}.json"), b"{}\n");
    assert_eq!(commit_answer(&repo).refused.expect("refused").link, "malformed");
}

#[test]
fn an_index_with_conflicts_is_a_broken_link_that_names_the_file() {
    let repo = proven();
    for (branch, text) in [("one", "one\n"), ("two", "two\n")] {
        repo.git(&["checkout", "--quiet", "-b", branch, "main"]);
        repo.write("README", text.as_bytes());
        save(&repo, branch);
    }
    assert!(!repo.try_git(&["merge", "--quiet", "one"]).status.success());
    let request = verify::Request { folder: repo.path(), staged: Some(None), ..verify::Request::default() };
    let answer = verify::run(&request, &Silent).expect("answers");
    assert_eq!(links(&answer), ["staged-conflict"]);
    assert_eq!(answer.broken.first().and_then(|link| link.file.as_deref()), Some("README"));
}

#[test]
fn a_tree_that_calls_a_folder_by_two_dots_is_refused_and_writes_nothing() {
    let repo = proven();
    let start = repo.head();
    let made = |kind: &str, bytes: &[u8]| {
        repo.write(".git/made", bytes);
        let file = repo.path().join(".git/made").display().to_string();
        repo.git(&["hash-object", "-t", kind, "-w", "--literally", &file])
    };
    let entry = |mode: &str, name: &str, id: &str| {
        let digits: Vec<u8> = id.bytes().collect();
        let byte = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).expect("digits");
            u8::from_str_radix(text, 16).expect("a byte")
        };
        let raw = digits.chunks(2).map(byte);
        format!("{mode} {name}\0").bytes().chain(raw).collect::<Vec<u8>>()
    };
    let mut tree = made("tree", &entry("100644", "sneaked", &made("blob", b"mine\n")));
    for name in ["..", "..", "evidence", "rmsnorm", "kernels"] {
        tree = made("tree", &entry("40000", name, &tree));
    }
    let bad = repo.git(&["commit-tree", "-p", &start, "-m", "bad", &tree]);
    let target = Some(format!("{start}..{bad}"));
    let request =
        verify::Request { folder: repo.path(), target, require: true, ..verify::Request::default() };
    let error = verify::run(&request, &Silent).expect_err("refused");
    assert!(error.to_string().contains(".."), "{error}");
}

#[test]
fn a_name_that_git_would_read_otherwise_from_a_line_is_measured_as_it_is() {
    for name in ["\"quoted.c", "return.c\r"] {
        let side = |text: &str| vec![(name.to_owned(), text.as_bytes().to_vec())];
        let sample = SampleExperiment { baseline: side("a\n"), files: side("b\n"), ..sample() };
        let repo = ScratchRepo::with_files(&sample.baseline);
        repo.write(name, b"b\n");
        store(&repo, &sample);
        let answer = commit_answer(&repo);
        assert!(answer.committed.is_some(), "{name:?}: {answer:?}");
    }
}

#[test]
fn evidence_of_one_candidate_is_not_recorded_as_another_s() {
    let repo = proven();
    let id = store(&repo, &at(70, 4));
    let asked = |candidate: &str| record::Request {
        folder: repo.path(),
        target: Some(id.to_string()),
        candidate: Some(candidate.to_owned()),
        ..record::Request::default()
    };
    assert_eq!(record::run(&asked("other"), &Silent).expect_err("refused").code(), "usage");
    assert!(record::run(&asked("vec"), &Silent).is_ok());
}
