//! The judge gives the numbers of an independent program (`golden.py`: decimals, fractions, numerical integration).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use kforge_stats::{Interval, Judge, JudgePolicy, OpSamples, Verdict, Why, pocock_level, student_quantile};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    level: f64,
    bias_level: f64,
    quantiles: Vec<(f64, u32, f64)>,
    sets: Vec<Set>,
}

#[derive(Deserialize)]
struct Set {
    name: String,
    samples: OpSamples,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    word: String,
    launches: u32,
    overall: Overall,
    cases: Vec<String>,
}

#[derive(Deserialize)]
struct Overall {
    speedup: [f64; 3],
    noise: [f64; 3],
    floor: f64,
    sign_flip_p: Option<f64>,
    bootstrap: Option<[f64; 3]>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("golden.json")).unwrap()
}

/// Nine decimals are kept, rounded outward; half of the last digit is lost on top of a relative 1e-9 of the integration.
fn near(got: f64, wanted: f64) -> bool {
    (got - wanted).abs() <= 4e-9
}

fn same_interval(got: Interval, wanted: [f64; 3]) -> bool {
    near(got.low, wanted[0]) && near(got.estimate, wanted[1]) && near(got.high, wanted[2])
}

/// The word of the independent program: an inconclusive verdict is named by its reason.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Inconclusive { why: Why::Straddles { .. }, .. } => "straddles",
        Verdict::Inconclusive { why: Why::BelowFloor { .. }, .. } => "below_floor",
        Verdict::Inconclusive { why: Why::MethodsDisagree { .. }, .. } => "methods_disagree",
        other => other.word(),
    }
}

#[test]
fn levels_and_quantiles_equal_numerical_integration() {
    let golden = golden();
    let policy = JudgePolicy::default();
    assert!((pocock_level(&policy.looks, policy.alpha) - golden.level).abs() < 1e-8);
    assert!((pocock_level(&policy.looks, policy.bias_alpha) - golden.bias_level).abs() < 1e-8);
    for (tail, freedom, wanted) in golden.quantiles {
        let got = student_quantile(tail, freedom);
        assert!((got / wanted - 1.0).abs() < 1e-9, "t({tail}, {freedom}) = {got}, not {wanted}");
    }
}

#[test]
fn every_sample_set_gets_the_verdict_and_the_numbers_of_the_independent_judge() {
    let judge = Judge::new(JudgePolicy::default()).unwrap();
    for set in golden().sets {
        let name = &set.name;
        let judgement = judge.judge(&set.samples).unwrap();
        let overall = judgement.overall.as_ref().unwrap();
        let wanted = &set.expected.overall;
        assert_eq!(word(&judgement.verdict), set.expected.word, "{name}");
        assert_eq!(judgement.look.as_ref().unwrap().launches, set.expected.launches, "{name}");
        let cases: Vec<&str> = judgement.cases.iter().map(|case| word(&case.verdict)).collect();
        assert_eq!(cases, set.expected.cases, "{name}");
        assert!(
            same_interval(overall.speedup, wanted.speedup),
            "{name}: {:?}, not {:?}",
            overall.speedup,
            wanted.speedup
        );
        assert!(
            same_interval(overall.noise, wanted.noise),
            "{name}: {:?}, not {:?}",
            overall.noise,
            wanted.noise
        );
        assert!(near(overall.floor, wanted.floor), "{name}: {}, not {}", overall.floor, wanted.floor);
        assert_eq!(overall.sign_flip_p.is_some(), wanted.sign_flip_p.is_some(), "{name}");
        if let (Some(got), Some(wanted)) = (overall.sign_flip_p, wanted.sign_flip_p) {
            assert!(near(got, wanted), "{name}: sign flip {got}, not {wanted}");
        }
        // The two bootstraps draw from different generators: their ends agree to a sixth of the width.
        if let (Some(got), Some(wanted)) = (overall.bootstrap, wanted.bootstrap) {
            let slack = (wanted[2] - wanted[0]) / 6.0 + 4e-9;
            assert!(
                (got.low - wanted[0]).abs() < slack && (got.high - wanted[2]).abs() < slack,
                "{name}: {got:?}, not {wanted:?}"
            );
        }
    }
}

#[test]
fn every_word_of_the_rule_occurs_in_the_golden_sets() {
    let words: Vec<String> = golden().sets.into_iter().map(|set| set.expected.word).collect();
    for wanted in
        ["faster", "slower", "same", "mixed", "void", "straddles", "below_floor", "methods_disagree"]
    {
        assert!(words.iter().any(|word| word == wanted), "{wanted}");
    }
}
