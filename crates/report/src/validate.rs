//! How the answer of `validate` reads: the verdict first, then what it rests on.

use crate::{Align, Format, Rendered, Table, success};
use kforge_record::{ClaimOutcome, FloorStatus};
use kforge_stats::{Interval, Verdict};
use kforge_units::{Nanos, counted, duration, middle_short, speedup};
use kforge_workbench::validate::{Base, CandidateAnswer, CaseAnswer, LargestErrors, OutputErrors, Response};
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
        Format::Text => page(response),
        Format::Markdown => markdown(response),
        Format::Csv => cases(response).csv(),
    };
    Ok(Rendered::new(text))
}

fn interval(interval: &Interval) -> String {
    format!("{} [{}, {}]", speedup(interval.estimate), speedup(interval.low), speedup(interval.high))
}

/// `1.234x [1.200x, 1.270x]`, where there is one.
fn headline(answer: &CandidateAnswer) -> String {
    let word = answer.verdict.word();
    match answer
        .overall
        .as_ref()
        .filter(|_| !matches!(answer.verdict, Verdict::Incorrect { .. } | Verdict::Void { .. }))
    {
        Some(overall) => format!("{word}  {}", interval(&overall.speedup)),
        None => word.to_owned(),
    }
}

fn time(ns: Option<f64>) -> String {
    ns.map_or_else(|| "-".to_owned(), |ns| duration(Nanos(ns.round() as i64)))
}

pub(crate) fn rate(per_second: Option<f64>, unit: &str) -> String {
    per_second.map_or_else(|| "-".to_owned(), |rate| format!("{:.2} G{unit}/s", rate / 1e9))
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
                middle_short(&case.case, NAME),
                case.verdict.clone(),
                time(case.baseline_ns),
                time(case.candidate_ns),
                cell(measured.map(|m| m.speedup.estimate)),
                cell(measured.map(|m| m.speedup.low)),
                cell(measured.map(|m| m.speedup.high)),
                cell(measured.map(|m| m.floor)),
            ]);
        }
    }
    table
}

fn page(response: &Response) -> String {
    let mut text = format!("{} on {}\n", response.op, response.device);
    if let Some(prefix) = &response.prefix {
        let _ = writeln!(text, "commands run through: {prefix}");
    }
    let _ = writeln!(text, "experiment: {}, caches {}", response.experiment, response.cache);
    if let Some(base) = &response.base {
        let _ = writeln!(text, "{}", trees(base));
    }
    for answer in &response.candidates {
        text.push('\n');
        candidate(&mut text, answer);
    }
    for note in &response.notes {
        let _ = writeln!(text, "\nnote: {}", note.message);
    }
    text
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

fn candidate(text: &mut String, answer: &CandidateAnswer) {
    let _ = writeln!(text, "{}: {}", answer.candidate, headline(answer));
    let _ = writeln!(text, "  why       {}", answer.reason);
    timing(text, answer);
    checks(text, answer);
    for finding in &answer.voids {
        let _ = writeln!(text, "  void      {}: {}", finding.cause.word(), finding.detail);
    }
    if let Some(claim) = &answer.claim {
        let word = match claim.outcome {
            ClaimOutcome::Exceeded => "exceeded",
            ClaimOutcome::Met => "met",
            ClaimOutcome::Missed => "missed",
            ClaimOutcome::Unmeasured => "not measured",
        };
        let _ = writeln!(text, "  claim     {}: {word}", claim.text);
    }
    if answer.earlier.runs > 0 {
        let _ = writeln!(
            text,
            "  earlier   {} of this pair, {} without a win",
            counted(answer.earlier.runs, "run", "runs"),
            answer.earlier.not_faster
        );
    }
    for loose in &answer.loosened {
        let _ = writeln!(
            text,
            "  loosened  {} = {} (default {}): {}",
            loose.name, loose.value, loose.default, loose.reason
        );
    }
    if let Some(first) = answer.suggested_cases.first() {
        let others = answer.suggested_cases.len() - 1;
        let more = if others > 0 {
            let others = counted(others, "more drawn case", "more drawn cases");
            format!("\n            (and {others} that failed; all are in the JSON)")
        } else {
            String::new()
        };
        let _ = writeln!(text, "  add case  {}{more}", first.replace('\n', "\n            "));
    }
    if !answer.log.trim().is_empty() {
        let _ = writeln!(text, "  log       {}", answer.log.trim_end().replace('\n', "\n            "));
    }
    let _ = writeln!(text, "  evidence  {}", answer.evidence_path);
}

fn timing(text: &mut String, answer: &CandidateAnswer) {
    if answer.cases.is_empty() {
        let _ = writeln!(text, "  timing    none: only what is right is timed");
        return;
    }
    let [build, startup, warm] = answer.preparation_ns.map(|ns| time(ns.map(|ns| ns as f64)));
    if let Some(overall) = &answer.overall {
        let noise = interval(&overall.noise);
        let _ = writeln!(
            text,
            "  noise     baseline against itself {noise}; claims below {} are refused",
            speedup(overall.floor)
        );
    }
    let launches = counted(answer.launches, "launch", "launches");
    let _ =
        writeln!(text, "  samples   {launches}; build {build}, start {startup}, warm {warm} (never sampled)");
    for case in &answer.cases {
        one_case(text, case);
    }
    let agrees = answer.clock.iter().filter(|check| check.agrees).count();
    let _ = writeln!(text, "  clock     {agrees} of {} agree with the time from outside", answer.clock.len());
}

fn one_case(text: &mut String, case: &CaseAnswer) {
    let _ = writeln!(
        text,
        "  case      {}: {} {} -> {} a call{}",
        middle_short(&case.case, NAME),
        case.verdict,
        time(case.baseline_ns),
        time(case.candidate_ns),
        case.measured.as_ref().map(|m| format!(", {}", interval(&m.speedup))).unwrap_or_default(),
    );
    let floor = match &case.floor {
        FloorStatus::NotChecked { why } => format!("not checked ({why})"),
        FloorStatus::Checked { .. } => "checked".to_owned(),
    };
    let _ = writeln!(
        text,
        "            {}, {}; physical floor {floor}; {} calls a sample",
        rate(case.bytes_per_s, "B"),
        rate(case.flops, "flop"),
        case.calls.map_or_else(|| "-".to_owned(), |calls| calls.to_string()),
    );
}

fn checks(text: &mut String, answer: &CandidateAnswer) {
    let checks = &answer.checks;
    let _ = writeln!(
        text,
        "  checks    {} of {} passed: {} declared and {} drawn cases, outputs poisoned, data replaced in place",
        checks.passed,
        checks.comparisons,
        checks.declared,
        checks.drawn.len(),
    );
    if let Some(worst) = &checks.worst {
        let output = &worst.output;
        let place = output.worst.as_ref().map(|worst| format!(" at {:?}", worst.index)).unwrap_or_default();
        let ulp = output.max_ulp.map(|ulp| format!(", {ulp} ulp")).unwrap_or_default();
        let _ = writeln!(
            text,
            "            worst: {} of {} ({}): abs {:.3e}, rel {:.3e}{ulp}{place}; {} of {} outside, {} unwritten",
            output.name,
            middle_short(&worst.case, NAME),
            worst.phase,
            output.max_abs.get(),
            output.max_rel.get(),
            output.mismatches,
            output.compared,
            output.poison_survivors,
        );
    }
    for errors in &checks.errors {
        output_errors(text, errors);
    }
    let mut line = String::new();
    for name in checks.drawn.iter().map(|name| name.trim_start_matches("drawn-")) {
        if line.len() + name.len() > 84 {
            let _ = writeln!(text, "  drawn     {}", line.trim_end());
            line.clear();
        }
        let _ = write!(line, "{name}  ");
    }
    if !line.is_empty() {
        let _ = writeln!(text, "  drawn     {}", line.trim_end());
    }
}

/// What the candidate errs by beside what the baseline does, and what both may.
fn output_errors(text: &mut String, errors: &OutputErrors) {
    let of = |side: &LargestErrors| {
        let ulp = side.max_ulp.map(|ulp| format!(" {ulp} ulp")).unwrap_or_default();
        format!("abs {:.1e} rel {:.1e}{ulp}", side.max_abs.get(), side.max_rel.get())
    };
    let baseline = errors.baseline.as_ref().map_or_else(|| "not checked".to_owned(), of);
    let _ = writeln!(
        text,
        "  errors    {} {}: {}; baseline {baseline}",
        errors.output,
        errors.dtype,
        of(&errors.candidate)
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
    let _ = writeln!(text, "            allowed: abs {abs:.1e} + rel {rel:.1e}{share}{profile}");
}

fn markdown(response: &Response) -> String {
    let mut text =
        format!("## validate {}\n\n{}, `{}`\n\n", response.op, response.device, response.experiment);
    for answer in &response.candidates {
        let _ = writeln!(
            text,
            "- **{}**: {}. {}. Evidence `{}`.",
            answer.candidate,
            headline(answer),
            answer.reason,
            answer.evidence_path
        );
    }
    if let Some(base) = &response.base {
        let _ = writeln!(text, "\n{}", trees(base));
    }
    let table = cases(response);
    if !table.is_empty() {
        text.push('\n');
        text.push_str(&table.markdown());
    }
    text
}
