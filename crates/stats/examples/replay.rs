//! Prints the replay of docs/judge.md: recorded repetitions of public search spaces, judged against themselves, with a difference of
//! known size by construction, and in pairs of configurations whose recorded times differ little or much.
//!
//! `KFORGE_CORPUS=PATH cargo run -p kforge-stats --example replay 100000`; the number is how many configurations of a set are taken at most.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example's output is its purpose")]

use std::collections::BTreeMap;

use kernel_tuner::{DataSet, SKIPPED, interleaved, scaled, single_blocks, word_of_one};
use kforge_stats::simulate::upper_bound;
use kforge_stats::{Block, Judge};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

#[path = "../tests/recorded/kernel_tuner.rs"]
mod kernel_tuner;

/// The true speedups that are made by dividing the candidate's times.
const MADE: [f64; 3] = [1.02, 1.03, 1.05];

fn main() {
    let most = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(300);
    let Some(sets) = kernel_tuner::data_sets(most) else {
        eprintln!("skipped: no corpus at KFORGE_CORPUS or ../shared/corpus");
        return;
    };
    let (Some(thirds), Some(halves)) = (single_blocks(vec![8, 10]), single_blocks(vec![8, 12, 15])) else {
        eprintln!("the looks of the replay are not those of a judge");
        return;
    };
    against_themselves(&sets, &thirds);
    println!();
    in_pairs(&sets, &halves);
}

/// A configuration against itself, and with the candidate made faster and slower.
fn against_themselves(sets: &[DataSet], judge: &Judge) {
    println!(
        "| data set | configurations | itself: faster, slower, void | upper bound | 1.02: faster | 1.03 | 1.05 | 1/1.02: slower | 1/1.03 | 1/1.05 | opposite |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut all, mut wrong) = (0, 0);
    for set in sets {
        let random = &mut ChaCha8Rng::seed_from_u64(1);
        let mut words = |factor: f64| {
            Tally::of(set.rows.iter().map(|row| word_of_one(judge, scaled(interleaved(row, random), factor))))
        };
        let itself = words(1.0);
        let faster = MADE.map(|speedup| words(1.0 / speedup));
        let slower = MADE.map(&mut words);
        let opposite: u64 =
            faster.iter().map(|t| t.count("slower")).chain(slower.iter().map(|t| t.count("faster"))).sum();
        let errors = itself.count("faster") + itself.count("slower");
        let cells =
            |tallies: &[Tally; 3], word: &str| tallies.each_ref().map(|tally| tally.share(word)).join(" | ");
        println!(
            "| {} | {} | {}, {}, {} | {:.4} % | {} | {} | {opposite} |",
            short(&set.name),
            itself.runs,
            itself.count("faster"),
            itself.count("slower"),
            itself.count("void"),
            100.0 * upper_bound(errors, itself.runs),
            cells(&faster, "faster"),
            cells(&slower, "slower"),
        );
        all += itself.runs;
        wrong += errors;
    }
    println!("| all | {all} | {wrong} differ | {:.4} % | | | | | | | |", 100.0 * upper_bound(wrong, all));
}

/// Two configurations, neighbours in the order of their geometric means or apart by a known step.
fn in_pairs(sets: &[DataSet], judge: &Judge) {
    println!(
        "| data set | within 0.2 %: pairs, faster, slower | upper bound | 2 to 3 %: pairs, seen | 3 to 5 % | 5 to 10 % | opposite |"
    );
    println!("|---|---|---|---|---|---|---|");
    for set in sets {
        let random = &mut ChaCha8Rng::seed_from_u64(3);
        let kept = set.rows.iter().filter_map(|row| row.get(SKIPPED..));
        let mut ordered: Vec<(f64, &[i64])> = kept.map(|row| (centre(row), row)).collect();
        ordered.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut judged = |low: f64, high: f64| {
            let pairs = pairs(&ordered, low, high);
            // Which of the two is the candidate alternates, so that faster and slower are seen alike often.
            Tally::of(pairs.into_iter().enumerate().map(|(at, (quick, slow))| {
                let (a, b, right) =
                    if at % 2 == 0 { (slow, quick, "faster") } else { (quick, slow, "slower") };
                match word_of_one(judge, of_two(a, b, random)) {
                    word if low == 0.0 => word,
                    word if word == right => "seen",
                    "faster" | "slower" => "opposite",
                    word => word,
                }
            }))
        };
        let near = judged(0.0, 0.002);
        let apart = [(0.02, 0.03), (0.03, 0.05), (0.05, 0.10)].map(|(low, high)| judged(low, high));
        let errors = near.count("faster") + near.count("slower");
        println!(
            "| {} | {}, {}, {} | {:.4} % | {} | {} |",
            short(&set.name),
            near.runs,
            near.count("faster"),
            near.count("slower"),
            100.0 * upper_bound(errors, near.runs),
            apart.each_ref().map(|tally| format!("{}, {}", tally.runs, tally.share("seen"))).join(" | "),
            apart.iter().map(|tally| tally.count("opposite")).sum::<u64>(),
        );
    }
}

/// Of each configuration the nearest partner whose geometric mean is `low` to `high` above its own, where the medians say the same: with
/// a tail on one side only, there is no difference of known size.
fn pairs<'a>(ordered: &[(f64, &'a [i64])], low: f64, high: f64) -> Vec<(&'a [i64], &'a [i64])> {
    let partner = |(at, (ns, row)): (usize, &(f64, &'a [i64]))| {
        let later = ordered.get(at + 1..)?;
        let from = later.partition_point(|(other, _)| *other < ns * (1.0 + low));
        let (other, its) = later.get(from)?;
        let medians = median(its) / median(row);
        let least = if low == 0.0 { 1.0 / (1.0 + high) } else { 1.0 + low };
        (*other <= ns * (1.0 + high) && (least..=1.0 + high).contains(&medians)).then_some((*row, *its))
    };
    ordered.iter().enumerate().filter_map(partner).collect()
}

fn median(times: &[i64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).map_or(f64::NAN, |ns| *ns as f64)
}

/// Blocks of two repetitions of `a` and one of `b`, each row in random order: the two were recorded one after the other, so that a drift
/// of one of them would else be a difference of its first blocks.
fn of_two(a: &[i64], b: &[i64], random: &mut ChaCha8Rng) -> Vec<Block> {
    let (a, b) = (shuffled(a, random), shuffled(b, random));
    a.chunks_exact(2).zip(b).map(|(a, b)| Block::new(a[0], a[1], b)).collect()
}

fn shuffled(times: &[i64], random: &mut ChaCha8Rng) -> Vec<i64> {
    let mut keyed: Vec<(u64, i64)> = times.iter().map(|ns| (random.next_u64(), *ns)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, ns)| ns).collect()
}

/// The geometric mean in ns: of launches of one block the judge takes the mean of the logarithms too.
fn centre(times: &[i64]) -> f64 {
    libm::exp(times.iter().map(|ns| libm::log(*ns as f64)).sum::<f64>() / times.len().max(1) as f64)
}

/// Operation and device of a file's name.
fn short(name: &str) -> String {
    let stem = name.trim_end_matches(".json");
    let mut parts = stem.rsplit("__");
    let device = parts.next().unwrap_or(stem);
    parts.next().map_or_else(
        || device.to_owned(),
        |operation| format!("{}, {device}", operation.trim_end_matches("_milo")),
    )
}

/// Verdicts by word.
struct Tally {
    words: BTreeMap<&'static str, u64>,
    runs: u64,
}

impl Tally {
    fn of(words: impl Iterator<Item = &'static str>) -> Self {
        let mut tally = Self { words: BTreeMap::new(), runs: 0 };
        for word in words {
            *tally.words.entry(word).or_default() += 1;
            tally.runs += 1;
        }
        tally
    }

    fn count(&self, word: &str) -> u64 {
        self.words.get(word).copied().unwrap_or(0)
    }

    fn share(&self, word: &str) -> String {
        format!("{:.1} %", 100.0 * self.count(word) as f64 / self.runs.max(1) as f64)
    }
}
