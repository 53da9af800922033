//! Recomputes what an experiment says about itself: ids, order, names, times and policy.

use std::collections::BTreeSet;

use super::Broken;
use crate::case::CaseOrigin;
use crate::evidence::Facts;
use crate::run::Run;
use crate::subject::Side;

/// The words of all verdicts, as `Verdict::word` gives them.
const VERDICTS: [&str; 7] = ["faster", "slower", "same", "mixed", "inconclusive", "incorrect", "void"];

pub(super) fn check(facts: &Facts, broken: &mut Vec<Broken>) {
    check_sides(facts, broken);
    check_run(facts, broken);
    if facts.environment.computed_id().ok() != Some(facts.environment.id) {
        broken.push(Broken::new("facts.environment.id", "is not the digest of the environment"));
    }
    check_cases(facts, broken);
    if let Some(fault) = facts.policy.fault() {
        broken.push(Broken::new("facts.policy", fault));
    }
    let needless = facts.policy.reasons.keys().find(|name| !facts.policy.deviates(name));
    if let Some(name) = needless {
        broken.push(Broken::new(
            format!("facts.policy.reasons.{name}"),
            "is given for a threshold at its default",
        ));
    }
    check_prior(facts, broken);
}

fn check_sides(facts: &Facts, broken: &mut Vec<Broken>) {
    if facts.op.is_empty() || facts.candidate.is_empty() || facts.candidate == "baseline" {
        broken.push(Broken::new("facts.candidate", "op and candidate need names of their own"));
    }
    let sides = [
        ("reference", "reference", &facts.sides.reference),
        ("baseline", "baseline", &facts.sides.baseline),
        ("candidate", facts.candidate.as_str(), &facts.sides.candidate),
    ];
    for (field, name, side) in sides {
        check_side(&format!("facts.sides.{field}"), &facts.op, name, side, broken);
    }
}

fn check_side(path: &str, op: &str, name: &str, side: &Side, broken: &mut Vec<Broken>) {
    let subject = &side.subject;
    let mut refuse = |field: &str, what: &str| broken.push(Broken::new(format!("{path}.{field}"), what));
    if subject.op != op {
        refuse("subject.op", "is not the experiment's op");
    }
    if subject.side != name {
        refuse("subject.side", "is not the side's name");
    }
    if subject.entries.is_empty() {
        refuse("subject.entries", "are empty");
    }
    if !subject.is_normal() {
        refuse("subject.entries", "are not sorted, unique and normal");
    }
    if subject.entries.windows(2).any(|pair| matches!(pair, [a, b] if a.blob.format() != b.blob.format())) {
        refuse("subject.entries", "mix object formats");
    }
    if subject.computed_id().ok() != Some(subject.id) {
        refuse("subject.id", "is not the digest of the entries");
    }
    match &side.build {
        None if side.failure.is_none() => refuse("build", "is missing without a failure"),
        None => {}
        Some(build) => {
            if build.subject != subject.id {
                refuse("build.subject", "is not the side's subject");
            }
            if !build.is_normal() {
                refuse("build", "has unsorted lists");
            }
            if build.computed_id().ok() != Some(build.id) {
                refuse("build.id", "is not the digest of the build");
            }
        }
    }
}

fn check_run(facts: &Facts, broken: &mut Vec<Broken>) {
    let run = &facts.run;
    let mut refuse = |field: &str, what: &str| broken.push(Broken::new(format!("facts.run.{field}"), what));
    if run.computed_id().ok() != Some(run.id) {
        refuse("id", "is not the digest of the run");
    }
    let pair = Run::pair_of(&facts.sides.baseline.subject.id, &facts.sides.candidate.subject.id);
    if pair.ok() != Some(run.pair) {
        refuse("pair", "is not the digest of baseline and candidate");
    }
    if run.nonce.len() != 32 || !run.nonce.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        refuse("nonce", "is not 32 lowercase hexadecimal digits");
    }
    if !is_time(&run.started_at) {
        refuse("started_at", "is not a UTC time in whole seconds");
    }
    if !is_time(&run.finished_at) || run.finished_at < run.started_at {
        refuse("finished_at", "is not a UTC time after the start");
    }
    if run.candidates == 0 {
        refuse("candidates", "is zero");
    }
    if let Some(commit) = &run.base {
        let (before, after) = (&facts.sides.baseline.subject, &facts.sides.candidate.subject);
        let taken = before.tree == format!("git:{commit}") && before.rev.as_ref() == Some(commit);
        if !taken || after.tree != "worktree" {
            refuse("base", "is not the commit that the baseline was taken from, beside a working tree");
        }
    }
}

fn check_cases(facts: &Facts, broken: &mut Vec<Broken>) {
    let mut names = BTreeSet::new();
    let mut drawn = false;
    for (position, case) in facts.cases.iter().enumerate() {
        let mut refuse = |field: &str, what: &str| {
            broken.push(Broken::new(format!("facts.cases.{position}.{field}"), what));
        };
        if case.name.is_empty() || !names.insert(case.name.as_str()) {
            refuse("name", "is empty or repeated");
        }
        let weight = case.weight.get();
        match case.origin {
            CaseOrigin::Declared if !(weight.is_finite() && weight > 0.0) => {
                refuse("weight", "is not positive");
            }
            CaseOrigin::Drawn if weight != 0.0 => refuse("weight", "of a drawn case is not 0"),
            CaseOrigin::Declared if drawn => refuse("origin", "declared cases come first"),
            CaseOrigin::Declared => {}
            CaseOrigin::Drawn => drawn = true,
        }
    }
    if facts.cases.first().is_none_or(|case| case.origin == CaseOrigin::Drawn) {
        broken.push(Broken::new("facts.cases", "hold no declared case"));
    }
}

fn check_prior(facts: &Facts, broken: &mut Vec<Broken>) {
    let mut runs = BTreeSet::new();
    for (position, prior) in facts.prior.iter().enumerate() {
        let mut refuse = |what: &str| broken.push(Broken::new(format!("facts.prior.{position}"), what));
        if prior.run == facts.run.id || !runs.insert(prior.run) {
            refuse("is this run, or repeated");
        }
        if !is_time(&prior.started_at) || prior.started_at > facts.run.started_at {
            refuse("did not start before this run");
        }
        if prior.verdict.as_deref().is_some_and(|word| !VERDICTS.contains(&word)) {
            refuse("has an unknown verdict");
        }
        if prior.evidence.is_some() && prior.verdict.is_none() {
            refuse("has evidence but no verdict");
        }
    }
    let ordered = facts.prior.windows(2).all(|pair| matches!(pair, [a, b] if a.started_at <= b.started_at));
    if !ordered {
        broken.push(Broken::new("facts.prior", "is not in the order of time"));
    }
}

/// `YYYY-MM-DDTHH:MM:SSZ`, so that text order is the order of time.
fn is_time(text: &str) -> bool {
    let shape = text.len() == 20
        && text
            .bytes()
            .zip("0000-00-00T00:00:00Z".bytes())
            .all(|(byte, wanted)| if wanted == b'0' { byte.is_ascii_digit() } else { byte == wanted });
    let within = |range: std::ops::Range<usize>, low: u8, high: u8| {
        text.get(range)
            .and_then(|digits| digits.parse::<u8>().ok())
            .is_some_and(|value| (low..=high).contains(&value))
    };
    shape
        && within(5..7, 1, 12)
        && within(8..10, 1, 31)
        && within(11..13, 0, 23)
        && within(14..16, 0, 59)
        && within(17..19, 0, 60)
}
