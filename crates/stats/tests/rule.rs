//! The edges of the rule, each on samples small enough to be understood by reading.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on stops")]

use kforge_stats::{
    Block, CaseSamples, Decision, Error, Judge, JudgePolicy, Judgement, Note, OpSamples, Verdict, Why,
};

/// Log offsets of eight launches that sum to nothing, in parts per ten thousand of a time.
const WIGGLE: [i64; 8] = [3, -1, 2, -3, 1, -2, 4, -4];

/// Launches of eight blocks: the baseline takes 1 ms, the others what is given; each launch's candidate is a little off.
fn launches(count: usize, second: i64, candidate: i64) -> Vec<Vec<Block>> {
    let launch = |i: usize| {
        let own = WIGGLE[i % 8];
        (0..8).map(|b| Block::new(1_000_000 + b, second + own * 20, candidate + own * 100)).collect()
    };
    (0..count).map(launch).collect()
}

fn one(launches: Vec<Vec<Block>>) -> OpSamples {
    OpSamples::of_one_case(CaseSamples::new("x", 1.0, 1, launches))
}

/// The default policy with fewer bootstrap draws, which are slow in a debug build and decide none of these samples.
fn quick() -> Judge {
    Judge::new(JudgePolicy { resamples: 200, ..JudgePolicy::default() }).unwrap()
}

fn judged(samples: &OpSamples) -> Judgement {
    quick().judge(samples).unwrap()
}

fn looked(samples: &OpSamples) -> Decision {
    quick().look(samples).unwrap()
}

fn why(verdict: &Verdict) -> &Why {
    match verdict {
        Verdict::Inconclusive { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

fn refusal(policy: JudgePolicy) -> &'static str {
    match Judge::new(policy).unwrap_err() {
        Error::Policy { field, .. } => field,
        other => panic!("{other:?}"),
    }
}

#[test]
fn before_the_first_look_nothing_is_judged_however_clear_it_is() {
    for made in 0..8 {
        let samples = one(launches(made, 1_000_000, 500_000));
        assert_eq!(looked(&samples), Decision::Continue { until_launches: 8 });
        let judgement = judged(&samples);
        assert_eq!(*why(&judgement.verdict), Why::TooFewLaunches { have: made as u32, need: 8 });
        assert!(judgement.look.is_none() && judgement.overall.is_none());
    }
}

#[test]
fn between_looks_the_answer_is_to_continue() {
    // 1.01 exactly: open at every look.
    for (made, next) in [(8, 12), (9, 12), (11, 12), (12, 16), (15, 16), (16, 24), (23, 24)] {
        let samples = one(launches(made, 1_000_000, 990_099));
        assert_eq!(looked(&samples), Decision::Continue { until_launches: next }, "{made} launches");
    }
}

#[test]
fn the_last_look_always_stops() {
    for made in [24, 25, 40] {
        let Decision::Stop { judgement } = looked(&one(launches(made, 1_000_000, 990_099))) else {
            panic!("{made}")
        };
        assert!(matches!(why(&judgement.verdict), Why::Straddles { .. }));
        assert_eq!(judgement.look.unwrap().launches, 24);
        let unused = judgement.notes.contains(&Note::UnusedLaunches { count: made as u32 - 24 });
        assert_eq!(unused, made > 24);
    }
}

#[test]
fn a_verdict_needs_the_whole_interval_beyond_the_boundary() {
    // Equal times in all launches: the interval is a point, so the boundary itself can be hit to the nanosecond.
    let flat = |candidate| one(vec![vec![Block::new(1_010_000, 1_010_000, candidate); 8]; 24]);
    assert!(
        matches!(why(&judged(&flat(1_000_000)).verdict), Why::Straddles { .. }),
        "exactly 1 + min_effect"
    );
    assert_eq!(judged(&flat(999_990)).verdict.word(), "faster");
    assert_eq!(judged(&flat(1_000_010)).verdict.word(), "same");
    let flat = |baseline, candidate| one(vec![vec![Block::new(baseline, baseline, candidate); 8]; 24]);
    assert_eq!(judged(&flat(1_000_000, 1_010_010)).verdict.word(), "slower");
    assert_eq!(judged(&flat(1_000_000, 1_009_990)).verdict.word(), "same");
}

#[test]
fn equal_times_of_a_coarse_clock_are_no_point_interval() {
    // 6 ticks of 500 faster looks like 1.2 % and could be 0.8 %.
    let coarse = |candidate| {
        let launches = vec![vec![Block::new(16_192, 16_192, candidate); 8]; 24];
        judged(&OpSamples::of_one_case(CaseSamples::new("x", 1.0, 32, launches)))
    };
    assert!(matches!(why(&coarse(16_000).verdict), Why::Straddles { .. }));
    let one_tick = coarse(16_160).overall.unwrap().speedup;
    assert!(one_tick.low < 0.998_1 && one_tick.high > 1.005_9, "{one_tick:?}");
}

#[test]
fn a_sample_shorter_than_500_ticks_is_refused_at_once() {
    let launches = vec![vec![Block::new(20_000, 20_000, 15_999); 8]; 8];
    let samples = OpSamples::of_one_case(CaseSamples::new("x", 1.0, 32, launches));
    let Decision::Stop { judgement } = looked(&samples) else {
        panic!("more launches do not make a sample longer")
    };
    assert_eq!(
        *why(&judgement.verdict),
        Why::BelowClock { case: "x".into(), shortest_ns: 15_999, need_ns: 16_000 }
    );
}

#[test]
fn a_launch_with_too_few_blocks_is_refused_at_once() {
    let mut made = launches(8, 1_000_000, 900_000);
    made[5].pop();
    let Decision::Stop { judgement } = looked(&one(made)) else { panic!("a launch does not grow") };
    assert_eq!(*why(&judgement.verdict), Why::TooFewBlocks { case: "x".into(), launch: 5, have: 7, need: 8 });
}

/// Marks the first `count` blocks, one a launch in turn, as disturbed and makes them absurd.
fn disturbed(mut made: Vec<Vec<Block>>, count: usize) -> Vec<Vec<Block>> {
    let launches = made.len();
    for i in 0..count {
        made[i % launches][i / launches] =
            Block { disturbed: true, ..Block::new(1_000_000, 1_000_000, 9_000_000) };
    }
    made
}

#[test]
fn disturbed_blocks_are_left_out_up_to_the_cap_and_noted() {
    let judgement = judged(&one(disturbed(launches(8, 1_000_000, 900_000), 6)));
    assert_eq!(judgement.verdict.word(), "faster");
    assert_eq!(judgement.notes, [Note::DroppedDisturbed { case: "x".into(), dropped: 6, of: 64 }]);
    let above = one(disturbed(launches(8, 1_000_000, 900_000), 7));
    assert_eq!(*why(&judged(&above).verdict), Why::Disturbed { case: "x".into(), dropped: 7, of: 64 });
    assert_eq!(looked(&above), Decision::Continue { until_launches: 12 }, "later launches may be quiet");
}

#[test]
fn a_launch_with_most_blocks_disturbed_does_not_count() {
    let mut made = launches(12, 1_000_000, 900_000);
    for block in &mut made[3][..5] {
        block.disturbed = true;
    }
    let policy = JudgePolicy { looks: vec![12], ..JudgePolicy::default() };
    let judgement = Judge::new(policy).unwrap().judge(&one(made)).unwrap();
    assert_eq!(judgement.cases[0].dropped, 8, "the whole launch");
    assert_eq!(judgement.overall.unwrap().launches, 11);
}

#[test]
fn a_difference_of_the_baseline_from_itself_is_void() {
    let Decision::Stop { judgement } = looked(&one(launches(8, 980_000, 900_000))) else {
        panic!("bias does not go away")
    };
    let Verdict::Void { cause, detail } = judgement.verdict else { panic!() };
    assert_eq!(cause, "biased");
    assert!(detail.contains("1.02"), "{detail}");
}

#[test]
fn a_small_certain_bias_moves_the_boundary_instead() {
    // A′ is 0.3 % faster than A; a candidate 1.2 % faster than A is within 1 % of what A′ shows.
    let judgement = judged(&one(launches(24, 997_000, 988_000)));
    assert!(matches!(why(&judgement.verdict), Why::Straddles { .. }), "{:?}", judgement.verdict);
    assert!(matches!(judgement.notes[0], Note::SmallBias { .. }));
    assert_eq!(judged(&one(launches(24, 997_000, 984_000))).verdict.word(), "faster");
    assert_eq!(judged(&one(launches(24, 1_000_000, 988_000))).verdict.word(), "faster", "without the bias");
}

#[test]
fn a_claim_below_the_noise_floor_is_refused() {
    // The baseline differs from itself by ±4 % from launch to launch; the candidate is steadily 2 % faster.
    let made = (0..24)
        .map(|i| {
            let second = if i % 2 == 0 { 960_000 } else { 1_040_000 };
            (0..8).map(|_| Block::new(1_000_000, second, 980_000 + WIGGLE[i % 8] * 100)).collect()
        })
        .collect();
    let judgement = judged(&one(made));
    let Why::BelowFloor { claim, floor } = *why(&judgement.verdict) else {
        panic!("{:?}", judgement.verdict)
    };
    assert!((claim - 1.020_4).abs() < 1e-3 && floor > 1.02, "{claim} {floor}");
}

#[test]
fn one_launch_against_the_rest_is_not_enough_for_the_sign_flip_test() {
    // Seven launches at +8 %, one at +1 %: the t interval still clears the boundary, one sign pattern more does not.
    let made: Vec<Vec<Block>> = (0..8)
        .map(|i| {
            let candidate = if i == 4 { 992_000 } else { 926_000 + WIGGLE[i] * 10 };
            vec![Block::new(1_000_000, 1_000_000, candidate); 8]
        })
        .collect();
    let policy = JudgePolicy { alpha: 0.4, looks: vec![8, 9], ..JudgePolicy::default() };
    assert_eq!(Judge::new(policy).unwrap().judge(&one(made.clone())).unwrap().verdict.word(), "faster");
    let judgement = judged(&one(made));
    assert!(!judgement.verdict.is_faster());
}

fn several(candidates: &[(f64, i64)], count: usize) -> OpSamples {
    let case = |(i, (weight, ns)): (usize, &(f64, i64))| {
        CaseSamples::new(format!("c{i}"), *weight, 1, launches(count, 1_000_000, *ns))
    };
    OpSamples { cases: candidates.iter().enumerate().map(case).collect() }
}

#[test]
fn the_mean_over_cases_is_the_weighted_geometric_mean() {
    let judgement = judged(&several(&[(3.0, 800_000), (1.0, 950_000)], 8));
    let wanted = (0.75 * (1.0_f64 / 0.8).ln() + 0.25 * (1.0_f64 / 0.95).ln()).exp();
    let got = judgement.verdict.interval().unwrap().estimate;
    assert!((got - wanted).abs() < 2e-5, "{got}, not {wanted}");
    assert_eq!(judgement.verdict.word(), "faster");
}

#[test]
fn a_slower_case_makes_a_faster_mean_mixed_and_is_named() {
    let Verdict::Mixed { cases } =
        judged(&several(&[(1.0, 800_000), (1.0, 1_000_000), (1.0, 1_060_000)], 8)).verdict
    else {
        panic!()
    };
    let named: Vec<(&str, &str)> = cases.iter().map(|c| (c.case.as_str(), c.outcome.as_str())).collect();
    assert_eq!(named, [("c0", "faster"), ("c2", "slower")]);
}

#[test]
fn a_biased_case_makes_the_operation_void() {
    let mut samples = several(&[(1.0, 800_000), (1.0, 800_000)], 8);
    samples.cases[1].launches = launches(8, 970_000, 800_000);
    let Verdict::Void { cause, detail } = judged(&samples).verdict else { panic!() };
    assert_eq!(cause, "biased");
    assert!(detail.starts_with("c1:"), "{detail}");
}

#[test]
fn a_case_that_cannot_be_judged_is_not_averaged_away() {
    let mut samples = several(&[(1.0, 800_000), (1e-9, 800_000)], 8);
    samples.cases[1].tick_ns = 10_000;
    assert!(matches!(why(&judged(&samples).verdict), Why::BelowClock { .. }));
}

#[test]
fn a_faster_mean_names_the_case_that_may_be_slower() {
    let mut samples = several(&[(1.0, 800_000), (1.0, 800_000)], 8);
    for (i, blocks) in samples.cases[1].launches.iter_mut().enumerate() {
        blocks.fill(Block::new(1_000_000, 1_000_000, if i % 2 == 0 { 900_000 } else { 1_090_000 }));
    }
    let judgement = judged(&samples);
    assert_eq!(judgement.verdict.word(), "faster");
    assert!(judgement.notes.iter().any(|note| matches!(note, Note::CaseOpen { case, .. } if case == "c1")));
}

#[test]
fn a_single_case_gives_the_operation_its_own_verdict() {
    for candidate in [800_000, 990_000, 1_000_000, 1_060_000] {
        let judgement = judged(&several(&[(7.0, candidate)], 24));
        assert_eq!(judgement.verdict, judgement.cases[0].verdict);
        assert_eq!(judgement.overall, judgement.cases[0].measured);
    }
}

#[test]
fn medians_of_the_times_are_measured_times() {
    let judgement = judged(&one(launches(8, 1_000_000, 900_000)));
    assert_eq!(judgement.cases[0].baseline_ns, Some(1_000_003));
    assert_eq!(judgement.cases[0].candidate_ns, Some(899_900));
}

#[test]
fn what_is_no_record_of_times_is_refused_with_its_place() {
    let judge = Judge::new(JudgePolicy::default()).unwrap();
    let refused = |samples: &OpSamples| judge.judge(samples).unwrap_err();
    assert_eq!(refused(&OpSamples { cases: vec![] }), Error::NoCases);
    let mut made = launches(8, 1_000_000, 900_000);
    made[2][3].a2_ns = 0;
    let error = refused(&one(made));
    assert_eq!(error.to_string(), "case 'x', launch 2, block 3: side a2 took 0 ns, which is no duration");
    assert_eq!(error.code(), "stats.not-a-time");
    assert!(error.hint().is_some());
    let mut samples = several(&[(1.0, 800_000), (1.0, 800_000)], 8);
    samples.cases[1].launches.pop();
    assert_eq!(refused(&samples), Error::RaggedLaunches { case: "c1".into(), have: 7, expected: 8 });
    samples.cases[1].case = "c0".into();
    assert_eq!(refused(&samples), Error::RepeatedCase { case: "c0".into() });
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e10] {
        let error = refused(&OpSamples::of_one_case(CaseSamples::new("x", weight, 1, vec![])));
        assert_eq!(error.code(), "stats.weight", "{weight}");
    }
    let error = refused(&OpSamples::of_one_case(CaseSamples::new("x", 1.0, 0, vec![])));
    assert_eq!(error, Error::Tick { case: "x".into(), tick_ns: 0 });
}

#[test]
fn a_policy_outside_its_ranges_is_refused_by_field() {
    let usual = JudgePolicy::default;
    assert_eq!(refusal(JudgePolicy { min_effect: -0.01, ..usual() }), "min_effect");
    assert_eq!(refusal(JudgePolicy { min_effect: f64::NAN, ..usual() }), "min_effect");
    assert_eq!(refusal(JudgePolicy { alpha: 0.0, ..usual() }), "alpha");
    assert_eq!(refusal(JudgePolicy { bias_alpha: 0.9, ..usual() }), "bias_alpha");
    assert_eq!(refusal(JudgePolicy { max_disturbed: 0.6, ..usual() }), "max_disturbed");
    // The last: 2^-7 is above 0.025 / 4, so no sign pattern of seven launches could ever support a claim.
    for looks in [vec![], vec![1], vec![8, 8], vec![12, 8], vec![33], vec![4, 5, 6, 7]] {
        assert_eq!(refusal(JudgePolicy { looks: looks.clone(), ..usual() }), "looks", "{looks:?}");
    }
    assert_eq!(refusal(JudgePolicy { min_blocks: 0, ..usual() }), "min_blocks");
    assert_eq!(refusal(JudgePolicy { min_ticks: 0, ..usual() }), "min_ticks");
    assert_eq!(refusal(JudgePolicy { resamples: 1, ..usual() }), "resamples");
}

#[test]
fn every_easier_value_is_named_and_no_harder_one() {
    assert!(JudgePolicy::default().loosened().is_empty());
    let easier = JudgePolicy {
        min_effect: 0.005,
        alpha: 0.1,
        bias_alpha: 0.001,
        looks: vec![6, 12],
        min_blocks: 4,
        max_disturbed: 0.2,
        min_ticks: 100,
        resamples: 500,
    };
    let names: Vec<String> = easier.loosened().into_iter().map(|l| l.name).collect();
    let all = [
        "min_effect",
        "alpha",
        "bias_alpha",
        "looks",
        "min_blocks",
        "max_disturbed",
        "min_ticks",
        "resamples",
    ];
    assert_eq!(names, all);
    let harder = JudgePolicy {
        min_effect: 0.02,
        alpha: 0.01,
        bias_alpha: 0.05,
        looks: vec![12, 24],
        min_blocks: 16,
        max_disturbed: 0.0,
        min_ticks: 1_000,
        resamples: 5_000,
    };
    assert!(harder.loosened().is_empty());
    assert_eq!(JudgePolicy { alpha: 0.1, ..JudgePolicy::default() }.loosened()[0].default, "0.05");
}

#[test]
fn a_policy_is_read_from_the_values_that_differ_and_unknown_names_are_refused() {
    let policy: JudgePolicy = serde_json::from_str(r#"{"min_effect": 0.02}"#).unwrap();
    assert_eq!(policy, JudgePolicy { min_effect: 0.02, ..JudgePolicy::default() });
    assert!(serde_json::from_str::<JudgePolicy>(r#"{"minimum_effect": 0.02}"#).is_err());
}

#[test]
fn verdicts_of_other_rooms_have_the_same_shape() {
    let incorrect = Verdict::Incorrect { mismatch: "row 3: 1.5 instead of 1.25".into() };
    assert_eq!(
        serde_json::to_string(&incorrect).unwrap(),
        r#"{"verdict":"incorrect","mismatch":"row 3: 1.5 instead of 1.25"}"#
    );
    let void: Verdict =
        serde_json::from_str(r#"{"verdict":"void","cause":"rebuilt","detail":"libop.so"}"#).unwrap();
    assert_eq!(void.word(), "void");
    assert_eq!(void.interval(), None);
}

#[test]
fn a_bias_is_void_from_half_the_minimum_effect() {
    assert_eq!(judged(&one(launches(24, 994_000, 900_000))).verdict.word(), "void", "0.6 %");
    assert_eq!(judged(&one(launches(24, 996_000, 900_000))).verdict.word(), "faster", "0.4 %");
}

#[test]
fn a_small_certain_bias_narrows_same() {
    assert_eq!(judged(&one(launches(24, 1_000_000, 992_000))).verdict.word(), "same");
    assert_eq!(judged(&one(launches(24, 997_000, 992_000))).verdict.word(), "inconclusive");
}

#[test]
fn a_median_that_hangs_on_one_block_is_vetoed_by_the_bootstrap() {
    // Five blocks of eight at 1 ÷ 1.05, three at 1 ÷ 0.85: the median says 1.05, most redraws say less than 1.01.
    let launch: Vec<Block> =
        (0..8).map(|b| Block::new(1_000_000, 1_000_000, if b < 5 { 952_381 } else { 1_333_333 })).collect();
    let judgement = judged(&one(vec![launch; 24]));
    assert_eq!(*why(&judgement.verdict), Why::MethodsDisagree { check: "bootstrap".into() });
}

#[test]
fn a_slower_mean_with_a_faster_case_is_mixed() {
    let judgement = judged(&several(&[(1.0, 1_200_000), (1.0, 1_200_000), (1.0, 900_000)], 24));
    assert_eq!(judgement.verdict.word(), "mixed");
}

#[test]
fn an_open_mean_with_cases_on_both_sides_is_mixed() {
    let judgement = judged(&several(&[(1.0, 900_000), (1.0, 1_088_500)], 8));
    assert_eq!(judgement.verdict.word(), "mixed");
    assert!(judgement.overall.unwrap().speedup.high > 1.01);
}

#[test]
fn a_case_one_tick_beyond_the_boundary_is_not_called_slower() {
    let mut samples = several(&[(1.0, 800_000), (1.0, 800_000)], 24);
    // 506 ticks against 500: 1.2 % slower, or 0.8 %.
    samples.cases[1].tick_ns = 32;
    samples.cases[1].launches = vec![vec![Block::new(16_000, 16_000, 16_192); 8]; 24];
    assert_eq!(judged(&samples).verdict.word(), "faster");
}

#[test]
fn a_launch_that_one_case_lost_is_no_part_of_the_mean() {
    let mut samples = several(&[(1.0, 800_000), (1.0, 800_000)], 24);
    for block in &mut samples.cases[1].launches[3] {
        block.disturbed = true;
    }
    let policy = JudgePolicy { looks: vec![24], resamples: 200, ..JudgePolicy::default() };
    let judgement = Judge::new(policy).unwrap().judge(&samples).unwrap();
    assert_eq!(judgement.overall.unwrap().launches, 23);
    assert_eq!(judgement.cases[0].measured.as_ref().unwrap().launches, 24);
}

#[test]
fn the_cap_on_disturbed_blocks_is_itself_allowed() {
    let longer = |mut made: Vec<Vec<Block>>| {
        for blocks in &mut made {
            blocks.extend([blocks[0], blocks[1]]);
        }
        made
    };
    let judgement = judged(&one(disturbed(longer(launches(8, 1_000_000, 900_000)), 8)));
    assert_eq!(judgement.verdict.word(), "faster", "8 of 80");
}

#[test]
fn a_short_second_baseline_is_too_short_as_well() {
    let launches = vec![vec![Block::new(20_000, 15_000, 19_000); 8]; 8];
    let samples = OpSamples::of_one_case(CaseSamples::new("x", 1.0, 32, launches));
    assert!(matches!(why(&judged(&samples).verdict), Why::BelowClock { shortest_ns: 15_000, .. }));
}

#[test]
fn a_faster_mean_waits_for_a_case_that_may_be_slower() {
    let mut samples = several(&[(1.0, 800_000), (1.0, 800_000)], 24);
    for (i, blocks) in samples.cases[1].launches.iter_mut().enumerate() {
        blocks.fill(Block::new(1_000_000, 1_000_000, if i % 2 == 0 { 900_000 } else { 1_090_000 }));
    }
    let upto = |made: usize| {
        let mut part = samples.clone();
        part.cases.iter_mut().for_each(|case| case.launches.truncate(made));
        looked(&part)
    };
    assert_eq!(upto(8), Decision::Continue { until_launches: 12 });
    assert_eq!(upto(16), Decision::Continue { until_launches: 24 });
    let Decision::Stop { judgement } = upto(24) else { panic!("the last look") };
    assert_eq!(judgement.verdict.word(), "faster");
}
