//! What a ledger's folder holds that somebody else made: nothing of it acts outside the ledger.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use std::io;
use std::sync::Arc;

use kforge_ledger::{Disk, Effect, Filter, Ledger, Recording};
use kforge_record::{Digest, LESSON_SCHEMA, Lesson, Sealed};
use kforge_testkit::SampleExperiment;

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let file = root.join(path);
    fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    fs::write(file, bytes).expect("writes");
}

fn intent(path: &Path, staged: Option<&Path>, before: Option<&[u8]>, after: Option<&[u8]>) -> Vec<u8> {
    let digest = |bytes: Option<&[u8]>| bytes.map(|bytes| Digest::of_bytes(bytes).to_string());
    let step = serde_json::json!({
        "path": path, "staged": staged, "before": digest(before), "after": digest(after)
    });
    serde_json::to_vec(&serde_json::json!({ "schema": "kforge.intent/1", "steps": [step] })).expect("json")
}

#[test]
fn an_intent_that_reaches_outside_the_ledger_does_nothing() {
    let place = tempfile::tempdir().expect("a folder");
    let root = place.path().join("repo");
    let program = b"#!/bin/sh\n";
    fs::create_dir_all(root.join(".git/hooks")).expect("hooks");
    fs::create_dir_all(root.join("kernels")).expect("kernels");
    symlink("../.git/hooks", root.join("kernels/linked")).expect("a link");
    let staged = root.join(".kforge/tmp/x");
    for path in [
        root.join(".git/hooks/post-checkout"),
        root.join("kernels/../.git/hooks/post-checkout"),
        root.join("kernels/linked/post-checkout"),
        place.path().join("outside"),
        ".git/hooks/post-checkout".into(),
    ] {
        write(&root, ".kforge/tmp/x", program);
        write(&root, ".kforge/intent.json", &intent(&path, Some(&staged), None, Some(program)));
        Ledger::open(&root).expect("opens");
        assert!(!path.exists() && !root.join(".git/hooks/post-checkout").exists(), "{}", path.display());
        assert!(!root.join(".kforge/intent.json").exists(), "it is dropped");
    }
    write(&root, "mine.c", b"int mine;\n");
    let taken = intent(&root.join("mine.c"), None, Some(b"int mine;\n"), None);
    write(&root, ".kforge/intent.json", &taken);
    Ledger::open(&root).expect("opens");
    assert!(root.join("mine.c").exists());
    // What is staged has to be staged by kforge, and has to be what the intent says.
    let moved = intent(&root.join("kernels/x.md"), Some(&root.join("mine.c")), None, Some(b"int mine;\n"));
    write(&root, ".kforge/intent.json", &moved);
    Ledger::open(&root).expect("opens");
    write(&root, ".kforge/tmp/x", b"other bytes");
    write(
        &root,
        ".kforge/intent.json",
        &intent(&root.join("kernels/x.md"), Some(&staged), None, Some(program)),
    );
    Ledger::open(&root).expect("opens");
    assert!(root.join("mine.c").exists() && !root.join("kernels/x.md").exists());
    // One of its own is finished.
    write(&root, ".kforge/tmp/x", program);
    write(
        &root,
        ".kforge/intent.json",
        &intent(&root.join("kernels/x.md"), Some(&staged), None, Some(program)),
    );
    Ledger::open(&root).expect("opens");
    assert_eq!(fs::read(root.join("kernels/x.md")).expect("placed"), program);
}

#[test]
fn a_state_folder_that_leads_elsewhere_is_refused_and_nothing_there_is_touched() {
    let place = tempfile::tempdir().expect("a folder");
    write(place.path(), "home/mine", b"mine\n");
    let home = place.path().join("home");
    for (number, link) in
        [".kforge", ".kforge/tmp", ".kforge/.gitignore", ".kforge/journal.jsonl"].iter().enumerate()
    {
        let root = place.path().join(number.to_string());
        let at = root.join(link);
        fs::create_dir_all(at.parent().expect("a folder")).expect("folders");
        let target = if number < 2 { home.clone() } else { home.join("mine") };
        symlink(target, &at).expect("a link");
        let error = Ledger::open(&root).err().expect("refused");
        assert_eq!(error.code(), "ledger.io");
        assert_eq!(fs::read(home.join("mine")).expect("kept"), b"mine\n");
        assert_eq!(fs::read_dir(&home).expect("lists").count(), 1);
    }
}

fn stored(ledger: &Ledger, name: &str) -> Sealed {
    let sealed = SampleExperiment::new("rmsnorm", name).seal().expect("seals");
    ledger.put_evidence(&sealed).expect("stores");
    sealed
}

fn lesson(id: &Digest) -> Lesson {
    Lesson {
        schema: LESSON_SCHEMA.to_owned(),
        evidence: *id,
        tag: "vec".to_owned(),
        layer: None,
        what: None,
        failed: Vec::new(),
        not_tried: Vec::new(),
        source_ext: None,
    }
}

#[test]
fn names_that_hold_markers_end_in_one_block_each() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let sample = SampleExperiment::new("rmsnorm", "vec\n<!-- kforge:zz -->\n");
    let sealed = sample.seal().expect("seals");
    ledger.put_evidence(&sealed).expect("stores");
    let lesson = Lesson { what: Some("x\n<!-- /kforge:zz -->".to_owned()), ..lesson(&sealed.id) };
    let recording =
        Recording { op: "rmsnorm".to_owned(), lesson, patch: None, source: None, signature: None };
    ledger.record(&recording).expect("records");
    assert!(ledger.rebuild().expect("rebuilds").changed.is_empty());
    assert!(ledger.edited().expect("looks").is_empty());
}

#[test]
fn a_lesson_that_is_not_its_evidence_s_or_cannot_be_read_is_named_and_hides_no_history() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let (one, other) = (stored(&ledger, "vec"), stored(&ledger, "tile"));
    let path = ledger.layout().beside("rmsnorm", &one.id, "lesson.json").expect("a path");
    let json = |lesson: &Lesson| serde_json::to_vec(lesson).expect("json");
    let schema = Lesson { schema: "kforge.lesson/9".to_owned(), ..lesson(&one.id) };
    let tag = Lesson { tag: "x\n<!-- kforge:zz -->\n".to_owned(), ..lesson(&one.id) };
    for bytes in [json(&lesson(&other.id)), json(&schema), json(&tag), b"<<<<<<< HEAD\n".to_vec()] {
        fs::write(&path, &bytes).expect("writes");
        let error = ledger.lesson("rmsnorm", &one.id).expect_err("refused");
        assert_eq!(error.code(), "ledger.record");
        assert!(ledger.rebuild().expect_err("refused").hint().expect("a cure").contains("keep one side"));
        let history = ledger.history(&Filter::default()).expect("answers");
        assert_eq!(history.rows.len(), 2);
        assert!(history.misfits.iter().any(|misfit| misfit.file.ends_with(".lesson.json")), "{history:?}");
    }
}

/// Somebody who writes into the index of versions just before kforge replaces it.
struct Meddler(std::path::PathBuf);

impl Disk for Meddler {
    fn perform(&self, effect: Effect<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        act()?;
        if effect.path.ends_with(".kforge/intent.json") && effect.path.exists() {
            fs::write(&self.0, "by hand\n")?;
        }
        Ok(())
    }
}

#[test]
fn a_file_that_changes_while_it_is_about_to_be_replaced_is_left_and_told() {
    let root = tempfile::tempdir().expect("a folder");
    let readme = root.path().join("kernels/README.md");
    let ledger = Ledger::open_with(root.path(), Arc::new(Meddler(readme.clone()))).expect("opens");
    let sealed = stored(&ledger, "vec");
    let lesson = lesson(&sealed.id);
    let recording =
        Recording { op: "rmsnorm".to_owned(), lesson, patch: None, source: None, signature: None };
    assert_eq!(ledger.record(&recording).expect_err("told").code(), "ledger.changed");
    assert_eq!(fs::read(&readme).expect("kept"), b"by hand\n");
    assert!(ledger.lesson("rmsnorm", &sealed.id).expect("reads").is_some(), "the rest is there");
    assert!(Ledger::open(root.path()).expect("opens").rebuild().is_ok());
}
