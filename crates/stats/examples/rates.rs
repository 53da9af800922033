//! Prints the tables of docs/judge.md: how often each verdict is given on each simulated machine, for each true speedup.
//!
//! `cargo run --release -p kforge-stats --example rates 4000`; the number is the count of validations a row of the first table, a
//! fourth of them is made for each row of the second. A further word, `machines` or `cases`, asks for one of the tables.

#![expect(clippy::print_stdout, reason = "an example's output is its purpose")]

use std::collections::BTreeMap;

use kforge_stats::simulate::{Machine, zoo};
use kforge_stats::{Error, Judge, JudgePolicy, OpSamples};

const TRUE_SPEEDUPS: [(&str, f64); 5] =
    [("1", 1.0), ("1.01", 1.01), ("1.02", 1.02), ("1.03", 1.03), ("1/1.05", 1.0 / 1.05)];

/// True speedups of the first seven cases and of the eighth.
const EIGHT_CASES: [(&str, f64, f64); 5] = [
    ("all 1", 1.0, 1.0),
    ("all 1.01", 1.01, 1.01),
    ("all 1.03", 1.03, 1.03),
    ("seven 1.05, one 1/1.02", 1.05, 1.0 / 1.02),
    ("seven 1.05, one 1/1.05", 1.05, 1.0 / 1.05),
];

fn main() -> Result<(), Error> {
    let mut words = std::env::args().skip(1);
    let runs: u64 = words.next().and_then(|text| text.parse().ok()).unwrap_or(200);
    let only = words.next();
    let judge = Judge::new(JudgePolicy::default())?;
    if only.as_deref() != Some("cases") {
        machines(runs, &judge)?;
    }
    if only.as_deref() != Some("machines") {
        cases(runs / 4, &judge)?;
    }
    Ok(())
}

fn machines(runs: u64, judge: &Judge) -> Result<(), Error> {
    println!("| machine | true speedup | faster | slower | same | inconclusive | void | launches (mean) |");
    println!("|---|---|---|---|---|---|---|---|");
    for named in zoo() {
        for (label, speedup) in TRUE_SPEEDUPS {
            let machine = Machine { speedup, ..named.machine.clone() };
            let tally =
                Tally::of(runs, judge, |seed| OpSamples::of_one_case(machine.case("x", 24, 8, seed)))?;
            let words = ["faster", "slower", "same", "inconclusive", "void"];
            println!("| {} | {label} | {} |", named.name, tally.cells(&words));
        }
    }
    Ok(())
}

fn cases(runs: u64, judge: &Judge) -> Result<(), Error> {
    println!("| eight cases | faster | slower | same | mixed | inconclusive | void | launches (mean) |");
    println!("|---|---|---|---|---|---|---|---|");
    let machine = Machine { process_sd: 0.005, launch_sd: 0.01, ..Machine::default() };
    for (label, seven, eighth) in EIGHT_CASES {
        let tally = Tally::of(runs, judge, |seed| {
            let speedup = |case| if case == 7 { eighth } else { seven };
            let one = |case| Machine { speedup: speedup(case), ..machine.clone() };
            let cases =
                (0..8).map(|case| one(case).case(&format!("c{case}"), 24, 8, seed * 8 + case)).collect();
            OpSamples { cases }
        })?;
        let words = ["faster", "slower", "same", "mixed", "inconclusive", "void"];
        println!("| {label} | {} |", tally.cells(&words));
    }
    Ok(())
}

/// Verdicts by word, and the launches that they took.
struct Tally {
    words: BTreeMap<&'static str, u64>,
    launches: u64,
    runs: u64,
}

impl Tally {
    fn of(runs: u64, judge: &Judge, made: impl Fn(u64) -> OpSamples) -> Result<Self, Error> {
        let mut tally = Self { words: BTreeMap::new(), launches: 0, runs };
        for seed in 0..runs {
            let judgement = judge.judge(&made(seed))?;
            *tally.words.entry(judgement.verdict.word()).or_default() += 1;
            tally.launches += judgement.look.map_or(0, |look| u64::from(look.launches));
        }
        Ok(tally)
    }

    /// Per cent of each word, and the mean number of launches.
    fn cells(&self, words: &[&str]) -> String {
        let share = |word: &&str| self.words.get(word).copied().unwrap_or(0) as f64 / self.runs as f64;
        let mut cells: Vec<String> = words.iter().map(|word| format!("{:.2}", 100.0 * share(word))).collect();
        cells.push(format!("{:.1}", self.launches as f64 / self.runs as f64));
        cells.join(" | ")
    }
}
