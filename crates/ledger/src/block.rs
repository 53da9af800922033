//! A version's block in notes.md: what changed, before and after, correctness, claim beside measurement.

use std::fmt::Write as _;

use kforge_record::{Attempt, CaseOrigin, Check, ClaimOutcome, Facts, Verdict};
use kforge_units::{Nanos, duration, speedup};

use crate::rebuild::Truth;
use crate::versions::Version;

/// The content between the marker lines; ends in a line end.
pub(crate) fn text(truth: &Truth, version: &Version) -> String {
    let (evidence, lesson) = (&truth.evidence, &truth.lesson);
    let facts = &evidence.facts;
    let mut text = format!(
        "## v{} {}: {}\n\n",
        version.number,
        one_line(&version.tag),
        headline(&evidence.judgement.verdict)
    );
    let layer = lesson.layer.map_or("not said", |layer| layer.word());
    line(&mut text, &format!("- candidate `{}`, layer {layer}", one_line(&facts.candidate)));
    line(
        &mut text,
        &format!(
            "- {} on {} ({})",
            one_line(day(&facts.run.started_at)),
            one_line(&facts.environment.device.name),
            one_line(&facts.environment.device.arch)
        ),
    );
    line(&mut text, &format!("- evidence `{}`", truth.id));
    if let Some(reason) = reason(&evidence.judgement.verdict) {
        line(&mut text, &format!("- not a win: {}", one_line(&reason)));
    }
    line(&mut text, &format!("- correctness: {}", correctness(facts)));
    if let Some(claim) = &facts.claim {
        let measured = claim.measured.map_or_else(
            || "nothing measured".to_owned(),
            |interval| format!("measured {}", range(&interval)),
        );
        line(
            &mut text,
            &format!("- claim `{}`: {} ({measured})", one_line(&claim.text), outcome(claim.outcome)),
        );
    }
    for loose in facts.policy.loosened() {
        line(
            &mut text,
            &format!(
                "- loosened: {} {} instead of {}: {}",
                loose.name,
                loose.value,
                loose.default,
                one_line(&loose.reason)
            ),
        );
    }
    attempts(&mut text, "failed", &lesson.failed);
    attempts(&mut text, "not tried", &lesson.not_tried);
    if let Some(what) = &lesson.what {
        // Indented, so that no line of it can be taken for a marker or a heading of this file.
        text.push('\n');
        what.lines().for_each(|words| line(&mut text, &format!("> {words}")));
    }
    cases(&mut text, truth);
    text
}

fn line(text: &mut String, words: &str) {
    text.push_str(words);
    text.push('\n');
}

fn attempts(text: &mut String, label: &str, attempts: &[Attempt]) {
    for attempt in attempts {
        line(text, &format!("- {label}: {}: {}", one_line(&attempt.what), one_line(&attempt.reason)));
    }
}

fn cases(text: &mut String, truth: &Truth) {
    let evidence = &truth.evidence;
    let judged: Vec<_> = evidence.judgement.cases.iter().filter(|case| case.measured.is_some()).collect();
    if judged.is_empty()
        || matches!(evidence.judgement.verdict, Verdict::Void { .. } | Verdict::Incorrect { .. })
    {
        return;
    }
    text.push_str("\n| case | baseline | candidate | speedup |\n|---|---:|---:|---:|\n");
    for case in judged {
        // Where the samples are gone nobody knows of how many calls a time is.
        let runs = truth.runs.get(&case.case).map(|runs| i64::from((*runs).max(1)));
        let time = |ns: Option<i64>| {
            let call = ns.zip(runs).map(|(ns, runs)| duration(Nanos(ns.saturating_add(runs / 2) / runs)));
            call.unwrap_or_else(|| "-".to_owned())
        };
        let ratio = case.measured.as_ref().map_or_else(String::new, |measured| range(&measured.speedup));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {ratio} |",
            cell(&case.case),
            time(case.baseline_ns),
            time(case.candidate_ns)
        );
    }
}

/// `1.42x [1.38x, 1.46x]`.
pub(crate) fn range(interval: &kforge_record::Interval) -> String {
    format!("{} [{}, {}]", speedup(interval.estimate), speedup(interval.low), speedup(interval.high))
}

/// The verdict with its number, where it has one.
pub fn headline(verdict: &Verdict) -> String {
    let word = verdict.word();
    verdict.interval().map_or_else(|| word.to_owned(), |interval| format!("{word} {}", range(&interval)))
}

/// Why a verdict is not a win, in one line; absent for a win.
pub fn reason(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Faster { .. } => None,
        Verdict::Slower { .. } => Some("slower than the baseline".to_owned()),
        Verdict::Same { .. } => Some("no difference beyond the minimum effect".to_owned()),
        Verdict::Mixed { cases } => {
            let slower: Vec<&str> =
                cases.iter().filter(|case| case.outcome == "slower").map(|case| case.case.as_str()).collect();
            Some(format!("slower on {}", slower.join(", ")))
        }
        Verdict::Inconclusive { why, .. } => Some(why.to_string()),
        Verdict::Incorrect { mismatch } => Some(mismatch.clone()),
        Verdict::Void { cause, detail } => Some(format!("{cause}: {detail}")),
    }
}

/// The word for how a claim fared.
pub(crate) const fn outcome(outcome: ClaimOutcome) -> &'static str {
    match outcome {
        ClaimOutcome::Exceeded => "exceeded",
        ClaimOutcome::Met => "met",
        ClaimOutcome::Missed => "missed",
        ClaimOutcome::Unmeasured => "not measured",
    }
}

fn correctness(facts: &Facts) -> String {
    let own: Vec<&Check> = facts.checks.iter().filter(|check| check.side == facts.candidate).collect();
    let passed = own.iter().filter(|check| check.passed).count();
    let drawn = facts.cases.iter().filter(|case| case.origin == CaseOrigin::Drawn).count();
    let outputs =
        own.iter().flat_map(|check| check.outputs.iter().map(|output| (check.case.as_str(), output)));
    let worst = outputs.max_by(|(_, one), (_, other)| one.max_abs.get().total_cmp(&other.max_abs.get()));
    let worst = worst.map_or_else(String::new, |(case, output)| {
        format!(
            ", worst error {:.3e} (output {}, case {})",
            output.max_abs.get(),
            one_line(&output.name),
            cell(case)
        )
    });
    format!("{passed} of {} checks passed, {drawn} of {} cases drawn{worst}", own.len(), facts.cases.len())
}

/// The date of an RFC 3339 time.
pub(crate) fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}

/// Words of a user in one line that cannot end a comment or begin a block.
pub(crate) fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "<! --")
}

/// The same inside a table.
pub(crate) fn cell(words: &str) -> String {
    one_line(words).replace('|', "\\|")
}
