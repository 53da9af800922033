//! What `validate` answers: for every candidate its verdict and all that led to it.

use super::exactness::OutputErrors;
use super::resources::Resources;
use super::since::Base;
use crate::{ExitClass, Note};
use kforge_record::{
    CaseOrigin, Check, CheckedOutput, Claim, ClockCheck, Digest, Disturbance, Evidence, FloorStatus,
    LoosenedValue, Sealed, VoidFinding,
};
use kforge_stats::{Measured, Verdict};
use serde::Serialize;

/// The whole answer.
#[derive(Debug, Serialize)]
pub struct Response {
    /// The operation.
    pub op: String,
    /// The experiment.toml.
    pub experiment: String,
    /// The device, as the system names it.
    pub device: String,
    /// The command prefix, where one was used.
    pub prefix: Option<String>,
    /// The state of the caches in which samples were taken.
    pub cache: String,
    /// The two trees, where the working tree was compared with an earlier commit instead of the experiment's baseline.
    pub base: Option<Base>,
    /// One answer a candidate, in the order of the experiment.
    pub candidates: Vec<CandidateAnswer>,
    /// What the user should know beside the verdicts.
    pub notes: Vec<Note>,
}

/// One candidate's answer.
#[derive(Debug, Serialize)]
pub struct CandidateAnswer {
    /// Its name.
    pub candidate: String,
    /// The verdict, with its interval or its cause.
    pub verdict: Verdict,
    /// In one line, why.
    pub reason: String,
    /// The evidence's id.
    pub evidence: Digest,
    /// The evidence's file.
    pub evidence_path: String,
    /// The run's id, as the journal has it.
    pub run: Digest,
    /// Launches timed.
    pub launches: usize,
    /// The weighted mean over the cases, where it could be computed.
    pub overall: Option<Measured>,
    /// Every timed case.
    pub cases: Vec<CaseAnswer>,
    /// What was checked.
    pub checks: CheckSummary,
    /// The clock outside against the runners'.
    pub clock: Vec<ClockCheck>,
    /// What voids the measurement.
    pub voids: Vec<VoidFinding>,
    /// What disturbed it.
    pub disturbances: Vec<Disturbance>,
    /// The claim beside the measurement, where one was made.
    pub claim: Option<Claim>,
    /// Earlier runs of the same pair.
    pub earlier: EarlierRuns,
    /// Thresholds looser than their defaults.
    pub loosened: Vec<LoosenedValue>,
    /// Files of the candidate that the evidence binds.
    pub subject: Vec<String>,
    /// Build, start-up and warming of the candidate, ns; never part of a sample.
    pub preparation_ns: [Option<u64>; 3],
    /// Drawn cases that failed, as text for experiment.toml.
    pub suggested_cases: Vec<String>,
    /// The end of the runner's or the build's log, where there was no answer.
    pub log: String,
    /// What its kernels take beside the baseline's, where files of either hold any.
    pub resources: Option<Resources>,
}

/// One timed case.
#[derive(Debug, Serialize)]
pub struct CaseAnswer {
    /// The case.
    pub case: String,
    /// The verdict's word, as if the case were alone.
    pub verdict: String,
    /// Time of one call of the baseline, ns with a fraction.
    pub baseline_ns: Option<f64>,
    /// Time of one call of the candidate.
    pub candidate_ns: Option<f64>,
    /// Calls in one sample.
    pub calls: Option<u32>,
    /// Intervals.
    pub measured: Option<Measured>,
    /// Bytes a second that the candidate moves at least, where `[work]` says how many.
    pub bytes_per_s: Option<f64>,
    /// Floating-point operations a second.
    pub flops: Option<f64>,
    /// The physical limit, or why it is not checked.
    pub floor: FloorStatus,
}

/// What was checked, in numbers.
#[derive(Debug, Serialize)]
pub struct CheckSummary {
    /// Declared cases checked.
    pub declared: usize,
    /// The drawn cases, by name.
    pub drawn: Vec<String>,
    /// Comparisons of the candidate with the reference.
    pub comparisons: usize,
    /// Of these, passed.
    pub passed: usize,
    /// The worst output of all passed ones, or the first failed one.
    pub worst: Option<WorstOutput>,
    /// The largest errors of every output, the baseline's beside the candidate's.
    pub errors: Vec<OutputErrors>,
}

/// Where the candidate differs most.
#[derive(Debug, Serialize)]
pub struct WorstOutput {
    /// The case.
    pub case: String,
    /// `before`, `refill` or `timed`.
    pub phase: String,
    /// The output with its errors.
    pub output: CheckedOutput,
}

/// Earlier runs of the same pair.
#[derive(Debug, Serialize)]
pub struct EarlierRuns {
    /// How many were journalled.
    pub runs: usize,
    /// How many of them were no win, or never reached a verdict.
    pub not_faster: usize,
}

/// What of an experiment is not in the evidence but belongs into the answer.
pub(super) struct Beside {
    /// Bytes and operations of one call, by case.
    pub(super) work: Vec<(String, Option<i64>, Option<i64>)>,
    pub(super) suggested_cases: Vec<String>,
    pub(super) log: String,
    pub(super) path: String,
    pub(super) resources: Option<Resources>,
}

impl CandidateAnswer {
    /// The answer that evidence gives.
    pub(super) fn of(sealed: &Sealed, launches: &[kforge_record::Launch], beside: Beside) -> Self {
        let evidence = &sealed.evidence;
        let facts = &evidence.facts;
        let build = facts.sides.candidate.build.as_ref();
        let won = |verdict: &Option<String>| verdict.as_deref() == Some("faster");
        Self {
            candidate: facts.candidate.clone(),
            verdict: evidence.judgement.verdict.clone(),
            reason: reason(&evidence.judgement.verdict),
            evidence: sealed.id,
            evidence_path: beside.path,
            run: facts.run.id,
            launches: launches.len(),
            overall: evidence.judgement.overall.clone(),
            cases: cases(evidence, launches, &beside.work),
            checks: CheckSummary::of(evidence),
            clock: facts.clock.clone(),
            voids: facts.voids.clone(),
            disturbances: facts.disturbances.clone(),
            claim: facts.claim.clone(),
            earlier: EarlierRuns {
                runs: facts.prior.len(),
                not_faster: facts.prior.iter().filter(|prior| !won(&prior.verdict)).count(),
            },
            loosened: facts.policy.loosened().into_iter().chain(mismatches(evidence)).collect(),
            subject: facts.sides.candidate.subject.entries.iter().map(|entry| entry.path.clone()).collect(),
            preparation_ns: [
                build.and_then(|build| build.build_ns),
                build.and_then(|build| build.startup_ns),
                build.and_then(|build| build.warm_ns),
            ],
            suggested_cases: beside.suggested_cases,
            log: beside.log,
            resources: beside.resources,
        }
    }
}

/// The share of elements that may mismatch is a threshold too, stated with its output.
fn mismatches(evidence: &Evidence) -> Option<LoosenedValue> {
    let facts = &evidence.facts;
    let outputs = facts.checks.iter().flat_map(|check| &check.outputs);
    let share = outputs.map(|output| output.tolerance.mismatch_share.get()).fold(0.0, f64::max);
    (share > 0.0).then(|| LoosenedValue {
        name: "mismatch_share".to_owned(),
        default: "0".to_owned(),
        value: share.to_string(),
        reason: facts.policy.reasons.get("mismatch_share").cloned().unwrap_or_default(),
    })
}

fn cases(
    evidence: &Evidence,
    launches: &[kforge_record::Launch],
    work: &[(String, Option<i64>, Option<i64>)],
) -> Vec<CaseAnswer> {
    let judged = evidence.judgement.cases.iter().filter(|_| !launches.is_empty());
    judged
        .map(|case| {
            let series =
                launches.iter().flat_map(|launch| &launch.series).find(|series| series.case == case.case);
            let calls = series.map(|series| series.runs);
            let per_call = |ns: Option<i64>| Some(ns? as f64 / f64::from(calls?.max(1)));
            let candidate_ns = per_call(case.candidate_ns);
            let (bytes, flops) =
                work.iter().find(|(name, ..)| *name == case.case).map_or((None, None), |(_, b, f)| (*b, *f));
            let rate =
                |amount: Option<i64>| Some(amount? as f64 * 1e9 / candidate_ns.filter(|ns| *ns > 0.0)?);
            let floor = evidence.facts.floor.iter().find(|floor| floor.case == case.case).map_or_else(
                || FloorStatus::NotChecked { why: "the case was not timed".to_owned() },
                |floor| floor.limit.clone(),
            );
            CaseAnswer {
                case: case.case.clone(),
                verdict: case.verdict.word().to_owned(),
                baseline_ns: per_call(case.baseline_ns),
                candidate_ns,
                calls,
                measured: case.measured.clone(),
                bytes_per_s: rate(bytes),
                flops: rate(flops),
                floor,
            }
        })
        .collect()
}

impl CheckSummary {
    fn of(evidence: &Evidence) -> Self {
        let facts = &evidence.facts;
        let mine: Vec<&Check> = facts.checks.iter().filter(|check| check.side == facts.candidate).collect();
        let drawn = facts.cases.iter().filter(|case| case.origin == CaseOrigin::Drawn);
        let outputs = mine.iter().flat_map(|check| check.outputs.iter().map(move |output| (*check, output)));
        let mut worst: Option<(&Check, &CheckedOutput)> = None;
        for (check, output) in outputs {
            let graver = worst.is_none_or(|(_, old)| {
                (!output.passed && old.passed)
                    || (output.passed == old.passed && old.passed && output.max_abs.get() > old.max_abs.get())
            });
            if graver {
                worst = Some((check, output));
            }
        }
        Self {
            declared: facts.cases.iter().filter(|case| case.origin == CaseOrigin::Declared).count(),
            drawn: drawn.map(|case| case.name.clone()).collect(),
            comparisons: mine.len(),
            passed: mine.iter().filter(|check| check.passed).count(),
            errors: OutputErrors::of(evidence),
            worst: worst.map(|(check, output)| WorstOutput {
                case: check.case.clone(),
                phase: check.phase.clone(),
                output: output.clone(),
            }),
        }
    }
}

/// One line about a verdict.
pub(super) fn reason(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Faster { .. } => "the lower end of the speedup exceeds the minimum effect".to_owned(),
        Verdict::Slower { .. } => "the upper end of the speedup is below the minimum effect".to_owned(),
        Verdict::Same { .. } => "the whole interval lies within the minimum effect".to_owned(),
        Verdict::Mixed { cases } => {
            let words: Vec<String> =
                cases.iter().map(|case| format!("{} on {}", case.outcome, case.case)).collect();
            words.join(", ")
        }
        Verdict::Inconclusive { why, .. } => why.to_string(),
        Verdict::Incorrect { mismatch } => mismatch.clone(),
        Verdict::Void { cause, detail } => format!("{cause}: {detail}"),
    }
}

impl Response {
    /// Yes where every candidate is faster; the environment's class where nothing but the environment stood in the way.
    pub fn class(&self) -> ExitClass {
        let unchanged = self.base.as_ref().is_some_and(|base| base.unchanged);
        let classes = self.candidates.iter().map(|answer| match class_of(&answer.verdict) {
            // A side cannot be faster than itself.
            ExitClass::Yes if unchanged => ExitClass::No,
            class => class,
        });
        classes.fold(ExitClass::Yes, together)
    }
}

/// What one verdict means for a script.
pub(super) fn class_of(verdict: &Verdict) -> ExitClass {
    match verdict {
        Verdict::Faster { .. } => ExitClass::Yes,
        Verdict::Void { cause, .. } if matches!(cause.as_str(), "environment" | "biased") => {
            ExitClass::Environment
        }
        Verdict::Void { cause, .. } if cause == "baseline" => ExitClass::Input,
        _ => ExitClass::No,
    }
}

/// What two answers mean together: a plain no outweighs what only the environment or the input prevented.
pub(super) fn together(one: ExitClass, other: ExitClass) -> ExitClass {
    match (one, other) {
        (ExitClass::No, _) | (_, ExitClass::No) => ExitClass::No,
        (ExitClass::Yes, other) | (other, ExitClass::Yes) => other,
        (first, _) => first,
    }
}
