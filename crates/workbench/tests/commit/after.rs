//! What verify says afterwards, and what merges make of the ledger.

use kforge_ledger::Ledger;
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{Silent, commit, record, verify};

use crate::scratch::{FILE, commit, measured, record_all, sample, store, verified};

#[test]
fn verify_holds_after_rebase_cherry_pick_and_squash_and_fails_after_an_edit() {
    let (repo, _) = measured(&sample());
    record_all(&repo);
    repo.git(&["checkout", "--quiet", "-b", "work"]);
    commit(&repo).committed.expect("committed");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("README", b"main moved on\n");
    repo.git(&["add", "README"]);
    repo.git(&["commit", "--quiet", "-m", "readme"]);

    repo.git(&["checkout", "--quiet", "-b", "picked"]);
    repo.git(&["cherry-pick", "work"]);
    assert!(verified(&repo, "HEAD").holds);

    repo.git(&["checkout", "--quiet", "-b", "squashed", "main"]);
    repo.git(&["merge", "--quiet", "--squash", "work"]);
    repo.git(&["commit", "--quiet", "-m", "squashed"]);
    let answer = verified(&repo, "HEAD");
    assert!(answer.holds, "{answer:?}");
    assert_eq!(
        answer.checked.iter().map(|checked| checked.found_by).collect::<Vec<_>>(),
        ["blobs"],
        "no note was copied"
    );
    assert!(verified(&repo, "main..squashed").holds);

    repo.git(&["checkout", "--quiet", "work"]);
    repo.git(&["rebase", "--quiet", "main"]);
    assert!(verified(&repo, "HEAD").holds);

    repo.git(&["checkout", "--quiet", "main"]);
    let elsewhere = verified(&repo, "squashed");
    assert!(elsewhere.holds, "evidence is read from the commit that is not checked out: {elsewhere:?}");

    repo.git(&["checkout", "--quiet", "work"]);
    repo.write(FILE, b"int candidate; /* edited */\n");
    repo.git(&["commit", "--quiet", "-am", "edit"]);
    let answer = verified(&repo, "HEAD");
    assert!(!answer.holds);
    assert_eq!(
        answer.broken.first().map(|link| (link.link, link.file.as_deref())),
        Some(("subject-differs", Some(FILE)))
    );
    assert!(!verified(&repo, "main..work").holds);
    repo.git(&["commit", "--quiet", "--amend", "--reset-author", "-m", "amended edit"]);
    assert!(!verified(&repo, "HEAD").holds);
}

#[test]
fn a_range_gate_passes_other_work_and_reverts_and_refuses_removed_evidence() {
    let (repo, id) = measured(&sample());
    record_all(&repo);
    let start = repo.head();
    commit(&repo).committed.expect("committed");
    let proven = repo.head();
    let gate = |repo: &ScratchRepo, range: String| {
        let request = verify::Request {
            folder: repo.path(),
            target: Some(range),
            require: true,
            ..verify::Request::default()
        };
        verify::run(&request, &Silent).expect("answers")
    };
    repo.write("docs.md", b"words\n");
    repo.git(&["add", "docs.md"]);
    repo.git(&["commit", "--quiet", "-m", "docs"]);
    assert!(gate(&repo, format!("{proven}..HEAD")).holds);
    assert!(gate(&repo, format!("{start}..HEAD")).holds);
    repo.write(FILE, b"int baseline;\n");
    repo.git(&["commit", "--quiet", "-am", "back to the baseline"]);
    let answer = gate(&repo, format!("{proven}..HEAD"));
    assert!(answer.holds, "a revert to the measured baseline needs no new proof: {answer:?}");
    repo.git(&["rm", "--quiet", &format!("kernels/rmsnorm/evidence/{id}.json")]);
    repo.git(&["commit", "--quiet", "-m", "hide"]);
    let answer = gate(&repo, format!("{proven}..HEAD"));
    assert!(answer.broken.iter().any(|link| link.link == "evidence-removed"), "{answer:?}");
}

#[test]
fn a_range_gate_guards_the_baseline_s_own_files_and_lets_a_winner_take_their_place() {
    let base = "kernels/rmsnorm/base.c";
    let mut sample = sample();
    sample.baseline = vec![(base.to_owned(), b"int slow_loop;\n".to_vec())];
    let (repo, _) = measured(&sample);
    record_all(&repo);
    commit(&repo).committed.expect("committed");
    let proven = repo.head();
    let gate = || {
        let request = verify::Request {
            folder: repo.path(),
            target: Some(format!("{proven}..HEAD")),
            require: true,
            ..verify::Request::default()
        };
        verify::run(&request, &Silent).expect("answers")
    };
    repo.write(base, b"int nobody_measured_this;\n");
    repo.git(&["commit", "--quiet", "-am", "edit the baseline"]);
    let answer = gate();
    assert!(answer.broken.iter().any(|link| link.file.as_deref() == Some(base)), "{answer:?}");
    let winner = &sample.files.first().expect("a file").1;
    repo.write(base, winner);
    repo.git(&["commit", "--quiet", "-am", "adopt the winner"]);
    let answer = gate();
    assert!(answer.holds, "what a win measured may take the baseline's place: {answer:?}");
    repo.git(&["rm", "--quiet", FILE]);
    repo.git(&["commit", "--quiet", "-m", "the winner's own file goes"]);
    let answer = gate();
    assert!(answer.notes.iter().any(|note| note.code == "verify.subject-removed"), "{answer:?}");
}

#[test]
fn two_branches_that_recorded_different_candidates_merge_with_one_rebuild() {
    let sample = sample();
    let repo = ScratchRepo::with_files(&sample.baseline);
    let branch = |name: &str, at: &str, percent: u64| {
        repo.git(&["checkout", "--quiet", "-b", name, "main"]);
        let files = vec![(FILE.to_owned(), format!("int {name};\n").into_bytes())];
        let candidate = SampleExperiment {
            candidate: name.to_owned(),
            files: files.clone(),
            started_at: at.to_owned(),
            percent,
            ..sample.clone()
        };
        repo.write(FILE, &files.first().expect("one").1);
        store(&repo, &candidate);
        let words = record::Request {
            folder: repo.path(),
            tag: Some("vec".to_owned()),
            what: Some(format!("the change of {name}")),
            ..record::Request::default()
        };
        record::run(&words, &Silent).expect("records");
        repo.write(
            "kernels/rmsnorm/notes.md",
            &[repo.read("kernels/rmsnorm/notes.md"), format!("\nremark of {name}\n").into_bytes()].concat(),
        );
        repo.git(&["checkout", "--", FILE]);
        repo.git(&["add", "kernels"]);
        repo.git(&["commit", "--quiet", "-m", name]);
    };
    branch("one", "2026-03-01T10:00:00Z", 70);
    branch("two", "2026-03-02T10:00:00Z", 60);
    let merge = repo.try_git(&["merge", "one"]);
    assert!(!merge.status.success(), "the derived files conflict");
    let rebuild = || {
        record::run(
            &record::Request { folder: repo.path(), rebuild: true, ..record::Request::default() },
            &Silent,
        )
        .expect("rebuilds")
    };
    let notes = rebuild().notes;
    assert!(notes.iter().any(|note| note.code == "record.merge-resolved"), "{notes:?}");
    assert_eq!(repo.git(&["ls-files", "--unmerged"]), "", "nothing is in conflict any more");
    let unstaged = repo.git(&["ls-files", "--modified", "--deleted", "--others", "--exclude-standard"]);
    assert_eq!(unstaged, "", "renumbered version files are part of the merge too");
    repo.git(&["commit", "--quiet", "-m", "merged"]);
    let notes = String::from_utf8(repo.read("kernels/rmsnorm/notes.md")).expect("text");
    for words in
        ["## v1 vec", "## v2 vec", "the change of one", "the change of two", "remark of one", "remark of two"]
    {
        assert_eq!(notes.matches(words).count(), 1, "{words} in {notes}");
    }
    assert!(!notes.contains("<<<<<<<") && !notes.contains(">>>>>>>"), "{notes}");
    assert_eq!(repo.read("kernels/rmsnorm/v1_vec.c"), b"int one;\n");
    assert_eq!(repo.read("kernels/rmsnorm/v2_vec.c"), b"int two;\n");
    let index = String::from_utf8(repo.read("kernels/README.md")).expect("text");
    assert!(index.contains("| v1 vec |") && index.contains("| v2 vec |"), "{index}");
    assert!(rebuild().changed.is_empty(), "a second rebuild changes nothing");
}

#[test]
fn a_trailer_or_nothing_binds_where_the_project_says_so() {
    for (binding, found_by) in [("trailer", "trailer"), ("none", "blobs")] {
        let (repo, _) = measured(&sample());
        repo.write("kforge.toml", format!("[commit]\nbinding = \"{binding}\"\n").as_bytes());
        repo.git(&["add", "kforge.toml"]);
        repo.git(&["commit", "--quiet", "-m", "settings"]);
        commit(&repo).committed.expect("committed");
        let answer = verified(&repo, "HEAD");
        assert!(answer.holds, "{answer:?}");
        assert_eq!(answer.checked.iter().map(|checked| checked.found_by).collect::<Vec<_>>(), [found_by]);
        assert!(!repo.try_git(&["notes", "--ref=refs/notes/kforge", "show", "HEAD"]).status.success());
    }
}

#[test]
fn a_project_below_the_repository_s_top_and_a_ledger_elsewhere_work() {
    let sample = sample();
    let inner = |files: &[(String, Vec<u8>)]| {
        files.iter().map(|(path, bytes)| (format!("library/{path}"), bytes.clone())).collect::<Vec<_>>()
    };
    let repo = ScratchRepo::with_files(&inner(&sample.baseline));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let root = elsewhere.path().display();
    repo.write("library/kforge.toml", format!("[ledger]\nroot = \"{root}\"\n").as_bytes());
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "-m", "settings"]);
    for (path, bytes) in inner(&sample.files) {
        repo.write(&path, &bytes);
    }
    let ledger = Ledger::open(elsewhere.path()).expect("opens");
    ledger.put_evidence(&sample.seal().expect("seals")).expect("stores");
    let request = commit::Request {
        folder: repo.path().join("library/kernels"),
        op: "rmsnorm".to_owned(),
        ..commit::Request::default()
    };
    let done = commit::run(&request, &Silent).expect("answers").committed.expect("committed");
    assert_eq!(done.files, [format!("library/{FILE}")]);
    let request = verify::Request { folder: repo.path().join("library"), ..verify::Request::default() };
    let answer = verify::run(&request, &Silent).expect("answers");
    assert!(answer.holds, "{answer:?}");
}

#[test]
fn a_detached_head_and_a_repository_without_commits_can_commit() {
    let (repo, _) = measured(&sample());
    repo.git(&["checkout", "--quiet", "--detach"]);
    let done = commit(&repo).committed.expect("committed");
    assert_eq!((done.reference.as_str(), repo.head()), ("HEAD", done.commit.clone()));

    let (repo, _) = measured(&sample());
    repo.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    repo.git(&["rm", "--quiet", "--force", "-r", "--cached", "."]);
    let done = commit(&repo).committed.expect("committed");
    assert_eq!(done.reference, "refs/heads/fresh");
    assert!(verified(&repo, "HEAD").holds);
}
