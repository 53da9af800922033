//! The judge on times that other people recorded: raw repetitions of Kernel Tuner search spaces (AMD and NVIDIA, 32 a configuration)
//! and device-event times of one H200.
//!
//! A recorded configuration against itself has the true ratio 1, whatever its noise is like. What this cannot show: effects of one
//! kernel on another, and of fresh processes, because every configuration ran alone and in one process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::MultiGzDecoder;
use kernel_tuner::{DataSet, SKIPPED, interleaved, scaled, single_blocks, word_of_one};
use kforge_stats::{Block, CaseSamples, Judge, JudgePolicy, OpSamples, Verdict, Why};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

#[path = "recorded/kernel_tuner.rs"]
mod kernel_tuner;

/// Configurations looked at in each data set; the sets have up to eleven thousand. `KFORGE_REPLAY=100000` takes all of them.
fn configurations() -> usize {
    std::env::var("KFORGE_REPLAY").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// The data sets, read once; nothing where there is no corpus.
fn data_sets() -> Option<&'static [DataSet]> {
    static SETS: OnceLock<Option<Vec<DataSet>>> = OnceLock::new();
    SETS.get_or_init(|| kernel_tuner::data_sets(configurations())).as_deref()
}

/// What many tools do: all repetitions of one side, then all of the next.
fn one_after_the_other(times: &[i64]) -> Vec<Block> {
    let kept = times.get(SKIPPED..).unwrap_or(&[]);
    let third = kept.len() / 3;
    (0..third).map(|i| Block::new(kept[i], kept[third + i], kept[2 * third + i])).collect()
}

fn tally(words: impl Iterator<Item = &'static str>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

fn differences(counts: &BTreeMap<&'static str, usize>) -> usize {
    ["faster", "slower"].iter().filter_map(|word| counts.get(word)).sum()
}

/// Of three hundred configurations none may differ from itself, of all eleven thousand of a set at most eleven.
#[test]
fn recorded_configurations_against_themselves_are_faster_or_slower_in_less_than_one_of_a_thousand() {
    let Some(sets) = data_sets() else {
        eprintln!("skipped: no corpus at KFORGE_CORPUS or ../shared/corpus");
        return;
    };
    let judge = single_blocks(vec![8, 10]).unwrap();
    assert!(!sets.is_empty(), "the corpus has search spaces with raw repetitions");
    for DataSet { name, rows } in sets {
        let random = &mut ChaCha8Rng::seed_from_u64(1);
        let itself = tally(rows.iter().map(|times| word_of_one(&judge, interleaved(times, random))));
        let in_turn = tally(rows.iter().map(|times| word_of_one(&judge, one_after_the_other(times))));
        let slower =
            tally(rows.iter().map(|times| word_of_one(&judge, scaled(interleaved(times, random), 1.05))));
        println!("{name}: interleaved {itself:?}; one after the other {in_turn:?}; 5 % slower {slower:?}");
        assert!(differences(&itself) * 1_000 <= rows.len(), "{name}: {itself:?}");
        assert!(!slower.contains_key("faster"), "{name}: {slower:?}");
    }
}

#[test]
fn twenty_four_recorded_configurations_as_launches_are_never_faster_or_slower() {
    let Some(sets) = data_sets() else {
        eprintln!("skipped: no corpus at KFORGE_CORPUS or ../shared/corpus");
        return;
    };
    let judge = Judge::new(JudgePolicy::default()).unwrap();
    for DataSet { name, rows } in sets {
        let random = &mut ChaCha8Rng::seed_from_u64(2);
        let words = rows.chunks_exact(24).map(|configurations| {
            let launches = configurations.iter().map(|times| interleaved(times, random)).collect();
            judge
                .judge(&OpSamples::of_one_case(CaseSamples::new("x", 1.0, 1, launches)))
                .unwrap()
                .verdict
                .word()
        });
        let counts = tally(words);
        println!("{name}: {counts:?}");
        assert!(!counts.contains_key("faster") && !counts.contains_key("slower"), "{name}: {counts:?}");
    }
}

/// The H200 capture: 30 rounds × 40 event times of several operations, one process. A round stands for a launch here.
fn h200(label: &str, candidate: &str) -> OpSamples {
    let mut text = String::new();
    let packed: &[u8] = include_bytes!("data/h200_timing.csv.gz");
    MultiGzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let mut times: BTreeMap<(&str, usize, usize), i64> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] == label {
            let ns = (cells[4].parse::<f64>().unwrap() * 1e3).round() as i64;
            times.insert((cells[1], cells[2].parse().unwrap(), cells[3].parse().unwrap()), ns);
        }
    }
    let at = |variant, round, index| times[&(variant, round, index)];
    let block =
        |round, index| Block::new(at("A", round, index), at("A2", round, index), at(candidate, round, index));
    let launches = (0..24).map(|round| (SKIPPED..40).map(|index| block(round, index)).collect()).collect();
    OpSamples::of_one_case(CaseSamples::new(label, 1.0, 32, launches))
}

#[test]
fn on_an_h200_a_copy_equals_itself_and_larger_work_is_slower() {
    let judge = Judge::new(JudgePolicy::default()).unwrap();
    let word = |label, candidate| judge.judge(&h200(label, candidate)).unwrap().verdict.word();
    assert_eq!(word("copy64MB", "A2"), "same");
    assert_eq!(word("copy64MB", "B_5pct"), "slower");
    assert_eq!(word("gemm2048", "B_3pct"), "slower");
}

#[test]
fn on_an_h200_a_kernel_of_four_microseconds_is_too_short_for_its_event_clock() {
    let verdict = Judge::new(JudgePolicy::default()).unwrap().judge(&h200("tiny_add", "A2")).unwrap().verdict;
    assert!(
        matches!(verdict, Verdict::Inconclusive { why: Why::BelowClock { need_ns: 16_000, .. }, .. }),
        "{verdict:?}"
    );
}
