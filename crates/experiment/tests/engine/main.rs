//! The engine on a model: which verdict follows from which behaviour, and in which order things happen.

#![expect(clippy::unwrap_used, reason = "tests")]

mod model;

use kforge_experiment::{Proposed, RunContext, Stream};
use kforge_record::{Digest, Evidence, Run};
use model::{Manner, Model, experiment};
use std::collections::BTreeMap;

fn context(pair: Digest) -> RunContext {
    let digest = Digest::of_bytes(b"model");
    let run = Run {
        id: digest,
        nonce: "0".repeat(32),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        finished_at: "2026-01-01T00:00:01Z".to_owned(),
        kforge: "0".to_owned(),
        protocol: 1,
        harness: digest,
        experiment: digest,
        pair,
        candidates: 1,
        confirmation: false,
        base: None,
    };
    RunContext {
        run: run.identified().unwrap(),
        claim: None,
        prior: Vec::new(),
        prefix: None,
        variables: digest,
        inherited: BTreeMap::new(),
    }
}

/// The evidence about a candidate that behaves like this.
fn validated(model: &Model, seed: u64) -> Evidence {
    let experiment = experiment();
    let mut entropy = Stream::new(seed, 0);
    let built = Proposed::new(model.engine(&experiment), &[]).unwrap().build().unwrap();
    let sealed = built.seal(&mut entropy).unwrap();
    let context = context(sealed.pair("c").unwrap());
    let checked = sealed.check(&mut entropy).unwrap();
    let sealed = match checked.candidate("c") {
        Ok(correct) => correct.time(&mut entropy).unwrap().evidence(&context).unwrap(),
        Err(refuted) => refuted.evidence(&context).unwrap(),
    };
    sealed.evidence
}

fn answer(manner: Manner) -> (String, String, Evidence) {
    let evidence = validated(&Model::new(manner, 5), 11);
    let text = serde_json::to_string(&evidence.judgement.verdict).unwrap();
    (evidence.judgement.verdict.word().to_owned(), text, evidence)
}

#[test]
fn honest_candidates_get_the_verdict_of_their_speed() {
    assert_eq!(answer(Manner::Honest(15_000.0)).0, "faster");
    assert_eq!(answer(Manner::Honest(25_000.0)).0, "slower");
    let (word, text, _) = answer(Manner::Honest(20_000.0));
    assert!(matches!(word.as_str(), "same" | "inconclusive"), "{text}");
}

#[test]
fn every_modelled_cheat_is_caught_by_name() {
    for (manner, word, named) in [
        (Manner::Cached, "incorrect", "cached"),
        (Manner::Mutates, "incorrect", "input x was changed"),
        (Manner::OtherInputs, "incorrect", "other inputs"),
        (Manner::LazyWhenTimed, "incorrect", "(timed)"),
        (Manner::HalfClock, "void", "clock"),
        (Manner::RunsOn, "void", "unfinished"),
        (Manner::HidesInOneBatch, "void", "clock"),
        (Manner::LoadsLate, "void", "rebuilt"),
        (Manner::DiesWhenTimed, "incorrect", "SIGSEGV"),
    ] {
        let (got, text, _) = answer(manner);
        assert_eq!(got, word, "{manner:?}: {text}");
        assert!(text.contains(named), "{manner:?}: {text}");
    }
}

#[test]
fn what_is_left_out_where_its_result_is_still_there_wins_nothing() {
    let (word, text, evidence) = answer(Manner::LeavesWhereDone);
    assert_eq!(word, "same", "{text}: every call of a sample meets destroyed outputs");
    assert!(evidence.samples.launches >= 8);
}

#[test]
fn what_is_wrong_is_never_timed() {
    let (_, _, evidence) = answer(Manner::Cached);
    assert_eq!(evidence.samples.launches, 0);
    assert!(evidence.judgement.overall.is_none());
}

#[test]
fn sides_are_built_then_sealed_then_checked_then_timed_and_cases_are_drawn_after_hello() {
    let model = Model::new(Manner::Honest(15_000.0), 5);
    let evidence = validated(&model, 11);
    let log = model.log.borrow();
    let last_build = log.iter().rposition(|line| line.starts_with("build")).unwrap();
    let first_launch = log.iter().position(|line| line.starts_with("launch")).unwrap();
    let last_seal = log.iter().rposition(|line| line.starts_with("seal")).unwrap();
    let launches = log.iter().filter(|line| line.starts_with("launch")).count();
    assert!(last_build < first_launch && first_launch < last_seal);
    // Three to warm, three to check, three a launch.
    assert_eq!(launches, 6 + 3 * evidence.samples.launches as usize);
    assert_eq!(evidence.facts.cases.len(), 17);
}

#[test]
fn evidence_of_the_engine_passes_the_records_own_audit() {
    let evidence = validated(&Model::new(Manner::Honest(15_000.0), 5), 11);
    let bytes = evidence.to_bytes().unwrap();
    let audited = kforge_record::audit_bytes(&Digest::of_bytes(&bytes), &bytes, None);
    assert!(audited.is_ok(), "{audited:?}");
}

#[test]
fn a_candidate_equal_to_the_baseline_is_never_called_faster_by_a_model_with_launch_effects() {
    let mut words = BTreeMap::<String, u32>::new();
    for seed in 0..40 {
        let evidence = validated(&Model::new(Manner::Honest(20_000.0), seed), seed + 1000);
        *words.entry(evidence.judgement.verdict.word().to_owned()).or_default() += 1;
    }
    assert_eq!(words.get("faster"), None, "{words:?}");
    assert_eq!(words.get("slower"), None, "{words:?}");
}
