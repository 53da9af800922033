//! How often the judge errs and how often it sees, on simulated machines whose true ratio is known.
//!
//! Seeds are fixed, so a count never changes by chance; the exact binomial bounds say what the counts show about the rate.
//! `cargo run --release -p kforge-stats --example rates` makes the larger run that docs/judge.md prints.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use kforge_stats::simulate::{Machine, upper_bound, zoo};
use kforge_stats::{CaseSamples, Judge, JudgePolicy, OpSamples};

/// The default rule with fewer bootstrap draws: the bootstrap's middle decides as well with 200 of them, in a tenth of the time.
fn judge() -> Judge {
    Judge::new(JudgePolicy { resamples: 200, ..JudgePolicy::default() }).unwrap()
}

/// How many of `runs` validations have this verdict.
fn count(machine: &Machine, runs: u64, word: &str) -> u64 {
    let judge = judge();
    let verdict =
        |seed| judge.judge(&OpSamples::of_one_case(machine.case("x", 24, 8, seed))).unwrap().verdict;
    (0..runs).filter(|seed| verdict(*seed).word() == word).count() as u64
}

#[test]
fn a_kernel_against_itself_is_never_faster_and_never_slower() {
    for named in zoo() {
        let (faster, slower) = (count(&named.machine, 60, "faster"), count(&named.machine, 60, "slower"));
        assert_eq!((faster, slower), (0, 0), "{}", named.name);
    }
}

#[test]
fn at_the_boundary_faster_stays_under_half_of_alpha() {
    let launch_effects = &zoo()[1].machine;
    let runs = 1_500;
    let hits = count(&Machine { speedup: 1.01, ..launch_effects.clone() }, runs, "faster");
    let bound = upper_bound(hits, runs);
    assert!(bound < 0.025, "{hits} of {runs}: up to {bound:.4}");
}

#[test]
fn at_the_other_boundary_slower_stays_under_half_of_alpha() {
    let quiet = &zoo()[0].machine;
    let runs = 1_500;
    let hits = count(&Machine { speedup: 1.0 / 1.01, sample_sd: 0.01, ..quiet.clone() }, runs, "slower");
    let bound = upper_bound(hits, runs);
    assert!(bound < 0.025, "{hits} of {runs}: up to {bound:.4}");
}

#[test]
fn a_slowdown_of_five_per_cent_is_slower_in_95_of_100_on_every_machine() {
    for named in zoo() {
        let hits = count(&Machine { speedup: 1.0 / 1.05, ..named.machine }, 100, "slower");
        assert!(hits >= 95, "{}: {hits} of 100", named.name);
    }
}

#[test]
fn a_biased_second_baseline_is_void_and_never_a_win() {
    let biased = Machine { speedup: 1.03, second_baseline: 1.03, ..zoo()[1].machine.clone() };
    assert_eq!(count(&biased, 50, "void"), 50);
}

/// Four cases of one operation in the same launches; the last one is different.
fn four(machine: &Machine, last: f64, seed: u64) -> OpSamples {
    let cases: Vec<CaseSamples> = (0..4)
        .map(|i| {
            let speedup = if i == 3 { last } else { machine.speedup };
            Machine { speedup, ..machine.clone() }.case(&format!("c{i}"), 24, 8, seed * 4 + i)
        })
        .collect();
    OpSamples { cases }
}

#[test]
fn a_case_that_got_slower_makes_a_faster_mean_mixed() {
    let machine = Machine { speedup: 1.08, ..zoo()[1].machine.clone() };
    for seed in 0..20 {
        let word = judge().judge(&four(&machine, 0.95, seed)).unwrap().verdict.word();
        assert_eq!(word, "mixed", "seed {seed}");
    }
}

#[test]
fn four_equal_cases_are_neither_faster_nor_slower_nor_mixed() {
    for seed in 0..40 {
        let word = judge().judge(&four(&zoo()[1].machine, 1.0, seed)).unwrap().verdict.word();
        assert!(word == "same" || word == "inconclusive" || word == "void", "seed {seed}: {word}");
    }
}
