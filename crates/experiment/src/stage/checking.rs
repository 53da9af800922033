//! Results beside the reference's: first data, then new data behind the same pointers, every output poisoned before.
//!
//! Each side has one process for all cases, and the reference has its own; a contestant never meets the reference's outputs. Slots,
//! orders and poison are drawn with randomness that the runners do not see.

use super::built::{is_candidate, runner_error};
use super::engine::{Engine, Remark, SideTrouble};
use super::oddity::oddity;
use super::trial::Trial;
use crate::compare::{Expected, compare};
use crate::draw::Entropy;
use crate::dtype::Dtype;
use crate::error::Error;
use crate::operands::Audience;
use crate::philox::Stream;
use crate::runner::{
    Batch, Dump, DumpedOutput, FaultKind, InputDigests, Operand, Preparation, Role, Runner, RunnerFault,
};
use crate::spec::{Experiment, OutputSpec};
use crate::tensor_digest::tensor_digest;
use kforge_record::{Check, CheckedInput, CheckedOutput, Digest, Tolerance, ToleranceProfile};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::iter;

/// What a case must give, for both fills of its slots.
pub(super) struct Expectation {
    /// For the first data and for the data that replaces it.
    pub(super) fills: [Fill; 2],
    pub(super) slots: u32,
}

/// One fill of all slots.
pub(super) struct Fill {
    pub(super) seed: u64,
    /// What every slot's inputs hash to.
    pub(super) inputs: Vec<InputDigests>,
    /// The reference's outputs, by slot and name.
    pub(super) outputs: BTreeMap<(u32, String), Vec<u8>>,
}

impl Fill {
    /// The checked slot whose data a slot holds; there may be more slots than checked ones.
    fn data_of(&self, slot: u32) -> u32 {
        slot.checked_rem(self.inputs.len() as u32).unwrap_or(slot)
    }
}

/// What checking found.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) checks: Vec<Check>,
    /// Sides whose runner gave no usable answer.
    pub(super) troubles: BTreeMap<String, SideTrouble>,
    /// Sides whose wrong results have a name.
    pub(super) named: BTreeMap<String, String>,
}

/// The processes of a check.
pub(super) struct Checking<'a, 'e> {
    engine: Engine<'a>,
    entropy: &'e mut dyn Entropy,
    reference: Box<dyn Runner + 'a>,
    contestants: BTreeMap<String, Box<dyn Runner + 'a>>,
    findings: Findings,
}

/// A failure inside the reference's process.
fn of_reference(fault: &RunnerFault) -> Error {
    runner_error("reference", fault)
}

impl<'a, 'e> Checking<'a, 'e> {
    /// Starts a fresh process of the reference and of every contestant.
    pub(super) fn start(
        engine: Engine<'a>,
        names: &[String],
        entropy: &'e mut dyn Entropy,
    ) -> Result<Self, Error> {
        let all: Vec<&str> = iter::once("reference").chain(names.iter().map(String::as_str)).collect();
        let mut answers = engine.greet_all(&all).into_iter();
        let first = answers.next().ok_or_else(|| Error::Bug("nobody was greeted".to_owned()))?;
        let reference = first.map_err(|fault| of_reference(&fault))?.runner;
        let mut checking =
            Self { engine, entropy, reference, contestants: BTreeMap::new(), findings: Findings::default() };
        for (name, answer) in names.iter().zip(answers) {
            match answer {
                Ok(greeted) => {
                    checking.contestants.insert(name.clone(), greeted.runner);
                }
                Err(fault) => checking.trouble(name, &fault)?,
            }
        }
        Ok(checking)
    }

    fn trouble(&mut self, name: &str, fault: &RunnerFault) -> Result<(), Error> {
        if fault.kind == FaultKind::Interrupted {
            return Err(Error::Interrupted);
        }
        self.contestants.remove(name);
        self.findings.troubles.insert(name.to_owned(), SideTrouble::of_runner("check", fault));
        Ok(())
    }

    /// Runs the reference on both fills of a case.
    pub(super) fn expect(&mut self, trial: &Trial) -> Result<Expectation, Error> {
        let slots = self.engine.experiment.tuning.slots;
        let first = self.reference_fill(trial, trial.seed, slots, true)?;
        let second = self.reference_fill(trial, trial.refill_seed, slots, false)?;
        Ok(Expectation { fills: [first, second], slots })
    }

    fn reference_fill(&mut self, trial: &Trial, seed: u64, slots: u32, fresh: bool) -> Result<Fill, Error> {
        let operands = self.engine.operands().of(&trial.case, seed, slots, Audience::Reference)?;
        let expected = digests(&operands, slots)?;
        let reference = self.reference.as_mut();
        let mut answer = || {
            let held = if fresh {
                reference.prepare(&preparation(trial, slots, operands.clone()))?
            } else {
                reference.refill(&operands)?
            };
            same_inputs(&expected, &held)?;
            reference.poison(seed)?;
            reference.run(&round((0..slots).collect()))?;
            dump_all(reference, &operands, slots, self.engine.experiment)
        };
        let dump = answer().map_err(|fault| {
            of_reference(&RunnerFault { what: format!("{} (case {})", fault.what, trial.case.name), ..fault })
        })?;
        let outputs =
            dump.outputs.into_iter().map(|output| ((output.slot, output.name), output.bytes)).collect();
        Ok(Fill { seed, inputs: expected, outputs })
    }

    /// Checks one contestant on a case, both fills.
    pub(super) fn check(
        &mut self,
        name: &str,
        trial: &Trial,
        expectation: &Expectation,
        build: Digest,
    ) -> Result<(), Error> {
        let mut seen: Vec<Remembered> = Vec::new();
        for (phase, fill) in [("before", 0), ("refill", 1)] {
            let Some(runner) = self.contestants.get_mut(name) else { return Ok(()) };
            let engine = self.engine;
            let wanted = &expectation.fills[fill];
            let operands =
                engine.operands().of(&trial.case, wanted.seed, expectation.slots, Audience::Contestant)?;
            let nonce = super::plan::nonce(self.entropy);
            let mut order: Vec<u32> = (0..expectation.slots).collect();
            Stream::new(self.entropy.seed(), 1).shuffle(&mut order);
            let mut answer = || {
                let held = if fill == 0 {
                    runner.prepare(&preparation(trial, expectation.slots, operands.clone()))?
                } else {
                    runner.refill(&operands)?
                };
                same_inputs(&wanted.inputs, &held)?;
                runner.poison(nonce)?;
                runner.run(&round(order.clone()))?;
                dump_all(runner.as_mut(), &operands, expectation.slots, engine.experiment)
            };
            let dump = match answer() {
                Ok(dump) => dump,
                Err(fault) => {
                    let fault =
                        RunnerFault { what: format!("{} (case {})", fault.what, trial.case.name), ..fault };
                    return self.trouble(name, &fault);
                }
            };
            let comparison =
                Comparison { experiment: engine.experiment, trial, fill: wanted, operands: &operands, nonce };
            let check = comparison.check(name, phase, build, &dump);
            if !check.passed
                && !self.findings.named.contains_key(name)
                && let Some(cause) = cached(&comparison, &dump, &seen, &check, expectation, fill)
                    .or_else(|| comparison.oddity(&check, &dump))
            {
                self.findings.named.insert(name.to_owned(), format!("case {}: {cause}", trial.case.name));
            }
            seen.extend(dump.outputs.into_iter().map(|output| Remembered { fill, output }));
            self.findings.checks.push(check);
        }
        Ok(())
    }

    /// Ends every process.
    pub(super) fn finish(mut self) -> Findings {
        let what = "while it was checked";
        self.engine.remark(Remark::left("reference", what, &self.reference.quit()));
        for (name, runner) in &mut self.contestants {
            self.engine.remark(Remark::left(name, what, &runner.quit()));
        }
        self.findings
    }
}

/// An output that a contestant gave earlier for the same case.
struct Remembered {
    fill: usize,
    output: DumpedOutput,
}

/// The name of a wrong result that is a right result of other inputs.
fn cached(
    comparison: &Comparison<'_>,
    dump: &Dump,
    seen: &[Remembered],
    check: &Check,
    expectation: &Expectation,
    fill: usize,
) -> Option<String> {
    let wrong = |name: &str| is_wrong_but_written(check, name);
    let now = dump.outputs.iter().map(|output| (fill, output));
    let earlier: Vec<(usize, &DumpedOutput)> =
        seen.iter().map(|old| (old.fill, &old.output)).chain(now).collect();
    let expected = |fill: usize, output: &DumpedOutput| {
        expectation.fills[fill].outputs.get(&(output.slot, output.name.clone()))
    };
    dump.outputs.iter().filter(|output| wrong(&output.name)).find_map(|output| {
        let (from, twin) = earlier.iter().find(|(from, old)| {
            let other = (*from, old.slot) != (fill, output.slot);
            let differs = expected(*from, old) != expected(fill, output);
            let same = old.name == output.name && old.bytes == output.bytes;
            other && differs && same && comparison.is_right(&expectation.fills[*from], old)
        })?;
        let which = if *from == fill {
            format!("slot {}", twin.slot)
        } else {
            format!("slot {} before its data changed", twin.slot)
        };
        Some(format!(
            "returns a cached result: output {} of slot {} is that of {which}",
            output.name, output.slot
        ))
    })
}

/// What was not written holds the same poison everywhere; that is no result of anything.
fn is_wrong_but_written(check: &Check, name: &str) -> bool {
    check.outputs.iter().any(|output| output.name == name && !output.passed && output.poison_survivors == 0)
}

/// Compares what a contestant gave with a fill.
pub(super) struct Comparison<'c> {
    pub(super) experiment: &'c Experiment,
    pub(super) trial: &'c Trial,
    pub(super) fill: &'c Fill,
    pub(super) operands: &'c [Operand],
    pub(super) nonce: u64,
}

impl Comparison<'_> {
    /// One check over all dumped slots: of every output and input, the slot where it is worst.
    pub(super) fn check(&self, side: &str, phase: &str, build: Digest, dump: &Dump) -> Check {
        let mut slots: Vec<u32> = dump.outputs.iter().map(|output| output.slot).collect();
        slots.dedup();
        let outputs = self
            .experiment
            .outputs
            .iter()
            .map(|spec| {
                let each = slots.iter().map(|slot| self.output(spec, *slot, dump));
                each.reduce(worse).unwrap_or_else(|| self.output(spec, 0, dump))
            })
            .collect();
        let inputs =
            self.operands.iter().filter(|operand| operand.role != Role::Output).filter_map(|operand| {
                let each = slots
                    .iter()
                    .enumerate()
                    .filter_map(|(position, slot)| self.input(operand, *slot, position, dump));
                each.reduce(|kept, next| if kept.before == kept.after { next } else { kept })
            });
        let mut check = Check {
            case: self.trial.case.name.clone(),
            side: side.to_owned(),
            build,
            phase: phase.to_owned(),
            seed: self.fill.seed,
            outputs,
            inputs: inputs.collect(),
            passed: false,
        };
        check.passed = check.computed_pass();
        check
    }

    fn output(&self, spec: &OutputSpec, slot: u32, dump: &Dump) -> CheckedOutput {
        let dtype = self.experiment.dtype(&self.trial.case, &spec.name, spec.dtype);
        let operand =
            self.operands.iter().find(|operand| operand.name == spec.name && operand.role != Role::Input);
        let shape = operand.map(|operand| operand.shape.clone()).unwrap_or_default();
        let in_place = operand.is_some_and(|operand| operand.role == Role::InOut);
        let absent = DumpedOutput {
            slot,
            name: spec.name.clone(),
            dtype: "absent".to_owned(),
            shape: Vec::new(),
            bytes: Vec::new(),
        };
        let got = dump
            .outputs
            .iter()
            .find(|output| output.slot == slot && output.name == spec.name)
            .unwrap_or(&absent);
        let empty = Vec::new();
        let (tolerance, profile) = self.allowed(spec, dtype);
        let expected = Expected {
            name: &spec.name,
            dtype,
            shape: &shape,
            tolerance,
            profile,
            reference: self.fill.outputs.get(&(self.fill.data_of(slot), spec.name.clone())).unwrap_or(&empty),
            nonce: (!in_place).then_some(self.nonce),
        };
        compare(&expected, got)
    }

    /// What an output may differ by here. Every case was tried when it was read or drawn; without a value nothing is allowed.
    fn allowed(&self, spec: &OutputSpec, dtype: Dtype) -> (Tolerance, Option<ToleranceProfile>) {
        let allowed = spec.allowed(dtype, &self.trial.case.params);
        allowed.map_or((Tolerance::EXACT, None), |(tolerance, profile)| (tolerance, Some(profile)))
    }

    /// What a wrong output looks like, where that says more than a count.
    fn oddity(&self, check: &Check, dump: &Dump) -> Option<String> {
        let wrong = dump.outputs.iter().filter(|output| is_wrong_but_written(check, &output.name));
        wrong.into_iter().find_map(|output| {
            let spec = self.experiment.outputs.iter().find(|spec| spec.name == output.name)?;
            let dtype = self.experiment.dtype(&self.trial.case, &spec.name, spec.dtype);
            let reference = self.fill.outputs.get(&(self.fill.data_of(output.slot), output.name.clone()))?;
            (output.dtype == dtype.name()).then(|| oddity(output, dtype, reference))?
        })
    }

    /// Whether an output is what another fill of the same case must give.
    fn is_right(&self, fill: &Fill, output: &DumpedOutput) -> bool {
        let one = Dump { outputs: vec![output.clone()], inputs: Vec::new() };
        let spec = self.experiment.outputs.iter().find(|spec| spec.name == output.name);
        spec.is_some_and(|spec| Comparison { fill, ..*self }.output(spec, output.slot, &one).passed)
    }

    fn input(&self, operand: &Operand, slot: u32, position: usize, dump: &Dump) -> Option<CheckedInput> {
        let before = self.fill.inputs.get(self.fill.data_of(slot) as usize)?.get(&operand.name)?;
        let inout = operand.role == Role::InOut;
        let after = if inout {
            let output =
                dump.outputs.iter().find(|output| output.slot == slot && output.name == operand.name)?;
            tensor_digest(&output.bytes)
        } else {
            dump.inputs
                .get(position)
                .and_then(|inputs| inputs.get(&operand.name))
                .cloned()
                .unwrap_or_default()
        };
        Some(CheckedInput {
            name: operand.name.clone(),
            inout,
            before: digest(before),
            after: digest(&after),
        })
    }
}

/// A digest of 64 digits, or, where a runner gave something else, one that equals no other.
fn digest(text: &str) -> Digest {
    text.parse().unwrap_or_else(|_| Digest::of_bytes(text.as_bytes()))
}

/// The one of two results that says more against the side.
fn worse(a: CheckedOutput, b: CheckedOutput) -> CheckedOutput {
    let weight = |output: &CheckedOutput| (!output.passed, output.mismatches, output.max_abs.get());
    if weight(&b) > weight(&a) { b } else { a }
}

pub(super) fn preparation(trial: &Trial, slots: u32, operands: Vec<Operand>) -> Preparation {
    let (case, params) = (trial.case.name.clone(), trial.case.params.clone());
    Preparation { case, params, slots, distinct: slots, operands }
}

/// Every slot once.
fn round(order: Vec<u32>) -> Batch {
    Batch::plain(order, 1, 1)
}

/// What every slot's inputs hash to, computed here from the recipes.
pub(super) fn digests(operands: &[Operand], slots: u32) -> Result<Vec<InputDigests>, Error> {
    (0..slots)
        .into_par_iter()
        .map(|slot| {
            operands
                .iter()
                .filter(|operand| operand.role != Role::Output)
                .map(|operand| {
                    let bytes = operand
                        .recipe
                        .bytes(operand.dtype, operand.count(), slot)
                        .map_err(|error| Error::io(&operand.name, error))?;
                    Ok((operand.name.clone(), tensor_digest(&bytes)))
                })
                .collect()
        })
        .collect()
}

/// The runner holds what it was told to hold.
pub(super) fn same_inputs(expected: &[InputDigests], held: &[InputDigests]) -> Result<(), RunnerFault> {
    if expected == held {
        return Ok(());
    }
    let names = expected.iter().zip(held).flat_map(|(want, have)| {
        want.iter()
            .filter(move |(name, digest)| have.get(*name) != Some(digest))
            .map(|(name, _)| name.as_str())
    });
    let first = names.into_iter().next().unwrap_or("a slot");
    Err(RunnerFault::new(FaultKind::Refused, format!("holds other inputs than it was told to ({first})")))
}

/// Outputs of all slots where they fit the budget, else of as many as fit, at least one.
fn dump_all(
    runner: &mut dyn Runner,
    operands: &[Operand],
    slots: u32,
    experiment: &Experiment,
) -> Result<Dump, RunnerFault> {
    let bytes: u64 = operands.iter().filter(|operand| operand.role != Role::Input).map(Operand::bytes).sum();
    let chunk = (experiment.tuning.dump_bytes / bytes.max(1)).clamp(1, u64::from(slots)) as u32;
    let mut whole = Dump::default();
    let mut next = 0;
    while next < slots {
        let part: Vec<u32> = (next..slots.min(next + chunk)).collect();
        let mut dump = runner.dump(&part)?;
        if dump.inputs.len() != part.len() {
            return Err(RunnerFault::new(
                FaultKind::Garbage,
                format!("hashed {} of {} slots", dump.inputs.len(), part.len()),
            ));
        }
        whole.outputs.append(&mut dump.outputs);
        whole.inputs.append(&mut dump.inputs);
        next += chunk;
    }
    Ok(whole)
}

/// Whether a side passed every check of a case and has no failure.
pub(super) fn passed_everywhere(checks: &[Check], side: &str, trials: &[Trial]) -> bool {
    let of = |case: &str, phase: &str| {
        checks.iter().any(|check| {
            check.side == side && check.case == case && check.phase == phase && check.computed_pass()
        })
    };
    let none_failed = checks.iter().filter(|check| check.side == side).all(Check::computed_pass);
    none_failed && trials.iter().all(|trial| of(&trial.case.name, "before") && of(&trial.case.name, "refill"))
}

/// True for sides whose checks belong to a candidate's evidence.
pub(super) fn belongs(check: &Check, candidate: &str) -> bool {
    check.side == candidate || !is_candidate(&check.side)
}
