//! The machines on which the judge's error and power are stated; `docs/judge.md` prints the table made from them.
//!
//! Their sizes follow recorded timings: between processes 0.5 % is a quiet GPU and 1.5 % a shared CPU, a lag-1 correlation of 0.7
//! and a drift of several per cent occur in published raw samples, and a device clock may tick in 32 ns.

use super::machine::Machine;

/// A machine with the word under which it is reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// One or two words.
    pub name: &'static str,
    /// Its faults.
    pub machine: Machine,
}

/// The machines, from quiet to bad.
pub fn zoo() -> Vec<Named> {
    let process = Machine { process_sd: 0.005, launch_sd: 0.01, ..Machine::default() };
    let named = |name, machine| Named { name, machine };
    vec![
        named("quiet", Machine::default()),
        named("launch effects", process.clone()),
        named(
            "correlated, drifting",
            Machine { autocorrelation: 0.7, drift: 0.05, sample_sd: 0.01, ..process.clone() },
        ),
        named("two clocks", Machine { slow_chance: 0.3, slow_log: 0.1, ..process.clone() }),
        named("outliers", Machine { outlier_chance: 0.05, outlier_log: 1.0, ..process.clone() }),
        named(
            "coarse clock",
            Machine { base_ns: 17_000.0, tick_ns: 32, sample_sd: 0.001, ..Machine::default() },
        ),
        named("noisy", Machine { process_sd: 0.015, sample_sd: 0.02, ..process }),
    ]
}
