//! How the answer of a pair of commands reads: marked as self-timed wherever the verdict stands.

use crate::judgement::{headline, interval, loosened};
use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};
use kforge_units::{Nanos, counted, duration, middle_short, speedup};
use kforge_workbench::validate::pairs::{CommandAnswer, Response};

/// Commands in tables are at most this wide; the whole command is in the JSON.
const COMMAND: usize = 60;

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("validate-pairs", 1, response, &response.notes)?,
        Format::Csv => blocks(response).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let word = format!("{} ({})", response.verdict.word(), response.timing);
    let said = headline(&word, &response.verdict, response.measured.as_ref());
    let mut page = Page::new(format, &format!("b against a: {said}"));
    page.line(&format!("why: {}", response.reason));
    page.table(&sides(response, format));
    page.gap();
    let metric = &response.metric;
    page.line(&format!("metric: {}, {} is better", metric.regex, metric.better));
    if let Some(measured) = &response.measured {
        page.line(&format!(
            "noise: a against itself {}; claims below {} are refused",
            interval(&measured.noise),
            speedup(measured.floor)
        ));
    }
    let blocks = counted(response.blocks.len(), "block", "blocks");
    page.line(&format!("samples: {blocks} of a, a again and b, each a process of its own, in random order"));
    match &response.check {
        Some(check) => page.line(&format!("check: {check}")),
        None => page.line("check: none; whether b is right was not asked"),
    }
    if let Some(prefix) = &response.prefix {
        page.line(&format!("commands run through: {prefix}"));
    }
    for loose in &response.loosened {
        page.line(&format!("loosened: {}", loosened(loose)));
    }
    page.log(&response.log);
    page.notes(&response.notes);
    page.finish()
}

fn sides(response: &Response, format: Format) -> Table {
    let mut table = Table::new(&[
        ("side", Align::Left),
        ("median", Align::Right),
        ("whole run", Align::Right),
        ("command", Align::Left),
    ]);
    for (name, side) in [("a", &response.a), ("b", &response.b)] {
        let wall = side.wall_ns.map_or_else(|| "-".to_owned(), |ns| duration(Nanos(ns)));
        let command = match format {
            Format::Text => middle_short(&side.command, COMMAND),
            _ => side.command.clone(),
        };
        table.row([name.to_owned(), median(response, side), wall, command]);
    }
    table
}

fn median(response: &Response, side: &CommandAnswer) -> String {
    match (side.median, response.metric.unit) {
        (None, _) => "-".to_owned(),
        // Below a microsecond the whole nanoseconds of other tables would hide what was printed.
        (Some(value), Some("ns")) if value < 1000.0 => format!("{value:.3} ns"),
        (Some(value), Some("ns")) => duration(Nanos(value.round() as i64)),
        (Some(value), _) => value.to_string(),
    }
}

fn blocks(response: &Response) -> Table {
    let mut table = Table::new(&[
        ("timing", Align::Left),
        ("verdict", Align::Left),
        ("order", Align::Left),
        ("a", Align::Right),
        ("a2", Align::Right),
        ("b", Align::Right),
    ]);
    for block in &response.blocks {
        table.row([
            response.timing.to_owned(),
            response.verdict.word().to_owned(),
            block.order.clone(),
            block.a.clone(),
            block.a2.clone(),
            block.b.clone(),
        ]);
    }
    table
}
