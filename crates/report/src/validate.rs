//! How the answer of `validate` reads: the verdict first, then what it rests on.

use crate::judgement::{headline, interval, loosened, rate_or_none};
use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};
use kforge_record::{ClaimOutcome, FloorStatus};
use kforge_units::{Nanos, count, counted, duration, grouped, middle_short, speedup};
use kforge_workbench::validate::{
    Base, CandidateAnswer, CaseAnswer, LargestErrors, OutputErrors, Resources, Response,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Names in tables are at most this wide; the whole name is in the JSON.
const NAME: usize = 28;

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("validate", 1, response, &response.notes)?,
        Format::Text | Format::Markdown => page(response, format),
        Format::Csv => cases(response).csv(),
    };
    Ok(Rendered::new(text))
}

fn time(ns: Option<f64>) -> String {
    ns.map_or_else(|| "-".to_owned(), |ns| duration(Nanos(ns.round() as i64)))
}

fn cases(response: &Response) -> Table {
    let mut table = Table::new(&[
        ("candidate", Align::Left),
        ("case", Align::Left),
        ("verdict", Align::Left),
        ("baseline", Align::Right),
        ("candidate time", Align::Right),
        ("speedup", Align::Right),
        ("low", Align::Right),
        ("high", Align::Right),
        ("noise floor", Align::Right),
    ]);
    for answer in &response.candidates {
        for case in &answer.cases {
            let measured = case.measured.as_ref();
            let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), speedup);
            table.row([
                answer.candidate.clone(),
                case.case.clone(),
                case.verdict.clone(),
                time(case.baseline_ns),
                time(case.candidate_ns),
                cell(measured.map(|m| m.speedup.estimate)),
                cell(measured.map(|m| m.speedup.low)),
                cell(measured.map(|m| m.speedup.high)),
                cell(measured.map(|m| m.floor)),
            ]);
        }
        if answer.cases.is_empty() {
            let nothing = std::iter::repeat_n("-".to_owned(), 6);
            let named = [answer.candidate.clone(), String::new(), answer.verdict.word().to_owned()];
            table.row(named.into_iter().chain(nothing));
        }
    }
    table
}

fn page(response: &Response, format: Format) -> String {
    let mut page = Page::new(format, &format!("{} on {}", response.op, response.device));
    if let Some(prefix) = &response.prefix {
        page.line(&format!("commands run through: {prefix}"));
    }
    page.line(&format!("experiment: {}, caches {}", response.experiment, response.cache));
    if let Some(base) = &response.base {
        page.line(&trees(base));
    }
    for answer in &response.candidates {
        candidate(&mut page, answer);
    }
    if format == Format::Markdown {
        page.table(&cases(response));
    }
    if !response.notes.is_empty() {
        page.gap();
        page.notes(&response.notes);
    }
    page.finish()
}

/// Which two trees were compared, and how many files of the side differ.
fn trees(base: &Base) -> String {
    let id = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let revision = if base.commit.starts_with(&base.revision) {
        id(&base.commit)
    } else {
        format!("{} ({})", base.revision, id(&base.commit))
    };
    let head = base.head.as_deref().map_or_else(String::new, |head| format!(" on {}", id(head)));
    let differs = match (base.unchanged, base.commands_changed) {
        (true, _) => "nothing differs (A/A)".to_owned(),
        (false, true) => {
            format!("{} and the commands differ", counted(base.changed.len(), "file", "files"))
        }
        (false, false) => format!(
            "{}: {}",
            if base.changed.len() == 1 { "1 file differs" } else { "files differ" },
            base.changed.iter().take(4).map(|path| middle_short(path, 40)).collect::<Vec<_>>().join(", ")
        ),
    };
    format!("base: {} at {revision} against the working tree{head}; {differs}", base.side)
}

fn candidate(page: &mut Page, answer: &CandidateAnswer) {
    page.item(&answer.candidate, &headline(answer.verdict.word(), &answer.verdict, answer.overall.as_ref()));
    page.detail("why", &answer.reason);
    timing(page, answer);
    disturbances(page, answer);
    checks(page, answer);
    for finding in &answer.voids {
        page.detail("void", &format!("{}: {}", finding.cause.word(), finding.detail));
    }
    if let Some(claim) = &answer.claim {
        let word = match claim.outcome {
            ClaimOutcome::Exceeded => "exceeded",
            ClaimOutcome::Met => "met",
            ClaimOutcome::Missed => "missed",
            ClaimOutcome::Unmeasured => "not measured",
        };
        page.detail("claim", &format!("{}: {word}", claim.text));
    }
    if answer.earlier.runs > 0 {
        let runs = counted(answer.earlier.runs, "run", "runs");
        let without = count(answer.earlier.not_faster);
        page.detail("earlier", &format!("{runs} of this pair, {without} without a win"));
    }
    for loose in &answer.loosened {
        page.detail("loosened", &loosened(loose));
    }
    if let Some(first) = answer.suggested_cases.first() {
        let others = answer.suggested_cases.len() - 1;
        let more = if others > 0 {
            let others = counted(others, "more drawn case", "more drawn cases");
            format!("\n(and {others} that failed; all are in the JSON)")
        } else {
            String::new()
        };
        page.detail("add case", &format!("{first}{more}"));
    }
    if !answer.log.trim().is_empty() {
        page.detail("log", &answer.log);
    }
    if let Some(resources) = &answer.resources {
        kernels(page, resources);
    }
    page.detail("evidence", &answer.evidence_path);
}

/// Kernels in text are at most so many; all are in the JSON.
const KERNELS: usize = 4;

/// What the candidate's own kernels take.
fn kernels(page: &mut Page, resources: &Resources) {
    for kernel in resources.candidate.iter().take(KERNELS) {
        page.detail("kernel", &crate::inspect::one_line(kernel));
    }
    if let Some(more) = resources.candidate.len().checked_sub(KERNELS + 1) {
        page.detail("kernels", &format!("{} more; all are in the JSON", more + 1));
    }
}

/// What disturbed the measurement, one line a cause: what of it was left out, or that nothing was.
fn disturbances(page: &mut Page, answer: &CandidateAnswer) {
    let mut by_cause: BTreeMap<(&str, bool, &[&str; 2]), usize> = BTreeMap::new();
    for seen in &answer.disturbances {
        let words = match (&seen.case, seen.block) {
            (_, Some(_)) => &["block", "blocks"],
            (Some(_), None) => &["series of a case", "series of cases"],
            (None, None) => &["launch", "launches"],
        };
        *by_cause.entry((&seen.cause, seen.dropped, words)).or_default() += 1;
    }
    for ((cause, dropped, [one, many]), times) in by_cause {
        let judged = if dropped { "left out of the judgement" } else { "judged all the same" };
        page.detail("disturbed", &format!("{} {judged}: {cause}", counted(times, one, many)));
    }
}

fn timing(page: &mut Page, answer: &CandidateAnswer) {
    if answer.cases.is_empty() {
        page.detail("timing", "none: only what is right is timed");
        return;
    }
    let [build, startup, warm] = answer.preparation_ns.map(|ns| time(ns.map(|ns| ns as f64)));
    if let Some(overall) = &answer.overall {
        let noise = interval(&overall.noise);
        page.detail(
            "noise",
            &format!("baseline against itself {noise}; claims below {} are refused", speedup(overall.floor)),
        );
    }
    let launches = counted(answer.launches, "launch", "launches");
    page.detail(
        "samples",
        &format!("{launches}; build {build}, start {startup}, warm {warm} (never sampled)"),
    );
    for case in &answer.cases {
        one_case(page, case);
    }
    let agrees = answer.clock.iter().filter(|check| check.agrees).count();
    page.detail("clock", &format!("{agrees} of {} agree with the time from outside", answer.clock.len()));
}

fn one_case(page: &mut Page, case: &CaseAnswer) {
    page.detail(
        "case",
        &format!(
            "{}: {} {} -> {} a call{}",
            middle_short(&case.case, NAME),
            case.verdict,
            time(case.baseline_ns),
            time(case.candidate_ns),
            case.measured.as_ref().map(|m| format!(", {}", interval(&m.speedup))).unwrap_or_default(),
        ),
    );
    let floor = match &case.floor {
        FloorStatus::NotChecked { why } => format!("not checked ({why})"),
        FloorStatus::Checked { .. } => "checked".to_owned(),
    };
    page.detail(
        "",
        &format!(
            "{}, {}; physical floor {floor}; {} calls a sample",
            rate_or_none(case.bytes_per_s, "B"),
            rate_or_none(case.flops, "flop"),
            case.calls.map_or_else(|| "-".to_owned(), |calls| grouped(i64::from(calls))),
        ),
    );
}

fn checks(page: &mut Page, answer: &CandidateAnswer) {
    let checks = &answer.checks;
    page.detail(
        "checks",
        &format!(
            "{} of {} passed: {} declared and {} drawn cases, outputs poisoned, data replaced in place",
            checks.passed,
            checks.comparisons,
            checks.declared,
            checks.drawn.len(),
        ),
    );
    if let Some(worst) = &checks.worst {
        let output = &worst.output;
        let place = output.worst.as_ref().map(|worst| format!(" at {:?}", worst.index)).unwrap_or_default();
        let ulp = output.max_ulp.map(|ulp| format!(", {ulp} ulp")).unwrap_or_default();
        page.detail(
            "",
            &format!(
                "worst: {} of {} ({}): abs {:.3e}, rel {:.3e}{ulp}{place}; {} of {} outside, {} unwritten",
                output.name,
                middle_short(&worst.case, NAME),
                worst.phase,
                output.max_abs.get(),
                output.max_rel.get(),
                output.mismatches,
                output.compared,
                output.poison_survivors,
            ),
        );
    }
    for errors in &checks.errors {
        output_errors(page, errors);
    }
    let mut line = String::new();
    for name in checks.drawn.iter().map(|name| name.trim_start_matches("drawn-")) {
        if line.len() + name.len() > 84 {
            page.detail("drawn", line.trim_end());
            line.clear();
        }
        let _ = write!(line, "{name}  ");
    }
    if !line.is_empty() {
        page.detail("drawn", line.trim_end());
    }
}

/// What the candidate errs by beside what the baseline does, and what both may.
fn output_errors(page: &mut Page, errors: &OutputErrors) {
    let of = |side: &LargestErrors| {
        let ulp = side.max_ulp.map(|ulp| format!(" {ulp} ulp")).unwrap_or_default();
        format!("abs {:.1e} rel {:.1e}{ulp}", side.max_abs.get(), side.max_rel.get())
    };
    let baseline = errors.baseline.as_ref().map_or_else(|| "not checked".to_owned(), of);
    page.detail(
        "errors",
        &format!("{} {}: {}; baseline {baseline}", errors.output, errors.dtype, of(&errors.candidate)),
    );
    // The default fills up what the file does not state, and says nothing about the operation.
    let named = errors.profile.as_ref().filter(|profile| profile.name != "default");
    let profile = named.map_or_else(String::new, |profile| {
        let reduction = profile.reduction.map(|terms| format!(" over {terms}")).unwrap_or_default();
        format!(" (profile {}{reduction})", profile.name)
    });
    let allowed = &errors.allowed;
    let share = if allowed.mismatch_share.get() > 0.0 {
        let outlier =
            allowed.outlier.map(|limit| format!(", none beyond {} times", limit.get())).unwrap_or_default();
        format!(", {} of all may mismatch{outlier}", allowed.mismatch_share.get())
    } else {
        String::new()
    };
    let (abs, rel) = (allowed.abs.get(), allowed.rel.get());
    page.detail("", &format!("allowed: abs {abs:.1e} + rel {rel:.1e}{share}{profile}"));
}
