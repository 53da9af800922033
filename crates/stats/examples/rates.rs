//! Prints the table of docs/judge.md: how often each verdict is given, on each simulated machine, for each true speedup.
//!
//! `cargo run --release -p kforge-stats --example rates -- 2000`; the number is the count of validations a cell.

#![expect(clippy::print_stdout, reason = "an example's output is its purpose")]

use std::collections::BTreeMap;

use kforge_stats::simulate::{Machine, zoo};
use kforge_stats::{Error, Judge, JudgePolicy, OpSamples};

fn main() -> Result<(), Error> {
    let runs: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let judge = Judge::new(JudgePolicy::default())?;
    println!("| machine | true speedup | faster | slower | same | inconclusive | void | launches (mean) |");
    println!("|---|---|---|---|---|---|---|---|");
    for named in zoo() {
        for (label, speedup) in
            [("1", 1.0), ("1.01", 1.01), ("1.02", 1.02), ("1.03", 1.03), ("1/1.05", 1.0 / 1.05)]
        {
            let machine = Machine { speedup, ..named.machine.clone() };
            let mut words: BTreeMap<&str, u64> = BTreeMap::new();
            let mut launches = 0;
            for seed in 0..runs {
                let judgement = judge.judge(&OpSamples::of_one_case(machine.case("x", 24, 8, seed)))?;
                *words.entry(judgement.verdict.word()).or_default() += 1;
                launches += judgement.look.map_or(0, |look| u64::from(look.launches));
            }
            let share = |word: &str| 100.0 * words.get(word).copied().unwrap_or(0) as f64 / runs as f64;
            println!(
                "| {} | {label} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} |",
                named.name,
                share("faster"),
                share("slower"),
                share("same"),
                share("inconclusive"),
                share("void"),
                launches as f64 / runs as f64
            );
        }
    }
    Ok(())
}
