//! What `verify RANGE --require` lets through and what it stops, where measured files move, go, or are kept as losses.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_ledger::Ledger;
use kforge_record::{Digest, Evidence, Sealed};
use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{Silent, commit, verify};

const BASE: &str = "kernels/rmsnorm/base.c";
const FAST: &str = "kernels/rmsnorm/fast.c";
const TOML: &str = "kernels/rmsnorm/experiment.toml";

/// A source long enough that git sees an edit of one line as the same file.
fn source(name: &str) -> Vec<u8> {
    let line =
        |number: u32| format!("float {name}_{number}(float x) {{ return x * {number}.5f + {number}; }}\n");
    (0..20).map(line).collect::<String>().into_bytes()
}

fn edited(name: &str) -> Vec<u8> {
    [source(name), b"void nobody_measured_this(void) { for (;;) {} }\n".to_vec()].concat()
}

fn experiment(baseline: &str, candidate: &str) -> Vec<u8> {
    let side = |name: &str, file: &str| format!("[{name}]\ntree = \"worktree\"\nsources = [\"{file}\"]\n");
    let sides = [side("baseline", baseline), side("candidate.fast", candidate)];
    format!("op = \"rmsnorm\"\n{}", sides.concat()).into_bytes()
}

fn sample() -> SampleExperiment {
    SampleExperiment {
        baseline: vec![(BASE.to_owned(), source("base"))],
        files: vec![(FAST.to_owned(), source("fast"))],
        ..SampleExperiment::new("rmsnorm", "fast")
    }
}

fn loss(name: &str) -> SampleExperiment {
    SampleExperiment {
        candidate: name.to_owned(),
        files: vec![(format!("kernels/rmsnorm/{name}.c"), source(name))],
        percent: 130,
        // After the win, so that the win was kept out of one.
        started_at: "2026-04-01T10:00:00Z".to_owned(),
        ..sample()
    }
}

fn store(repo: &ScratchRepo, sample: &SampleExperiment) -> Digest {
    let ledger = Ledger::open(repo.path()).expect("opens");
    ledger.put_evidence(&sample.seal().expect("seals")).expect("stores")
}

fn save(repo: &ScratchRepo, message: &str) -> String {
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    repo.head()
}

/// A repository whose HEAD holds a proven win beside its baseline, with their experiment.
fn proven() -> ScratchRepo {
    let repo = ScratchRepo::with_files(&sample().baseline);
    repo.write(TOML, &experiment(BASE, FAST));
    save(&repo, "the experiment");
    repo.write(FAST, &source("fast"));
    store(&repo, &sample());
    let request =
        commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() };
    commit::run(&request, &Silent).expect("answers").committed.expect("committed");
    repo
}

fn gate(repo: &ScratchRepo, range: &str) -> verify::Response {
    let request = verify::Request {
        folder: repo.path(),
        target: Some(range.to_owned()),
        require: true,
        ..verify::Request::default()
    };
    verify::run(&request, &Silent).expect("answers")
}

fn links(answer: &verify::Response) -> Vec<&str> {
    answer.broken.iter().map(|link| link.link).collect()
}

fn codes(answer: &verify::Response) -> Vec<&str> {
    answer.notes.iter().map(|note| note.code.as_str()).collect()
}

#[test]
fn a_measured_file_that_is_renamed_and_edited_in_one_step_does_not_hold() {
    for (told, from, to) in [
        (true, FAST, "kernels/rmsnorm/fast2.c"),
        (false, FAST, "kernels/rmsnorm/fast2.c"),
        (true, BASE, "kernels/rmsnorm/base2.c"),
        (false, FAST, "src/production.c"),
    ] {
        let repo = proven();
        let start = repo.head();
        let name = if from == FAST { "fast" } else { "base" };
        repo.git(&["rm", "--quiet", from]);
        repo.write(to, &edited(name));
        if told {
            let (base, fast) = if from == FAST { (BASE, to) } else { (to, FAST) };
            repo.write(TOML, &experiment(base, fast));
        }
        repo.git(&["add", "--all"]);
        let staged = verify::Request {
            folder: repo.path(),
            staged: Some(None),
            require: true,
            ..verify::Request::default()
        };
        let answer = verify::run(&staged, &Silent).expect("answers");
        assert!(links(&answer).contains(&"subject-removed"), "staged {to}: {answer:?}");
        save(&repo, "sneak");
        let answer = gate(&repo, &format!("{start}..HEAD"));
        assert!(links(&answer).contains(&"subject-removed"), "{to}: {answer:?}");
        assert_eq!(answer.broken.first().and_then(|link| link.file.as_deref()), Some(to));
    }
}

#[test]
fn a_measured_file_that_another_one_replaces_does_not_hold_however_little_they_are_alike() {
    for (removed, toml) in
        [(FAST, experiment(BASE, "kernels/rmsnorm/new.c")), (BASE, experiment("kernels/rmsnorm/new.c", FAST))]
    {
        let repo = proven();
        let start = repo.head();
        repo.git(&["rm", "--quiet", removed]);
        repo.write("kernels/rmsnorm/new.c", b"int nothing_alike;\n");
        repo.write(TOML, &toml);
        save(&repo, "replace");
        let answer = gate(&repo, &format!("{start}..HEAD"));
        assert!(links(&answer).contains(&"subject-removed"), "{removed}: {answer:?}");
    }
    // Nobody can say what took its place where the experiment cannot be read.
    let repo = proven();
    let start = repo.head();
    repo.git(&["rm", "--quiet", FAST]);
    repo.write(TOML, b"[baseline\n");
    save(&repo, "garbage");
    assert_eq!(links(&gate(&repo, &format!("{start}..HEAD"))), ["subject-removed"]);
}

#[test]
fn the_declared_baseline_is_one_that_was_measured_or_one_that_won() {
    let repo = proven();
    let start = repo.head();
    repo.write("kernels/rmsnorm/other.c", b"int unmeasured;\n");
    repo.write(TOML, &experiment("kernels/rmsnorm/other.c", FAST));
    save(&repo, "another baseline");
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert_eq!(links(&answer), ["no-evidence"], "{answer:?}");
    repo.write(TOML, &experiment(FAST, FAST));
    save(&repo, "the winner is the baseline");
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(answer.holds, "{answer:?}");
    // A folder that holds the kernel holds what kforge writes there too.
    repo.git(&["rm", "--quiet", "kernels/rmsnorm/other.c"]);
    repo.write("kernels/rmsnorm/notes.md", b"# words\n");
    repo.write(TOML, &experiment("kernels/rmsnorm/", FAST));
    save(&repo, "the whole folder");
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(answer.holds, "{answer:?}");
}

#[test]
fn moving_what_was_measured_is_allowed_and_editing_it_afterwards_is_not() {
    let repo = proven();
    let start = repo.head();
    repo.git(&["mv", FAST, "kernels/rmsnorm/fast2.c"]);
    repo.write(TOML, &experiment(BASE, "kernels/rmsnorm/fast2.c"));
    let moved = save(&repo, "rename");
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(answer.holds, "the same bytes under another name: {answer:?}");
    repo.write("kernels/rmsnorm/fast2.c", &edited("fast"));
    let sneaked = save(&repo, "edit");
    let answer = gate(&repo, &format!("{moved}..HEAD"));
    assert_eq!(links(&answer), ["subject-differs"], "{answer:?}");
    assert!(!gate(&repo, &format!("{start}..HEAD")).holds);
    repo.git(&["reset", "--quiet", "--hard", &moved]);
    repo.git(&["mv", "kernels/rmsnorm/fast2.c", "kernels/rmsnorm/fast3.c"]);
    repo.write("kernels/rmsnorm/fast3.c", &edited("fast"));
    repo.write(TOML, &experiment(BASE, "kernels/rmsnorm/fast3.c"));
    save(&repo, "rename again");
    let answer = gate(&repo, &format!("{moved}..HEAD"));
    assert_eq!(links(&answer), ["subject-removed"], "{answer:?} after {sneaked}");
}

#[test]
fn a_file_that_nothing_replaces_is_gone_and_no_more() {
    let repo = proven();
    let start = repo.head();
    repo.git(&["rm", "--quiet", FAST]);
    repo.write(TOML, &experiment(BASE, FAST));
    save(&repo, "drop the candidate");
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(answer.holds && codes(&answer).contains(&"verify.subject-removed"), "{answer:?}");
    assert!(!answer.notes.iter().any(|note| note.message.contains("changes no file")), "{answer:?}");
    repo.git(&["rm", "--quiet", BASE, TOML]);
    save(&repo, "drop the op");
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(answer.holds && codes(&answer).contains(&"verify.subject-removed"), "{answer:?}");
}

#[test]
fn an_adopted_winner_s_own_file_may_make_way_for_the_next_attempt() {
    let repo = proven();
    let start = repo.head();
    repo.write(BASE, &source("fast"));
    repo.git(&["rm", "--quiet", FAST]);
    repo.write("kernels/rmsnorm/next.c", &edited("fast"));
    repo.write(TOML, &experiment(BASE, "kernels/rmsnorm/next.c"));
    save(&repo, "adopt, and try the next");
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(answer.holds, "{answer:?}");
}

#[test]
fn a_losing_attempt_passes_beside_its_own_evidence_and_nowhere_else() {
    let empty = |repo: &ScratchRepo| repo.git(&["hash-object", "-t", "tree", "/dev/null"]);
    let repo = proven();
    let start = repo.head();
    let slow = loss("slow");
    repo.write("kernels/rmsnorm/slow.c", &source("slow"));
    let without = save(&repo, "the source alone");
    let id = store(&repo, &slow);
    let answer = gate(&repo, &format!("{start}..{without}"));
    assert_eq!(links(&answer), ["not-faster"], "its evidence is not in that commit: {answer:?}");
    let hint = answer.broken.first().and_then(|link| link.hint.as_deref());
    assert!(hint.is_some_and(|hint| hint.contains("git add kernels/rmsnorm/evidence")), "{hint:?}");
    let whole = save(&repo, "and its evidence");
    for from in [start.clone(), empty(&repo)] {
        let answer = gate(&repo, &format!("{from}..{whole}"));
        assert!(answer.holds, "{answer:?}");
        assert!(codes(&answer).contains(&"verify.kept-attempt"), "{answer:?}");
    }
    // Another content of that name is measured by nothing.
    repo.write("kernels/rmsnorm/slow.c", &edited("slow"));
    save(&repo, "edit the loss");
    assert!(!gate(&repo, &format!("{whole}..HEAD")).holds);
    // In the place of what is in use a loss is a loss.
    for place in [BASE, FAST] {
        repo.git(&["reset", "--quiet", "--hard", &whole]);
        repo.write(place, &source("slow"));
        save(&repo, "use the loss");
        let answer = gate(&repo, &format!("{whole}..HEAD"));
        assert!(!answer.holds, "{place}: {answer:?}");
        // Also where it was measured under that very name.
        let named = SampleExperiment {
            candidate: "named".to_owned(),
            files: vec![(place.to_owned(), source("slow"))],
            started_at: "2026-04-02T10:00:00Z".to_owned(),
            ..loss("slow")
        };
        store(&repo, &named);
        save(&repo, "with evidence that it lost");
        let answer = gate(&repo, &format!("{whole}..HEAD"));
        assert!(!answer.holds, "{place}: {answer:?}");
        assert!(
            !answer
                .notes
                .iter()
                .any(|note| note.message.contains(&id.short()) && note.message.contains(place))
        );
    }
}

#[test]
fn evidence_that_comes_a_commit_after_its_files_is_what_that_commit_rests_on() {
    let repo = ScratchRepo::with_files(&sample().baseline);
    repo.write(FAST, &source("fast"));
    save(&repo, "the kernel by plain git");
    store(&repo, &sample());
    save(&repo, "its evidence by plain git");
    let request =
        commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() };
    let refused = commit::run(&request, &Silent).expect("answers").refused.expect("a link");
    assert_eq!(refused.link, "nothing-to-commit");
    assert!(refused.hint.is_some_and(|hint| hint.contains("kforge verify")));
    let head = verify::Request { folder: repo.path(), ..verify::Request::default() };
    let answer = verify::run(&head, &Silent).expect("answers");
    assert!(answer.holds, "{answer:?}");
    assert_eq!(answer.checked.iter().map(|checked| checked.found_by).collect::<Vec<_>>(), ["blobs"]);
    // Where it does not carry the files, the link is named.
    let repo = ScratchRepo::with_files(&sample().baseline);
    repo.write(FAST, &source("fast"));
    save(&repo, "the kernel by plain git");
    store(&repo, &SampleExperiment { started_at: "2026-02-01T10:00:00Z".to_owned(), ..loss("slow") });
    store(&repo, &sample());
    save(&repo, "its evidence by plain git");
    let head = verify::Request { folder: repo.path(), ..verify::Request::default() };
    let answer = verify::run(&head, &Silent).expect("answers");
    assert_eq!(links(&answer), ["needs-confirmation"], "{answer:?}");
}

/// Evidence in which the baseline's outputs are outside the tolerance.
fn wrong_baseline(sample: &SampleExperiment) -> Sealed {
    let wrong = SampleExperiment { wrong: true, ..sample.clone() }.facts().expect("facts");
    let outputs = wrong.checks.iter().find(|check| !check.passed).expect("a failed check").outputs.clone();
    let mut facts = sample.facts().expect("facts");
    for check in facts.checks.iter_mut().filter(|check| check.side == "baseline") {
        (check.outputs, check.passed) = (outputs.clone(), false);
    }
    let sealed = Evidence::seal(facts, Vec::new()).expect("seals");
    assert_eq!(sealed.evidence.judgement.verdict.word(), "void");
    sealed
}

#[test]
fn evidence_that_comes_with_a_baseline_does_not_prove_it() {
    let other = SampleExperiment { baseline: vec![(BASE.to_owned(), source("slow"))], ..loss("fast") };
    let wins = SampleExperiment { files: sample().files, percent: 60, ..other.clone() };
    for (what, sealed) in [
        ("a wrong baseline", wrong_baseline(&other)),
        ("a slower baseline", wins.seal().expect("seals")),
        ("a lost attempt beside it", other.seal().expect("seals")),
    ] {
        let repo = proven();
        let start = repo.head();
        repo.write(BASE, &source("slow"));
        Ledger::open(repo.path()).expect("opens").put_evidence(&sealed).expect("stores");
        let brought = save(&repo, "another baseline");
        let answer = gate(&repo, &format!("{start}..HEAD"));
        assert!(answer.broken.iter().any(|link| link.file.as_deref() == Some(BASE)), "{what}: {answer:?}");
        // Under a name of its own it is as little proven where the experiment calls it the baseline.
        repo.git(&["reset", "--quiet", "--hard", &start]);
        let named = SampleExperiment {
            baseline: vec![("kernels/rmsnorm/slow.c".to_owned(), source("slow"))],
            ..wins.clone()
        };
        store(&repo, &named);
        repo.write("kernels/rmsnorm/slow.c", &source("slow"));
        repo.write(TOML, &experiment("kernels/rmsnorm/slow.c", FAST));
        save(&repo, "under another name");
        let answer = gate(&repo, &format!("{start}..HEAD"));
        assert!(links(&answer).contains(&"no-evidence"), "{what}: {answer:?} after {brought}");
    }
}

#[test]
fn a_file_may_go_back_to_a_baseline_that_was_found_right_before() {
    let repo = proven();
    repo.write(BASE, &source("fast"));
    let adopted = save(&repo, "adopt");
    repo.write(BASE, &source("base"));
    save(&repo, "back");
    assert!(gate(&repo, &format!("{adopted}..HEAD")).holds);
    // Not to one that the evidence at the start calls wrong.
    let other = SampleExperiment { baseline: vec![(BASE.to_owned(), source("slow"))], ..loss("fast") };
    Ledger::open(repo.path()).expect("opens").put_evidence(&wrong_baseline(&other)).expect("stores");
    let known = save(&repo, "evidence alone");
    repo.write(BASE, &source("slow"));
    save(&repo, "to what is wrong");
    assert!(!gate(&repo, &format!("{known}..HEAD")).holds);
}

#[test]
fn a_first_push_rests_on_the_evidence_that_it_brings_where_that_found_its_baseline_right() {
    let empty = |repo: &ScratchRepo| repo.git(&["hash-object", "-t", "tree", "/dev/null"]);
    let repo = proven();
    let answer = gate(&repo, &format!("{}..HEAD", empty(&repo)));
    assert!(answer.holds, "{answer:?}");
    let repo = ScratchRepo::with_files(&sample().baseline);
    repo.write(TOML, &experiment(BASE, FAST));
    repo.write(FAST, &source("fast"));
    Ledger::open(repo.path()).expect("opens").put_evidence(&wrong_baseline(&sample())).expect("stores");
    save(&repo, "all at once");
    let answer = gate(&repo, &format!("{}..HEAD", empty(&repo)));
    assert!(answer.broken.iter().any(|link| link.file.as_deref() == Some(BASE)), "{answer:?}");
}

#[test]
fn settings_that_a_gate_depends_on_are_those_where_the_range_starts() {
    let staged = |repo: &ScratchRepo| {
        let folder = repo.path();
        let request =
            verify::Request { folder, staged: Some(None), require: true, ..verify::Request::default() };
        verify::run(&request, &Silent).expect("answers")
    };
    for (text, name) in [
        ("[ledger]\nroot = \"elsewhere\"\n", "[ledger] root"),
        ("[verify]\nallowed_signers = \"mine\"\n", "[verify] allowed_signers"),
    ] {
        let repo = proven();
        let start = repo.head();
        repo.write("elsewhere/README.md", b"another ledger\n");
        repo.write("kforge.toml", text.as_bytes());
        repo.write(BASE, &edited("base"));
        // In the working tree alone, in the index, and in the range.
        let answer = gate(&repo, &format!("{start}..HEAD"));
        assert_eq!(links(&answer), ["settings-changed"], "{answer:?}");
        repo.git(&["add", "--all"]);
        assert_eq!(links(&staged(&repo)), ["settings-changed"]);
        let changed = save(&repo, "other settings");
        let answer = gate(&repo, &format!("{start}..HEAD"));
        assert_eq!(links(&answer), ["settings-changed"], "{answer:?}");
        assert!(answer.broken.iter().any(|link| link.message.contains(name)), "{answer:?}");
        assert_eq!(staged(&repo).broken, [], "nothing is staged");
        // Whoever takes them back in the working tree, or has them there alone, changes them as well.
        repo.write("kforge.toml", b"");
        assert_eq!(links(&gate(&repo, &format!("{start}..{changed}"))), ["settings-changed"]);
        assert_eq!(links(&gate(&repo, &format!("{changed}..{changed}"))), ["settings-changed"]);
        // Once they were let through, they are the settings.
        repo.git(&["reset", "--quiet", "--hard", &changed]);
        repo.write("free.txt", b"words\n");
        save(&repo, "the next push");
        assert!(gate(&repo, &format!("{changed}..HEAD")).holds);
        repo.write("kforge.toml", b"[ledger\n");
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "-m", "garbage"]);
        repo.write("kforge.toml", text.as_bytes());
        assert_eq!(links(&gate(&repo, &format!("{changed}..HEAD"))), ["settings-changed"]);
    }
    // What a gate does not depend on is free, and a first push brings its own.
    let repo = proven();
    let start = repo.head();
    repo.write("kforge.toml", b"[commit]\nbinding = \"trailer\"\n");
    save(&repo, "binding");
    assert!(gate(&repo, &format!("{start}..HEAD")).holds);
    repo.write("kforge.toml", b"[verify]\nallowed_signers = \"mine\"\n");
    save(&repo, "signers");
    let empty = repo.git(&["hash-object", "-t", "tree", "/dev/null"]);
    let answer = gate(&repo, &format!("{empty}..HEAD"));
    assert!(answer.holds, "{answer:?}");
}

#[test]
fn the_project_s_folder_is_a_setting_too() {
    let repo = ScratchRepo::with_files(&[("library/kforge.toml".to_owned(), Vec::new())]);
    let start = repo.head();
    let inside = |repo: &ScratchRepo, range: &str| {
        let request = verify::Request {
            folder: repo.path().join("library"),
            target: Some(range.to_owned()),
            require: true,
            ..verify::Request::default()
        };
        verify::run(&request, &Silent).expect("answers")
    };
    repo.write("library/notes.txt", b"words\n");
    let next = save(&repo, "words");
    assert!(inside(&repo, &format!("{start}..HEAD")).holds);
    repo.git(&["rm", "--quiet", "library/kforge.toml"]);
    save(&repo, "the project is elsewhere");
    let answer = inside(&repo, &format!("{next}..HEAD"));
    assert_eq!(links(&answer), ["settings-changed"], "{answer:?}");
}

#[test]
fn a_change_of_what_judges_an_op_is_named_though_it_passes() {
    let repo = proven();
    repo.write("kernels/reference.py", b"pass\n");
    let start = save(&repo, "the reference");
    assert!(!codes(&gate(&repo, &format!("{start}~1..HEAD"))).contains(&"verify.judged-otherwise"));
    for path in [TOML, "kernels/reference.py"] {
        repo.write(path, &[experiment(BASE, FAST), b"# another tolerance\n".to_vec()].concat());
        save(&repo, "another judge");
        let answer = gate(&repo, &format!("{start}..HEAD"));
        assert!(answer.holds, "{answer:?}");
        let note = answer.notes.iter().find(|note| note.code == "verify.judged-otherwise").expect("a note");
        assert!(note.message.contains(path), "{note:?}");
    }
}

#[test]
fn a_change_of_mode_alone_is_told_as_one() {
    for file in [BASE, FAST] {
        let repo = proven();
        let start = repo.head();
        repo.git(&["update-index", "--chmod=+x", file]);
        repo.git(&["commit", "--quiet", "-m", "mode"]);
        let answer = gate(&repo, &format!("{start}..HEAD"));
        let said = match answer.broken.first() {
            Some(link) => &link.message,
            None => &answer.notes.first().expect("a note").message,
        };
        let (holds, words) = if file == BASE {
            (false, "is mode 100755, evidence of op rmsnorm is for mode 100644")
        } else {
            (true, "holds what a win measured")
        };
        assert!(answer.holds == holds && said.contains(words), "{answer:?}");
    }
}
