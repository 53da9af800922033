//! What the ledger keeps, finds, derives again and refuses to touch.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use std::fs;
use std::path::Path;

use kforge_ledger::{Filter, Ledger, Recording};
use kforge_record::{
    Attempt, Digest, Evidence, JOURNAL_SCHEMA, JournalEntry, JournalEvent, LESSON_SCHEMA, Layer, Lesson,
    Sealed,
};
use kforge_testkit::SampleExperiment;

fn recording(sealed: &Sealed, tag: &str) -> Recording {
    Recording {
        op: sealed.evidence.facts.op.clone(),
        lesson: Lesson {
            schema: LESSON_SCHEMA.to_owned(),
            evidence: sealed.id,
            tag: tag.to_owned(),
            layer: Some(Layer::Instruction),
            what: Some("vectorised loads of 16 bytes".to_owned()),
            failed: vec![Attempt { what: "unroll by 8".to_owned(), reason: "spills".to_owned() }],
            not_tried: Vec::new(),
            source_ext: Some("c".to_owned()),
        },
        patch: Some(format!("--- a\n+++ {tag}\n").into_bytes()),
        source: Some(format!("int {tag};\n").into_bytes()),
        signature: None,
    }
}

fn sealed(candidate: &str, percent: u64, started_at: &str) -> Sealed {
    let file = vec![("kernels/rmsnorm/rmsnorm.c".to_owned(), candidate.as_bytes().to_vec())];
    let sample = SampleExperiment {
        percent,
        started_at: started_at.to_owned(),
        files: file,
        ..SampleExperiment::new("rmsnorm", candidate)
    };
    sample.seal().expect("seals")
}

fn tree(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![root.join("kernels")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.display().to_string(), fs::read(&path).expect("reads")));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn recording_twice_changes_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let win = sealed("vec", 70, "2026-03-01T10:00:00Z");
    ledger.put_evidence(&win).expect("stores");
    let first = ledger.record(&recording(&win, "vec")).expect("records");
    assert!(!first.changed.is_empty());
    assert_eq!(first.version.number, 1);
    let before = tree(root.path());
    let again = ledger.record(&recording(&win, "vec")).expect("records");
    assert!(again.changed.is_empty(), "{:?}", again.changed);
    assert_eq!(tree(root.path()), before);
    ledger.put_evidence(&win).expect("stores again");
    assert!(ledger.rebuild().expect("rebuilds").changed.is_empty());
    assert_eq!(tree(root.path()), before);
    let notes = fs::read_to_string(root.path().join("kernels/rmsnorm/notes.md")).expect("notes");
    assert!(notes.contains("## v1 vec: faster"), "{notes}");
    assert!(notes.contains("failed: unroll by 8: spills"), "{notes}");
}

#[test]
fn an_earlier_record_that_arrives_later_renumbers_and_moves_only_kforge_files() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let (late, early) =
        (sealed("vec", 70, "2026-03-02T10:00:00Z"), sealed("naive", 130, "2026-03-01T10:00:00Z"));
    ledger.put_evidence(&late).expect("stores");
    ledger.put_evidence(&early).expect("stores");
    ledger.record(&recording(&late, "vec")).expect("records");
    let folder = root.path().join("kernels/rmsnorm");
    fs::write(folder.join("v7_mine.c"), "by hand\n").expect("writes");
    ledger.record(&recording(&early, "naive")).expect("records");
    let versions: Vec<(u32, String)> = ledger
        .versions("rmsnorm")
        .expect("versions")
        .into_iter()
        .map(|version| (version.number, version.tag))
        .collect();
    assert_eq!(versions, [(1, "naive".to_owned()), (2, "vec".to_owned())]);
    assert!(folder.join("v2_vec.patch").exists() && folder.join("v1_naive.c").exists());
    assert!(!folder.join("v1_vec.patch").exists(), "the stale name is gone");
    assert_eq!(fs::read_to_string(folder.join("v7_mine.c")).expect("kept"), "by hand\n");
}

#[test]
fn a_confirmation_is_more_evidence_for_the_same_version() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let runs = [
        ("vec", 70, "2026-03-01T10:00:00Z"),
        ("vec", 71, "2026-03-02T10:00:00Z"),
        ("tile", 60, "2026-03-03T10:00:00Z"),
    ];
    for (name, percent, at) in runs {
        let made = sealed(name, percent, at);
        ledger.put_evidence(&made).expect("stores");
        ledger.record(&recording(&made, name)).expect("records");
    }
    let numbers: Vec<u32> =
        ledger.versions("rmsnorm").expect("versions").iter().map(|version| version.number).collect();
    assert_eq!(numbers, [1, 1, 2]);
    let rows = ledger.history(&Filter::default()).expect("answers").rows;
    assert_eq!(rows.iter().map(|row| row.version).collect::<Vec<_>>(), [Some(2), Some(1), Some(1)]);
    assert!(ledger.rebuild().expect("rebuilds").changed.is_empty());
}

#[test]
fn a_version_file_that_kforge_did_not_write_is_never_replaced() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let win = sealed("vec", 70, "2026-03-01T10:00:00Z");
    ledger.put_evidence(&win).expect("stores");
    let mine = root.path().join("kernels/rmsnorm/v1_vec.c");
    fs::write(&mine, "by hand\n").expect("writes");
    let refused = ledger.record(&recording(&win, "vec")).expect_err("refuses");
    assert_eq!(refused.code(), "ledger.name-taken");
    assert_eq!(fs::read_to_string(&mine).expect("kept"), "by hand\n");
    assert!(!root.path().join("kernels/rmsnorm/notes.md").exists(), "nothing was half done");
}

#[test]
fn history_tells_no_fact_of_evidence_that_does_not_hold() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let honest = sealed("vec", 70, "2026-03-01T10:00:00Z");
    let kept = ledger.put_evidence(&honest).expect("stores");
    // A field is another, and the name follows the bytes, but the digest of its section does not.
    let mut forged = honest.evidence.clone();
    "MI300X".clone_into(&mut forged.facts.environment.device.name);
    let bytes = forged.to_bytes().expect("bytes");
    let id = Digest::of_bytes(&bytes);
    let folder = root.path().join("kernels/rmsnorm/evidence");
    fs::write(folder.join(format!("{id}.json")), &bytes).expect("writes");
    let asked = || ledger.history(&Filter::default()).expect("answers");
    for _ in 0..2 {
        let found = asked();
        let row = found.rows.iter().find(|row| row.evidence == id).expect("a row");
        assert_eq!((row.verdict.as_str(), row.speedup.as_ref()), ("malformed", None));
        assert!(row.malformed.as_ref().is_some_and(|broken| broken.contains("environment")), "{row:?}");
        let row = found.rows.iter().find(|row| row.evidence == kept).expect("a row");
        assert_eq!((row.verdict.as_str(), row.malformed.as_ref()), ("faster", None));
        assert_eq!(found.misfits, []);
        // The second time the answers are taken over from the index before.
        fs::write(folder.join("words.txt"), b"anything\n").expect("writes");
    }
    // What is not its name's is no evidence; put right, it is again.
    let (path, other) =
        (folder.join(format!("{kept}.json")), folder.join(format!("{}.json", "0".repeat(64))));
    fs::rename(&path, &other).expect("renames");
    fs::write(folder.join("copy.json"), &bytes).expect("writes");
    let names: Vec<String> = asked().misfits.into_iter().map(|misfit| misfit.file).collect();
    let zeros = format!("kernels/rmsnorm/evidence/{}.json", "0".repeat(64));
    assert_eq!(names, [zeros, "kernels/rmsnorm/evidence/copy.json".to_owned()]);
    fs::rename(&other, &path).expect("renames");
    assert_eq!(asked().rows.iter().filter(|row| row.malformed.is_none()).count(), 1);
}

#[test]
fn history_answers_by_words_device_and_verdict() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    for (name, percent, at) in
        [("vec", 70, "2026-03-01T10:00:00Z"), ("unrolled", 130, "2026-03-02T10:00:00Z")]
    {
        let made = sealed(name, percent, at);
        ledger.put_evidence(&made).expect("stores");
        if name == "vec" {
            ledger.record(&recording(&made, "vec")).expect("records");
        }
    }
    let found = |filter: Filter| -> Vec<String> {
        ledger.history(&filter).expect("answers").rows.into_iter().map(|row| row.candidate).collect()
    };
    let words = |words: &str| Filter { words: Some(words.to_owned()), ..Filter::default() };
    assert_eq!(found(Filter::default()), ["unrolled", "vec"]);
    assert_eq!(found(words("vectorised loads")), ["vec"]);
    assert_eq!(
        found(words("have we tried vectorised loads on x86_64?")),
        ["vec", "unrolled"],
        "best match first"
    );
    assert_eq!(found(words("slower")), ["unrolled"]);
    assert_eq!(found(Filter { verdict: Some("faster".to_owned()), ..Filter::default() }), ["vec"]);
    assert_eq!(found(Filter { device: Some("mi300".to_owned()), ..Filter::default() }), [""; 0]);
    assert_eq!(found(words("\" OR * NEAR(")), [""; 0]);
    fs::write(root.path().join(".kforge/index.sqlite"), b"not a database").expect("writes");
    assert_eq!(found(words("vectorised loads")), ["vec"], "a corrupt index is made again");
    let notes = root.path().join("kernels/rmsnorm/notes.md");
    let text = fs::read_to_string(&notes).expect("notes");
    fs::write(&notes, format!("{text}\nPersistent kernels were left out:\nLDS is full.\n")).expect("writes");
    let hits = ledger.notes_with("persistent lds").expect("answers");
    assert_eq!(hits.len(), 1);
    assert!(hits.iter().all(|(op, line, _)| op == "rmsnorm" && *line > 10));
}

#[test]
fn every_earlier_run_of_a_pair_is_known_even_one_that_never_ended() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let sample = SampleExperiment { percent: 130, ..SampleExperiment::new("rmsnorm", "vec") };
    let loss = sample.seal().expect("seals");
    let pair = sample.pair().expect("a pair");
    let entry = |event, run, at: &str, verdict: Option<&str>| JournalEntry {
        schema: JOURNAL_SCHEMA.to_owned(),
        event,
        at: at.to_owned(),
        run,
        op: "rmsnorm".to_owned(),
        candidate: "vec".to_owned(),
        pair,
        baseline: None,
        verdict: verdict.map(str::to_owned),
        evidence: verdict.map(|_| loss.id),
    };
    let killed = Digest::of_bytes(b"killed");
    ledger.journal(&entry(JournalEvent::Started, killed, "2026-02-01T00:00:00Z", None)).expect("journals");
    let journal = root.path().join(".kforge/journal.jsonl");
    let torn = [fs::read(&journal).expect("reads"), b"{\"schema\":\"kforge.jour".to_vec()].concat();
    fs::write(&journal, torn).expect("tears");
    let run = loss.evidence.facts.run.id;
    ledger.journal(&entry(JournalEvent::Started, run, "2026-03-01T10:00:00Z", None)).expect("journals");
    ledger.put_evidence(&loss).expect("stores");
    ledger
        .journal(&entry(JournalEvent::Finished, run, "2026-03-01T10:00:59Z", Some("slower")))
        .expect("journals");
    let prior = ledger.prior_runs("rmsnorm", &pair).expect("answers");
    let verdicts: Vec<Option<&str>> = prior.iter().map(|run| run.verdict.as_deref()).collect();
    assert_eq!(verdicts, [None, Some("slower")]);
    fs::remove_file(&journal).expect("removes");
    assert_eq!(
        ledger.prior_runs("rmsnorm", &pair).expect("answers").len(),
        1,
        "evidence remembers without a journal"
    );
}

#[test]
fn an_edited_evidence_file_is_refused_by_its_name() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let win = sealed("vec", 70, "2026-03-01T10:00:00Z");
    let id = ledger.put_evidence(&win).expect("stores");
    let path = root.path().join(format!("kernels/rmsnorm/evidence/{id}.json"));
    let edited = fs::read_to_string(&path).expect("reads").replacen("faster", "slower", 1);
    fs::write(&path, edited).expect("writes");
    assert_eq!(ledger.audited("rmsnorm", &id).expect_err("refuses").code(), "ledger.evidence");
    assert_eq!(ledger.put_evidence(&win).expect_err("refuses").code(), "ledger.collision");
}

#[test]
fn the_state_folder_ignores_itself_again_after_a_full_disk_cut_its_gitignore() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let ignore = root.path().join(".kforge/.gitignore");
    drop(ledger.hold().expect("holds"));
    for cut in ["", "*"] {
        fs::write(&ignore, cut).expect("writes");
        drop(ledger.hold().expect("holds"));
        assert_eq!(fs::read(&ignore).expect("reads"), b"*\n");
    }
}

#[test]
fn what_a_killed_process_staged_goes_at_the_next_open_and_what_a_live_one_stages_stays() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let staged = root.path().join(".kforge/tmp/4194000-7");
    let held = ledger.hold().expect("holds");
    held.write_state("commit.json", b"{}").expect("writes");
    fs::write(&staged, b"half").expect("writes");
    Ledger::open(root.path()).expect("opens");
    assert!(staged.exists(), "somebody is at work");
    drop(held);
    Ledger::open(root.path()).expect("opens");
    assert!(!staged.exists());
}

#[test]
fn derived_files_that_are_gone_are_named_and_come_back() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let win = sealed("vec", 70, "2026-03-01T10:00:00Z");
    ledger.put_evidence(&win).expect("stores");
    ledger.record(&recording(&win, "vec")).expect("records");
    assert_eq!(ledger.missing().expect("looks"), Vec::<std::path::PathBuf>::new());
    let gone =
        ["kernels/rmsnorm/v1_vec.patch", "kernels/rmsnorm/notes.md"].map(|file| root.path().join(file));
    for file in &gone {
        fs::remove_file(file).expect("removes");
    }
    assert_eq!(ledger.missing().expect("looks"), gone);
    ledger.rebuild().expect("derives");
    assert!(gone.iter().all(|file| file.exists()));
}

#[test]
fn a_comparison_with_a_commit_is_no_run_of_the_pair() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let mut facts = sample.facts().expect("facts");
    let (pair, baseline) = (facts.run.pair, facts.sides.baseline.subject.id);
    let commit = "c".repeat(40);
    facts.run.base = Some(commit.clone());
    facts.run = facts.run.identified().expect("an id");
    facts.sides.baseline.subject.tree = format!("git:{commit}");
    facts.sides.baseline.subject.rev = Some(commit);
    let sealed = Evidence::seal(facts, sample.samples().expect("samples")).expect("seals");
    ledger.put_evidence(&sealed).expect("stores");
    // Earlier versions wrote such runs into the journal.
    let run = &sealed.evidence.facts.run;
    let entry = JournalEntry {
        schema: JOURNAL_SCHEMA.to_owned(),
        event: JournalEvent::Started,
        at: run.started_at.clone(),
        run: run.id,
        op: "rmsnorm".to_owned(),
        candidate: "vec".to_owned(),
        pair,
        baseline: None,
        verdict: None,
        evidence: None,
    };
    ledger.journal(&entry).expect("writes");
    assert_eq!(ledger.prior_runs("rmsnorm", &pair).expect("runs"), []);
    assert!(ledger.rivals("rmsnorm", &baseline).expect("rivals").is_empty());
    let entries = sealed.evidence.facts.sides.candidate.subject.entries.clone();
    let here = |path: &str| entries.iter().find(|entry| entry.path == path).cloned();
    assert!(ledger.find_by_subject("rmsnorm", &here).expect("looks").is_empty());
}

#[test]
fn the_time_of_a_call_does_not_depend_on_where_the_samples_are() {
    let timed: Vec<String> = (0..12).map(|case| format!("case-{case}")).collect();
    let sample =
        SampleExperiment { timed, launches: 24, blocks: 64, ..SampleExperiment::new("rmsnorm", "vec") };
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let made = sample.seal().expect("seals");
    assert!(made.evidence.samples.inline.is_none());
    ledger.put_evidence(&made).expect("stores");
    ledger.record(&recording(&made, "vec")).expect("records");
    let notes = || fs::read_to_string(root.path().join("kernels/rmsnorm/notes.md")).expect("notes");
    // 8 ms a sample, 4 runs in each.
    assert!(notes().contains("| case-0 | 2.000 ms |"), "{}", notes());
    let samples = ledger.layout().beside("rmsnorm", &made.id, "samples.zst").expect("a path");
    fs::remove_file(samples).expect("removes");
    ledger.rebuild().expect("rebuilds");
    assert!(notes().contains("| case-0 | - | - |"), "{}", notes());
}

#[test]
fn a_torn_line_of_the_journal_is_skipped_and_a_whole_one_that_is_unknown_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(root.path()).expect("opens");
    let pair = Digest::of_bytes(b"pair");
    let path = root.path().join(".kforge/journal.jsonl");
    fs::create_dir_all(root.path().join(".kforge")).expect("a folder");
    fs::write(&path, "{\"schema\":\"kforge.jou\n").expect("writes");
    assert!(ledger.journalled_runs(&pair).expect("skips").is_empty());
    fs::write(&path, "{\"schema\":\"kforge.journal/2\",\"event\":\"finished\"}\n").expect("writes");
    let error = ledger.journalled_runs(&pair).expect_err("refused");
    assert!(error.hint().expect("a cure").contains("later one"));
}
