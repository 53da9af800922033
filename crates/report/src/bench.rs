//! How the times of one side read.

use crate::judgement::rate_or_none;
use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};
use kforge_record::FloorStatus;
use kforge_units::{counted, fine_duration, middle_short, percent};
use kforge_workbench::validate::bench::{CaseAnswer, Response};

/// Names in text tables are at most this wide; the whole name is in the JSON.
const NAME: usize = 40;

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("bench", 1, response, &response.notes)?,
        Format::Csv => samples(response).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let mut page = Page::new(format, &format!("{}: {} on {}", response.op, response.side, response.device));
    page.line(&format!("experiment: {}", response.experiment));
    if let Some(prefix) = &response.prefix {
        page.line(&format!("commands run through: {prefix}"));
    }
    if response.correct {
        page.line("right on every declared and drawn case; times are of one call");
        page.table(&cases(response, format));
        page.gap();
        page.line("one side alone shows no speedup: kforge validate compares two, block by block");
    } else {
        page.line(&format!("incorrect, so not timed: {}", response.reason));
    }
    for doubt in &response.doubts {
        page.line(&format!("doubtful: {doubt}"));
    }
    page.notes(&response.notes);
    page.finish()
}

fn range(low: f64, high: f64) -> String {
    format!("{} .. {}", fine_duration(low), fine_duration(high))
}

fn cases(response: &Response, format: Format) -> Table {
    let mut table = Table::new(&[
        ("case", Align::Left),
        ("caches", Align::Left),
        ("median", Align::Right),
        ("middle half", Align::Right),
        ("medians of launches", Align::Right),
        ("samples", Align::Right),
        ("bytes/s", Align::Right),
        ("flop/s", Align::Right),
        ("of the limit", Align::Right),
    ]);
    for case in &response.cases {
        let [low, high] = case.launch_medians_ns;
        let name = if format == Format::Text { middle_short(&case.case, NAME) } else { case.case.clone() };
        table.row([
            name,
            case.cache.to_owned(),
            fine_duration(case.median_ns),
            range(case.lower_quartile_ns, case.upper_quartile_ns),
            range(low, high),
            format!("{} x {}", case.samples, counted(case.calls, "call", "calls")),
            rate_or_none(case.bytes_per_s, "B"),
            rate_or_none(case.flops, "flop"),
            limit(case),
        ]);
    }
    table
}

fn limit(case: &CaseAnswer) -> String {
    match (&case.floor, case.share_of_limit) {
        (FloorStatus::Checked { .. }, Some(part)) => percent(part),
        (FloorStatus::Checked { .. }, None) => "-".to_owned(),
        (FloorStatus::NotChecked { why }, _) => why.clone(),
    }
}

fn samples(response: &Response) -> Table {
    let mut table = Table::new(&[
        ("case", Align::Left),
        ("caches", Align::Left),
        ("launch", Align::Right),
        ("calls", Align::Right),
        ("sample_ns", Align::Right),
    ]);
    for case in &response.cases {
        for (launch, samples) in case.raw_ns.iter().enumerate() {
            for sample in samples {
                table.row([
                    case.case.clone(),
                    case.cache.to_owned(),
                    launch.to_string(),
                    case.calls.to_string(),
                    sample.to_string(),
                ]);
            }
        }
    }
    table
}
