//! Runs the steps in order and prints one line each, then every finding.
//!
//! Refuses an unknown step name, and a step that looked at nothing. Invariant: the answer is 0 only if every
//! requested step ran to its end without a finding.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use crate::finding::{Examined, Stop};
use crate::repository::Repository;
use crate::steps;

/// One step of `cargo xtask check`.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// The rule that it holds, in one line.
    pub(crate) rule: &'static str,
    pub(crate) run: fn(&Repository) -> Result<Examined, Stop>,
}

/// Cheap steps come first, so that a wrong word is not found only after a build.
pub(crate) const STEPS: [Step; 12] = [
    step("words", "no machine paths, no placeholders, text that stands alone", steps::words::run),
    step("sizes", "source files and stored files stay small", steps::sizes::run),
    step("modules", "modules say what they answer; lib.rs and mod.rs re-export only", steps::modules::run),
    step("links", "relative links lead to a file; CI runs the README's test command", steps::links::run),
    step("layers", "layers.toml agrees with cargo metadata", steps::layers::run),
    step("doors", "files, processes, environment, threads, network where allowed", steps::doors::run),
    step("dependencies", "licences, bans, sources, duplicates, a reason each", steps::dependencies::run),
    step("errors", "error enums are small, every variant has a code", steps::errors::run),
    step("fmt", "cargo fmt has nothing to change", steps::toolchain::fmt),
    step("clippy", "clippy is silent with warnings denied", steps::toolchain::clippy),
    step("reference", "docs/reference is what the built kforge says of itself", steps::reference::run),
    step("commands", "every command line in the documents parses", steps::commands::run),
];

const fn step(
    name: &'static str,
    rule: &'static str,
    run: fn(&Repository) -> Result<Examined, Stop>,
) -> Step {
    Step { name, rule, run }
}

/// The steps and their rules, a line each.
pub(crate) fn list() -> String {
    STEPS.iter().fold(String::new(), |mut text, step| {
        let _ = writeln!(text, "{:<13} {}", step.name, step.rule);
        text
    })
}

/// Runs the steps in `named`, or all where none is named.
pub(crate) fn run(repository: &Repository, named: &[&str]) -> Result<ExitCode, Stop> {
    let chosen = choose(named)?;
    let mut failed = 0_usize;
    for step in &chosen {
        let clock = progress_clock();
        let examined = (step.run)(repository)?;
        if examined.looked_at.is_empty() {
            return Err(Stop::Vacuous { step: step.name });
        }
        let seconds = clock.elapsed().as_secs_f64();
        let mark = if examined.findings.is_empty() { "ok  " } else { "FAIL" };
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{mark} {:<13} {seconds:7.1} s  {}", step.name, examined.looked_at);
        for finding in &examined.findings {
            let _ = writeln!(out, "  {finding}");
        }
        failed += usize::from(!examined.findings.is_empty());
    }
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{} steps, {failed} with findings", chosen.len());
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn choose(named: &[&str]) -> Result<Vec<&'static Step>, Stop> {
    if named.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    named
        .iter()
        .map(|name| {
            STEPS
                .iter()
                .find(|step| step.name == *name)
                .ok_or_else(|| Stop::UnknownStep { name: (*name).to_owned() })
        })
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "durations of the steps are for the reader of the log only")]
fn progress_clock() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::{STEPS, choose, list};

    #[test]
    fn an_unknown_step_is_refused_by_name() {
        let stop = choose(&["layers", "layer"]).err().unwrap();
        assert_eq!(stop.to_string(), "no step is called `layer`");
    }

    #[test]
    fn no_name_means_every_step_and_names_are_unique() {
        let mut names: Vec<&str> = choose(&[]).unwrap().iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
        assert_eq!(list().lines().count(), STEPS.len());
    }
}
