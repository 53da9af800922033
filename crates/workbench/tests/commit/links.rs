//! What may be committed, and which link is named when not.

use kforge_ledger::Ledger;
use kforge_record::{Digest, JOURNAL_SCHEMA, JournalEntry, JournalEvent};
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{Silent, commit};

use crate::scratch::{FILE, commit, measured, record_all, refused, request, sample, store, verified};

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
