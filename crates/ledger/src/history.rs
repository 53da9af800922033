//! One line of history a piece of evidence: enough to answer "have we tried X on Y?" without opening it.

use kforge_record::{CaseOrigin, ClaimOutcome, Digest, Evidence, Interval, Lesson, ParamValue, Verdict};
use serde::{Deserialize, Serialize};

use crate::block;

/// What to look for; every part that is given must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Words, searched in everything that is known about the evidence.
    pub words: Option<String>,
    /// The op's name.
    pub op: Option<String>,
    /// Part of the device's name or architecture, case ignored.
    pub device: Option<String>,
    /// The verdict's word.
    pub verdict: Option<String>,
}

/// A claim beside its measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimRow {
    /// The words.
    pub text: String,
    /// How it fared.
    pub outcome: ClaimOutcome,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryRow {
    /// The op.
    pub op: String,
    /// The candidate.
    pub candidate: String,
    /// The commit that it was compared with, where that was not the op's baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Recorded version, `vN`; absent where only evidence exists.
    pub version: Option<u32>,
    /// The lesson's tag.
    pub tag: Option<String>,
    /// The layer's word.
    pub layer: Option<String>,
    /// The verdict's word; `malformed` where the evidence does not hold, which says nothing.
    pub verdict: String,
    /// The first broken link, where the evidence does not hold.
    pub malformed: Option<String>,
    /// The op's speedup, where it was measured.
    pub speedup: Option<Interval>,
    /// Why it is not a win.
    pub reason: Option<String>,
    /// The device's name.
    pub device: String,
    /// The device's architecture.
    pub arch: String,
    /// The timed shapes: `decode(rows=64)`.
    pub shapes: Vec<String>,
    /// RFC 3339, UTC.
    pub date: String,
    /// What changed.
    pub what: Option<String>,
    /// What was claimed before measuring.
    pub claim: Option<ClaimRow>,
    /// The evidence.
    pub evidence: Digest,
}

/// A file among an op's evidence that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The op.
    pub op: String,
    /// The file, relative to the ledger's root.
    pub file: String,
    /// Why it is none.
    pub why: String,
}

/// What a question to history finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// One a piece of evidence.
    pub rows: Vec<HistoryRow>,
    /// Files of the ops that were asked about and that are no evidence, though they lie among it.
    pub misfits: Vec<Misfit>,
}

/// The row of evidence, with its lesson and number where it was recorded, and with why it does not hold.
pub(crate) fn row(
    id: &Digest,
    evidence: &Evidence,
    recorded: Option<(&Lesson, u32)>,
    malformed: Option<String>,
) -> HistoryRow {
    let facts = &evidence.facts;
    let verdict = &evidence.judgement.verdict;
    let lesson = recorded.map(|(lesson, _)| lesson);
    // A void measurement says nothing, also not as a number in a list.
    let says_nothing = matches!(verdict, Verdict::Void { .. } | Verdict::Incorrect { .. });
    let overall = evidence.judgement.overall.as_ref().filter(|_| !says_nothing);
    let measured = overall.map(|overall| overall.speedup);
    let holds = malformed.is_none();
    let broken =
        malformed.as_ref().map(|broken| format!("does not hold ({broken}); says {}", verdict.word()));
    HistoryRow {
        op: facts.op.clone(),
        candidate: facts.candidate.clone(),
        base: facts.run.base.clone(),
        version: recorded.map(|(_, number)| number),
        tag: lesson.map(|lesson| lesson.tag.clone()),
        layer: lesson.and_then(|lesson| lesson.layer).map(|layer| layer.word().to_owned()),
        verdict: if holds { verdict.word() } else { "malformed" }.to_owned(),
        speedup: verdict.interval().or(measured).filter(|_| holds),
        reason: broken.or_else(|| block::reason(verdict)),
        malformed,
        device: facts.environment.device.name.clone(),
        arch: facts.environment.device.arch.clone(),
        shapes: shapes(evidence),
        date: facts.run.started_at.clone(),
        what: lesson.and_then(|lesson| lesson.what.clone()),
        claim: facts
            .claim
            .as_ref()
            .filter(|_| holds)
            .map(|claim| ClaimRow { text: claim.text.clone(), outcome: claim.outcome }),
        evidence: *id,
    }
}

fn shapes(evidence: &Evidence) -> Vec<String> {
    let timed = evidence.facts.cases.iter().filter(|case| case.origin == CaseOrigin::Declared);
    timed
        .map(|case| {
            let params: Vec<String> = case
                .params
                .iter()
                .map(|(name, value)| match value {
                    ParamValue::Int(number) => format!("{name}={number}"),
                    ParamValue::Text(word) => format!("{name}={word}"),
                })
                .collect();
            let mut dtypes: Vec<&str> = case.dtypes.values().map(String::as_str).collect();
            dtypes.sort_unstable();
            dtypes.dedup();
            let all: Vec<&str> = params.iter().map(String::as_str).chain(dtypes).collect();
            format!("{}({})", case.name, all.join(" "))
        })
        .collect()
}

/// What fits the parts of the filter other than its words.
pub(crate) fn fitting(mut history: History, filter: &Filter) -> History {
    let within = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
    let of_op = |op: &str| filter.op.as_ref().is_none_or(|wanted| op == wanted);
    history.rows.retain(|row| {
        of_op(&row.op)
            && filter.verdict.as_ref().is_none_or(|verdict| row.verdict.eq_ignore_ascii_case(verdict))
            && filter
                .device
                .as_ref()
                .is_none_or(|device| within(&row.device, device) || within(&row.arch, device))
    });
    history.misfits.retain(|misfit| of_op(&misfit.op));
    history
}
