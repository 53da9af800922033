//! From what the stages saw to the record's facts.

use super::checked::Checked;
use super::checking::belongs;
use super::trial::Trial;
use crate::device::Observation;
use crate::error::Error;
use crate::expression::Expression;
use crate::spec::CacheMode;
use kforge_record::{
    CaseOrigin, Check, Claim, ClockCheck, Digest, Disturbance, Environment, Evidence, Facts, Failure,
    FloorCheck, FloorStatus, Launch, PriorRun, Run, Sealed as SealedEvidence, Sides, VoidFinding,
};
use std::collections::BTreeMap;

/// What the facade knows of a run and the engine does not.
#[derive(Clone, Debug)]
pub struct RunContext {
    /// When, and with what.
    pub run: Run,
    /// What was claimed before measuring.
    pub claim: Option<Claim>,
    /// Earlier runs of the same pair.
    pub prior: Vec<PriorRun>,
    /// The command prefix, where one was used.
    pub prefix: Option<String>,
    /// The digest of the variables given to builds and runners.
    pub variables: Digest,
    /// Variables that they inherit and that choose what runs, by name.
    pub inherited: BTreeMap<String, String>,
}

/// What timing saw.
pub(super) struct Measured {
    pub(super) launches: Vec<Launch>,
    pub(super) checks: Vec<Check>,
    pub(super) clock: Vec<ClockCheck>,
    pub(super) voids: Vec<VoidFinding>,
    pub(super) disturbances: Vec<Disturbance>,
    pub(super) failure: Option<Failure>,
    pub(super) before: Observation,
    pub(super) after: Observation,
}

impl Measured {
    /// Nothing was timed.
    pub(super) fn nothing(checked: &Checked<'_>) -> Self {
        let now = checked.engine.device.observe();
        Self {
            launches: Vec::new(),
            checks: Vec::new(),
            clock: Vec::new(),
            voids: Vec::new(),
            disturbances: Vec::new(),
            failure: None,
            before: now.clone(),
            after: now,
        }
    }
}

/// Assembles the facts about one candidate and seals the evidence.
pub(super) fn seal_evidence(
    checked: &Checked<'_>,
    candidate: &str,
    context: &RunContext,
    measured: Measured,
) -> Result<SealedEvidence, Error> {
    let engine = checked.engine;
    let mut sides = Sides {
        reference: checked.side("reference")?.side.clone(),
        baseline: checked.side("baseline")?.side.clone(),
        candidate: checked.side(candidate)?.side.clone(),
    };
    if let Some(failure) = measured.failure {
        sides.candidate.failure = Some(failure);
    }
    let mut checks: Vec<Check> =
        checked.checks.iter().filter(|check| belongs(check, candidate)).cloned().collect();
    checks.extend(measured.checks);
    let mut voids: Vec<VoidFinding> = Vec::new();
    for name in ["reference", "baseline", candidate] {
        voids.extend(checked.side(name)?.findings.iter().cloned());
    }
    voids.extend(measured.voids);
    let facts = Facts {
        op: engine.experiment.op.clone(),
        candidate: candidate.to_owned(),
        run: context.run.clone(),
        sides,
        environment: environment(checked, context, &measured.before, &measured.after)?,
        cases: checked.trials.iter().map(|trial| trial.record(engine.experiment)).collect(),
        checks,
        clock: measured.clock,
        floor: floors(checked),
        voids,
        disturbances: measured.disturbances,
        policy: engine.experiment.tuning.policy.clone(),
        claim: context.claim.clone(),
        prior: context.prior.clone(),
    };
    Ok(Evidence::seal(facts, measured.launches)?)
}

fn environment(
    checked: &Checked<'_>,
    context: &RunContext,
    before: &Observation,
    after: &Observation,
) -> Result<Environment, Error> {
    let device = checked.engine.device;
    let mut observations = BTreeMap::new();
    for (when, observation) in [("before", before), ("after", after)] {
        observations
            .extend(observation.facts.iter().map(|(name, value)| (format!("{name}_{when}"), value.clone())));
    }
    let inherited = context.inherited.iter();
    observations.extend(inherited.map(|(name, value)| (format!("variable {name}"), value.clone())));
    observations.insert("cache_mode".to_owned(), checked.engine.experiment.tuning.cache.word().to_owned());
    let environment = Environment {
        id: Digest::of_bytes(b""),
        device: device.describe(),
        kernel: device.kernel(),
        governor: device.governor(),
        prefix: context.prefix.clone(),
        variables: context.variables,
        load_before_milli: before.load_milli,
        load_after_milli: after.load_milli,
        observations,
    };
    Ok(environment.identified()?)
}

fn floors(checked: &Checked<'_>) -> Vec<FloorCheck> {
    let mode = checked.engine.experiment.tuning.cache;
    let declared = checked.trials.iter().filter(|trial| trial.origin == CaseOrigin::Declared);
    declared
        .map(|trial| FloorCheck { case: trial.case.name.clone(), limit: limit(checked, trial, mode).1 })
        .collect()
}

/// What one call of a case must move, in bytes, and compute, in floating-point operations.
pub(super) type Amounts = (Option<u64>, Option<u64>);

/// The work of a case and the physical limit that follows from it.
pub(super) fn limit(checked: &Checked<'_>, trial: &Trial, mode: CacheMode) -> (Amounts, FloorStatus) {
    let engine = checked.engine;
    let amount = |expression: &Option<Expression>| {
        let value = expression.as_ref()?.value(&trial.case.params).ok()?;
        u64::try_from(value).ok()
    };
    let work = &engine.experiment.work;
    let (bytes, flops) = (amount(&work.bytes), amount(&work.flops));
    ((bytes, flops), engine.device.floor(bytes, flops, mode))
}
