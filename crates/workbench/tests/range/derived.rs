//! Files that are derived from evidence prove nothing; an edit of one inside a range is named.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_testkit::ScratchRepo;
use kforge_workbench::{Silent, record, verify};

use crate::scratch::{codes, commit, gate, sample, save, store};

/// A repository with a recorded, committed win; what HEAD was before, too.
fn recorded() -> (ScratchRepo, String) {
    let repo = ScratchRepo::with_files(&sample().baseline);
    let start = repo.head();
    for (path, bytes) in &sample().files {
        repo.write(path, bytes);
    }
    store(&repo, &sample());
    record(&repo);
    commit(&repo);
    save(&repo, "what is left");
    (repo, start)
}

fn record(repo: &ScratchRepo) {
    let request = record::Request { folder: repo.path(), ..record::Request::default() };
    record::run(&request, &Silent).expect("records");
}

fn edits(answer: &verify::Response) -> Vec<&str> {
    let notes = answer.notes.iter().filter(|note| note.code == "verify.derived-edited");
    notes.filter_map(|note| note.file.as_deref()).collect()
}

#[test]
fn an_edit_of_the_index_the_notes_or_a_copy_is_named_and_words_of_one_s_own_are_not() {
    let (repo, start) = recorded();
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(answer.holds, "{answer:?}");
    assert_eq!(edits(&answer), [""; 0], "{answer:?}");
    let honest = repo.head();
    let append = |file: &str, words: &str| {
        let text = String::from_utf8(repo.read(file)).expect("text");
        repo.write(file, format!("{text}{words}").as_bytes());
    };
    append("kernels/README.md", "\nwords\n");
    append("kernels/rmsnorm/notes.md", "\nwords\n");
    save(&repo, "words");
    assert_eq!(edits(&gate(&repo, &format!("{honest}..HEAD"))), [""; 0]);
    for file in ["kernels/README.md", "kernels/rmsnorm/notes.md", "kernels/rmsnorm/v1_vec.c"] {
        repo.git(&["reset", "--quiet", "--hard", &honest]);
        let text = String::from_utf8(repo.read(file)).expect("text");
        let lie = if file.ends_with("_vec.c") {
            format!("{text}int more;\n")
        } else {
            text.replace("faster", "FASTER")
        };
        assert_ne!(lie, text);
        repo.write(file, lie.as_bytes());
        save(&repo, "a lie");
        let answer = gate(&repo, &format!("{honest}..HEAD"));
        assert!(answer.holds && codes(&answer).contains(&"verify.derived-edited"), "{answer:?}");
        assert_eq!(edits(&answer), [file]);
        let note = answer.notes.iter().find(|note| note.code == "verify.derived-edited").expect("a note");
        assert!(note.message.contains("kforge record --rebuild"), "{note:?}");
    }
}

#[test]
fn an_index_that_knows_more_than_what_is_committed_is_no_edit() {
    let (repo, _) = recorded();
    let before = repo.head();
    // Recorded, and not committed.
    let other = kforge_testkit::SampleExperiment {
        candidate: "tile".to_owned(),
        files: vec![("kernels/rmsnorm/tile.c".to_owned(), b"int tile;\n".to_vec())],
        percent: 130,
        started_at: "2026-04-01T10:00:00Z".to_owned(),
        ..sample()
    };
    repo.write("kernels/rmsnorm/tile.c", b"int tile;\n");
    store(&repo, &other);
    record(&repo);
    repo.git(&["add", "kernels/README.md"]);
    repo.git(&["commit", "--quiet", "-m", "the index alone"]);
    assert_eq!(edits(&gate(&repo, &format!("{before}..HEAD"))), [""; 0]);
}
