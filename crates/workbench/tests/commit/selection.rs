//! The best of many is confirmed.

use kforge_ledger::Ledger;
use kforge_record::{Digest, Evidence, Failure, JOURNAL_SCHEMA, JournalEntry, JournalEvent};
use kforge_testkit::SampleExperiment;

use crate::scratch::{FILE, commit, measured, refused, sample, store, verified};

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
fn a_candidate_that_could_not_be_started_is_neither_a_loss_nor_one_of_many() {
    let rival = vec![(FILE.to_owned(), b"int rival;\n".to_vec())];
    for files in [sample().files, rival] {
        let (repo, _) = measured(&sample());
        let earlier = SampleExperiment { files, started_at: "2026-02-01T10:00:00Z".to_owned(), ..sample() };
        let mut facts = earlier.facts().expect("facts");
        facts.sides.candidate.build = None;
        let what = "the runner could not be started: `nvcc` cannot be run".to_owned();
        facts.sides.candidate.failure = Some(Failure { stage: "environment".to_owned(), what });
        facts.checks.clear();
        facts.clock.clear();
        facts.floor.clear();
        let sealed = Evidence::seal(facts, Vec::new()).expect("seals");
        assert_eq!(sealed.evidence.judgement.verdict.word(), "void");
        Ledger::open(repo.path()).expect("opens").put_evidence(&sealed).expect("stores");
        commit(&repo).committed.expect("one of one, and never anything but a win");
    }
}
