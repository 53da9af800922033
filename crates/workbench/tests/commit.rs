//! What may be committed, which link is named when not, and what verify says afterwards.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_ledger::Ledger;
use kforge_record::{Digest, JOURNAL_SCHEMA, JournalEntry, JournalEvent};
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{BrokenLink, Silent, commit, record, verify};

const FILE: &str = "kernels/rmsnorm/rmsnorm.c";

fn sample() -> SampleExperiment {
    SampleExperiment::new("rmsnorm", "vec")
}

/// A repository at the baseline, with the candidate's file in the working tree and its evidence in the ledger.
fn measured(sample: &SampleExperiment) -> (ScratchRepo, Digest) {
    let repo = ScratchRepo::with_files(&sample.baseline);
    for (path, bytes) in &sample.files {
        repo.write(path, bytes);
    }
    let id = store(&repo, sample);
    (repo, id)
}

fn store(repo: &ScratchRepo, sample: &SampleExperiment) -> Digest {
    let ledger = Ledger::open(repo.path()).expect("opens");
    ledger.put_evidence(&sample.seal().expect("seals")).expect("stores")
}

fn request(repo: &ScratchRepo) -> commit::Request {
    commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() }
}

fn commit(repo: &ScratchRepo) -> commit::Response {
    commit::run(&request(repo), &Silent).expect("answers")
}

fn refused(response: commit::Response) -> BrokenLink {
    assert!(response.committed.is_none(), "{response:?}");
    response.refused.expect("a link")
}

fn record_all(repo: &ScratchRepo) -> record::Response {
    record::run(&record::Request { folder: repo.path(), ..record::Request::default() }, &Silent)
        .expect("records")
}

fn verified(repo: &ScratchRepo, target: &str) -> verify::Response {
    let request = verify::Request {
        folder: repo.path(),
        target: Some(target.to_owned()),
        ..verify::Request::default()
    };
    verify::run(&request, &Silent).expect("answers")
}

#[test]
fn a_proven_recorded_win_is_committed_with_its_evidence_and_nothing_else() {
    let (repo, id) = measured(&sample());
    repo.write("unrelated.txt", b"mine\n");
    let recorded = record_all(&repo);
    assert_eq!(recorded.recorded.len(), 1);
    let before = repo.head();
    let done = commit(&repo).committed.expect("committed");
    assert_eq!(repo.head(), done.commit);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), before);
    assert!(done.files.contains(&FILE.to_owned()), "{:?}", done.files);
    assert!(done.files.contains(&format!("kernels/rmsnorm/evidence/{id}.json")));
    assert!(done.files.contains(&"kernels/rmsnorm/v1_vec.patch".to_owned()), "{:?}", done.files);
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? unrelated.txt");
    let answer = verified(&repo, "HEAD");
    assert!(answer.holds, "{answer:?}");
    assert_eq!(answer.level.as_deref(), Some("consistent, unsigned"));
    assert_eq!(answer.checked.iter().map(|checked| checked.found_by).collect::<Vec<_>>(), ["note"]);
    let patch = String::from_utf8(repo.read("kernels/rmsnorm/v1_vec.patch")).expect("text");
    assert!(patch.contains("-int baseline;\n+int candidate;\n"), "{patch}");
    assert_eq!(refused(commit(&repo)).link, "nothing-to-commit");
}

#[test]
fn the_first_broken_link_is_named() {
    let repo = ScratchRepo::with_files(&sample().baseline);
    assert_eq!(refused(commit(&repo)).link, "no-evidence");

    let (repo, _) = measured(&sample());
    repo.write(FILE, b"int edited;\n");
    let link = refused(commit(&repo));
    assert_eq!((link.link, link.file.as_deref()), ("subject-differs", Some(FILE)));

    let (repo, id) = measured(&sample());
    let path = format!("kernels/rmsnorm/evidence/{id}.json");
    let edited = String::from_utf8(repo.read(&path)).expect("text").replace("\"decode\"", "\"decoded\"");
    repo.write(&path, edited.as_bytes());
    assert_eq!(refused(commit(&repo)).link, "malformed");

    for (percent, wrong) in [(130, false), (100, false), (70, true)] {
        let (repo, _) = measured(&SampleExperiment { percent, wrong, ..sample() });
        assert_eq!(refused(commit(&repo)).link, "not-faster");
    }

    let (repo, _) = measured(&sample());
    repo.write("other.c", b"int other;\n");
    repo.git(&["add", "other.c"]);
    let link = refused(commit(&repo));
    assert_eq!((link.link, link.file.as_deref()), ("staged-code", Some("other.c")));
    let allowed = commit::Request { also: vec!["other.c".to_owned()], ..request(&repo) };
    let done = commit::run(&allowed, &Silent).expect("answers").committed.expect("committed");
    assert!(done.files.contains(&"other.c".to_owned()));
}

#[test]
fn a_subject_that_is_staged_otherwise_is_named_whether_or_not_head_holds_the_measured_one() {
    let (repo, _) = measured(&sample());
    repo.write(FILE, b"int earlier;\n");
    repo.git(&["add", FILE]);
    repo.write(FILE, &sample().files.first().expect("one").1);
    let before = repo.state();
    let link = refused(commit(&repo));
    assert_eq!((link.link, link.file.as_deref()), ("staged-code", Some(FILE)));
    assert!(link.hint.is_some_and(|hint| hint.contains(&format!("git add {FILE}"))));
    assert_eq!(repo.state(), before);
    repo.git(&["add", FILE]);
    commit(&repo).committed.expect("the measured one is staged");

    // HEAD holds the measured file already; new evidence would be committed beside a staged edit of it.
    repo.write(FILE, b"int later;\n");
    repo.git(&["add", FILE]);
    repo.write(FILE, &sample().files.first().expect("one").1);
    store(&repo, &SampleExperiment { started_at: "2026-03-05T10:00:00Z".to_owned(), ..sample() });
    assert_eq!(refused(commit(&repo)).link, "staged-code");

    // A name without content is no version of a file.
    let (repo, _) = measured(&SampleExperiment {
        baseline: vec![("kernels/rmsnorm/base.c".to_owned(), b"int base;\n".to_vec())],
        ..sample()
    });
    repo.git(&["add", "--intent-to-add", FILE]);
    commit(&repo).committed.expect("committed");
}

#[test]
fn the_whole_tree_or_a_folder_around_the_subject_may_come_along() {
    for (folder, also) in [("", "."), ("kernels", ".."), ("kernels/rmsnorm", "../../"), ("", "kernels/..")] {
        let (repo, _) = measured(&sample());
        repo.write("words.md", b"words\n");
        repo.write("gone.md", b"words\n");
        repo.git(&["add", "gone.md"]);
        repo.git(&["commit", "--quiet", "-m", "words"]);
        repo.git(&["rm", "--quiet", "gone.md"]);
        let whole = commit::Request {
            folder: repo.path().join(folder),
            also: vec![also.to_owned()],
            ..request(&repo)
        };
        let done = commit::run(&whole, &Silent).expect("answers").committed.expect("committed");
        // Where something is staged, that is what is meant.
        assert!(done.files.contains(&"gone.md".to_owned()), "{also}: {:?}", done.files);
        assert!(!done.files.contains(&"words.md".to_owned()), "{also}: {:?}", done.files);
        assert!(verified(&repo, "HEAD").holds);
    }
    let (repo, _) = measured(&sample());
    repo.write("words.md", b"words\n");
    let whole = commit::Request { also: vec![".".to_owned()], ..request(&repo) };
    let done = commit::run(&whole, &Silent).expect("answers").committed.expect("committed");
    assert!(done.files.contains(&"words.md".to_owned()), "{:?}", done.files);
    let outside = commit::Request { also: vec!["../elsewhere".to_owned()], ..request(&repo) };
    assert!(commit::run(&outside, &Silent).is_err());
}

#[test]
fn a_refusal_names_another_candidate_that_may_be_committed() {
    let side = |name: &str, percent, at: &str| SampleExperiment {
        candidate: name.to_owned(),
        baseline: vec![("kernels/rmsnorm/base.c".to_owned(), b"int base;\n".to_vec())],
        files: vec![(format!("kernels/rmsnorm/{name}.c"), format!("int {name};\n").into_bytes())],
        percent,
        started_at: at.to_owned(),
        ..sample()
    };
    let repo = ScratchRepo::with_files(&side("fast", 70, "").baseline);
    for sample in [
        side("fast", 70, "2026-03-01T10:00:00Z"),
        side("slow", 130, "2026-03-03T10:00:00Z"),
        side("fast", 71, "2026-03-02T10:00:00Z"),
    ] {
        for (path, bytes) in &sample.files {
            repo.write(path, bytes);
        }
        store(&repo, &sample);
    }
    let link = refused(commit(&repo));
    assert_eq!(link.link, "not-faster");
    assert!(
        link.hint.as_ref().is_some_and(|hint| hint.contains("kforge commit rmsnorm --candidate fast")),
        "{link:?}"
    );
    let named = commit::Request { candidate: Some("fast".to_owned()), ..request(&repo) };
    commit::run(&named, &Silent).expect("answers").committed.expect("committed");
}

#[test]
fn a_refusal_changes_nothing() {
    let (repo, _) = measured(&SampleExperiment { percent: 130, ..sample() });
    let before = repo.state();
    refused(commit(&repo));
    assert_eq!(repo.state(), before);
}

#[test]
fn a_hook_that_changes_a_measured_file_refuses_and_one_that_does_not_is_honoured() {
    for script in [
        "echo 'int formatted;' > kernels/rmsnorm/rmsnorm.c\n",
        "echo 'int x;' > kernels/rmsnorm/rmsnorm.c; git add -A\n",
    ] {
        let (repo, _) = measured(&sample());
        repo.hook("pre-commit", &format!("#!/bin/sh\n{script}"));
        let head = repo.head();
        let link = refused(commit(&repo));
        assert_eq!((link.link, link.file.as_deref()), ("hook-changed-subject", Some(FILE)));
        assert_eq!(repo.head(), head);
        assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "");
    }
    let (repo, _) = measured(&sample());
    repo.hook("pre-commit", "#!/bin/sh\necho 'no tabs please' >&2; exit 1\n");
    let link = refused(commit(&repo));
    assert_eq!(link.link, "hook-refused");
    assert!(link.message.contains("no tabs please"), "{}", link.message);

    let (repo, _) = measured(&sample());
    repo.hook("commit-msg", "#!/bin/sh\necho 'Reviewed-by: the hook' >> \"$1\"\n");
    commit(&repo).committed.expect("committed");
    assert!(repo.git(&["log", "-1", "--format=%B"]).contains("Reviewed-by: the hook"));
}

#[test]
fn an_earlier_loss_or_an_unfinished_run_asks_for_a_confirmation() {
    let loss = SampleExperiment { percent: 130, started_at: "2026-02-01T10:00:00Z".to_owned(), ..sample() };
    let (repo, _) = measured(&loss);
    store(&repo, &sample());
    let link = refused(commit(&repo));
    assert_eq!(link.link, "needs-confirmation", "{link:?}");
    let confirmation = SampleExperiment {
        started_at: "2026-03-05T10:00:00Z".to_owned(),
        confirmation: true,
        percent: 71,
        ..sample()
    };
    store(&repo, &confirmation);
    commit(&repo).committed.expect("confirmed");

    let (repo, _) = measured(&sample());
    let killed = JournalEntry {
        schema: JOURNAL_SCHEMA.to_owned(),
        event: JournalEvent::Started,
        at: "2026-02-01T00:00:00Z".to_owned(),
        run: Digest::of_bytes(b"killed"),
        op: "rmsnorm".to_owned(),
        candidate: "vec".to_owned(),
        pair: sample().pair().expect("a pair"),
        baseline: None,
        verdict: None,
        evidence: None,
    };
    Ledger::open(repo.path()).expect("opens").journal(&killed).expect("journals");
    let link = refused(commit(&repo));
    assert_eq!(link.link, "needs-confirmation");
    assert!(link.message.contains("never finished"), "{}", link.message);
}

#[test]
fn the_best_of_many_is_confirmed_whether_they_were_tried_together_or_one_at_a_time() {
    let other = |name: &str, day: &str, wrong| SampleExperiment {
        candidate: name.to_owned(),
        files: vec![(FILE.to_owned(), format!("int {name};\n").into_bytes())],
        percent: 130,
        wrong,
        started_at: format!("2026-02-{day}T10:00:00Z"),
        ..sample()
    };
    // Each earlier candidate alone makes the win one of two.
    for loser in [other("slow", "01", false), other("wrong", "02", true)] {
        let (repo, _) = measured(&loser);
        for (path, bytes) in &sample().files {
            repo.write(path, bytes);
        }
        store(&repo, &sample());
        let link = refused(commit(&repo));
        assert_eq!(link.link, "needs-confirmation", "{link:?}");
        assert!(link.message.contains("kept out of 2"), "{}", link.message);
        // From files alone the count is the same: the evidence states 1, the ledger shows 2.
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "-m", "past the gate"]);
        let answer = verified(&repo, "HEAD");
        assert_eq!(answer.broken.first().map(|link| link.link), Some("needs-confirmation"), "{answer:?}");
        let again = SampleExperiment {
            started_at: "2026-03-05T10:00:00Z".to_owned(),
            confirmation: true,
            percent: 71,
            ..sample()
        };
        store(&repo, &again);
        commit(&repo).committed.expect("confirmed");
        assert!(verified(&repo, "HEAD").holds);
    }
    // Also where the win came first, as long as the others' evidence came with it; not where they were tried after the commit.
    for together in [true, false] {
        let (repo, _) = measured(&sample());
        let later =
            SampleExperiment { started_at: "2026-03-02T10:00:00Z".to_owned(), ..other("slow", "01", false) };
        let start = repo.head();
        if together {
            store(&repo, &later);
            assert_eq!(refused(commit(&repo)).link, "needs-confirmation");
            repo.git(&["add", "--all"]);
            repo.git(&["commit", "--quiet", "-m", "past the gate"]);
        } else {
            commit(&repo).committed.expect("one of one");
            store(&repo, &later);
            repo.git(&["add", "--all"]);
            repo.git(&["commit", "--quiet", "-m", "a loss, later"]);
        }
        assert_eq!(verified(&repo, &format!("{start}..HEAD")).holds, !together);
        let empty = repo.git(&["hash-object", "-t", "tree", "/dev/null"]);
        assert_eq!(verified(&repo, &format!("{empty}..HEAD")).holds, !together);
    }
    // One that never finished counts as well; one against another baseline does not.
    let killed = |baseline: &[(String, Vec<u8>)]| {
        let other = SampleExperiment { baseline: baseline.to_vec(), ..other("killed", "03", false) };
        let facts = other.facts().expect("facts");
        JournalEntry {
            schema: JOURNAL_SCHEMA.to_owned(),
            event: JournalEvent::Started,
            at: "2026-02-03T00:00:00Z".to_owned(),
            run: Digest::of_bytes(b"killed"),
            op: "rmsnorm".to_owned(),
            candidate: "killed".to_owned(),
            pair: facts.run.pair,
            baseline: Some(facts.sides.baseline.subject.id),
            verdict: None,
            evidence: None,
        }
    };
    let elsewhere = vec![(FILE.to_owned(), b"int another_baseline;\n".to_vec())];
    for (baseline, wanted) in [(&sample().baseline, Some("needs-confirmation")), (&elsewhere, None)] {
        let (repo, _) = measured(&sample());
        Ledger::open(repo.path()).expect("opens").journal(&killed(baseline)).expect("journals");
        assert_eq!(commit(&repo).refused.map(|link| link.link), wanted);
    }
}

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
