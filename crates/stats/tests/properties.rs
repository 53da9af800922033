//! Claims about every input: no panic, symmetry, and the same answers as a slow and simple twin.

use kforge_stats::{Block, CaseSamples, Decision, Judge, JudgePolicy, OpSamples, Verdict, sign_flip_p};
use proptest::prelude::*;

fn quick() -> JudgePolicy {
    JudgePolicy { looks: vec![8, 12], min_blocks: 2, resamples: 200, min_ticks: 1, ..JudgePolicy::default() }
}

fn launches(
    time: impl Strategy<Value = i64> + Clone,
    count: usize,
) -> impl Strategy<Value = Vec<Vec<Block>>> {
    let block = (time.clone(), time.clone(), time, prop::bool::weighted(0.02))
        .prop_map(|(a, a2, b, disturbed)| Block { disturbed, ..Block::new(a, a2, b) });
    prop::collection::vec(prop::collection::vec(block, 2..5), count)
}

fn one(launches: Vec<Vec<Block>>) -> OpSamples {
    OpSamples::of_one_case(CaseSamples::new("x", 1.0, 1, launches))
}

fn mirrored(launches: &[Vec<Block>]) -> Vec<Vec<Block>> {
    let swap = |block: &Block| Block { a_ns: block.b_ns, b_ns: block.a_ns, ..*block };
    launches.iter().map(|blocks| blocks.iter().map(swap).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_integers_are_judged_or_refused_without_a_panic(
        launches in launches(prop_oneof![-3_i64..9, Just(i64::MAX), Just(i64::MIN), 1_i64..2_000_000_000_000], 12),
        weight in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(0.0), Just(1e300), 1e-9_f64..1e9],
        tick in prop_oneof![Just(0_i64), Just(i64::MAX), 1_i64..2000],
        keep in 0_usize..13,
    ) {
        let mut launches = launches;
        launches.truncate(keep);
        let judge = Judge::new(quick()).unwrap();
        let samples = OpSamples::of_one_case(CaseSamples::new("x", weight, tick, launches));
        if let Ok(judgement) = judge.judge(&samples) {
            let text = serde_json::to_string(&judgement).unwrap();
            prop_assert!(!text.contains("null"), "a number that is no number: {text}");
            prop_assert_eq!(serde_json::from_str::<kforge_stats::Judgement>(&text).unwrap(), judgement);
        }
        let _ = judge.look(&samples);
    }

    #[test]
    fn an_interval_contains_its_estimate(launches in launches(900_000_i64..1_100_000, 8)) {
        let judgement = Judge::new(quick()).unwrap().judge(&one(launches)).unwrap();
        let measured = judgement.overall.unwrap();
        for interval in [measured.speedup, measured.noise] {
            prop_assert!(0.0 < interval.low && interval.low <= interval.estimate && interval.estimate <= interval.high);
        }
        prop_assert!(measured.floor >= 1.0);
    }

    #[test]
    fn exchanging_the_sides_inverts_the_speedup(launches in launches(900_000_i64..1_100_000, 8)) {
        let judge = Judge::new(quick()).unwrap();
        let forth = judge.judge(&one(launches.clone())).unwrap().overall.unwrap().speedup;
        let back = judge.judge(&one(mirrored(&launches))).unwrap().overall.unwrap().speedup;
        prop_assert!((forth.low * back.high - 1.0).abs() < 1e-8 && (forth.high * back.low - 1.0).abs() < 1e-8);
    }

    #[test]
    fn launches_after_the_deciding_look_change_nothing(launches in launches(990_000_i64..1_010_000, 12), speed in 0.8_f64..1.25) {
        let scaled: Vec<Vec<Block>> = launches
            .iter()
            .map(|blocks| blocks.iter().map(|b| Block { b_ns: (b.b_ns as f64 / speed) as i64, ..*b }).collect())
            .collect();
        let judge = Judge::new(quick()).unwrap();
        if let Decision::Stop { judgement } = judge.look(&one(scaled[..8].to_vec())).unwrap() {
            let whole = judge.judge(&one(scaled)).unwrap();
            prop_assert_eq!(whole.verdict, judgement.verdict);
            prop_assert_eq!(whole.cases, judgement.cases);
        }
    }

    #[test]
    fn a_faster_verdict_always_lies_beyond_the_boundary(launches in launches(980_000_i64..1_020_000, 8), speed in 1.0_f64..1.1) {
        let scaled: Vec<Vec<Block>> = launches
            .iter()
            .map(|blocks| blocks.iter().map(|b| Block { b_ns: (b.b_ns as f64 / speed) as i64, ..*b }).collect())
            .collect();
        if let Verdict::Faster { interval } = Judge::new(quick()).unwrap().judge(&one(scaled)).unwrap().verdict {
            prop_assert!(interval.low > 1.01);
        }
    }

    #[test]
    fn the_sign_flip_test_equals_counting_every_pattern(values in prop::collection::vec(-20_i32..40, 1..12)) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let observed: f64 = values.iter().sum();
        let patterns = 1_u32 << values.len();
        let reaching = (0..patterns)
            .filter(|pattern| {
                let sum: f64 = values.iter().enumerate().map(|(i, x)| if pattern >> i & 1 == 1 { *x } else { -x }).sum();
                sum >= observed
            })
            .count();
        prop_assert!((sign_flip_p(&values) - reaching as f64 / f64::from(patterns)).abs() < 1e-15);
    }
}
