//! How the answer of `history` reads: one row a piece of evidence, then the remarks found in free notes.

use kforge_units::{count, middle_short, speedup};
use kforge_workbench::history::{HistoryRow, Response};

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("history", 1, response, &response.notes)?,
        Format::Csv => full(response).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let mut page = Page::new(format, &format!("{} found", count(response.rows.len())));
    page.table(&if format == Format::Markdown { full(response) } else { brief(response) });
    if format == Format::Text && !response.rows.is_empty() {
        page.gap();
        for row in &response.rows {
            let said = [row.what.as_deref(), row.reason.as_deref()];
            let said: Vec<&str> = said.into_iter().flatten().collect();
            if !said.is_empty() {
                page.line(&format!("{} {}: {}", row.evidence.short(), row.candidate, said.join("; ")));
            }
        }
    }
    for remark in &response.remarks {
        page.line(&format!("{}:{}: {}", remark.file, remark.line, remark.text));
    }
    page.notes(&response.notes);
    page.finish()
}

fn version(row: &HistoryRow) -> String {
    match (row.version, &row.tag) {
        (Some(number), Some(tag)) => format!("v{number} {tag}"),
        _ => "-".to_owned(),
    }
}

/// The candidate, and what it was compared with where that was not the op's baseline.
fn candidate(row: &HistoryRow) -> String {
    match &row.base {
        Some(commit) => format!("{} vs {}", row.candidate, commit.get(..8).unwrap_or(commit)),
        None => row.candidate.clone(),
    }
}

fn factor(row: &HistoryRow) -> String {
    row.speedup.map_or_else(|| "-".to_owned(), |interval| speedup(interval.estimate))
}

fn brief(response: &Response) -> Table {
    let mut table = Table::new(&[
        ("evidence", Align::Left),
        ("op", Align::Left),
        ("version", Align::Left),
        ("verdict", Align::Left),
        ("speedup", Align::Right),
        ("device", Align::Left),
        ("date", Align::Left),
    ]);
    for row in &response.rows {
        table.row([
            row.evidence.short(),
            middle_short(&row.op, 16),
            middle_short(&if row.version.is_some() { version(row) } else { candidate(row) }, 24),
            row.verdict.clone(),
            factor(row),
            middle_short(&row.device, 18),
            row.date.get(..10).unwrap_or(&row.date).to_owned(),
        ]);
    }
    table
}

fn full(response: &Response) -> Table {
    let mut table = Table::new(&[
        ("op", Align::Left),
        ("candidate", Align::Left),
        ("version", Align::Left),
        ("verdict", Align::Left),
        ("speedup", Align::Right),
        ("low", Align::Right),
        ("high", Align::Right),
        ("device", Align::Left),
        ("arch", Align::Left),
        ("shapes", Align::Left),
        ("layer", Align::Left),
        ("date", Align::Left),
        ("what", Align::Left),
        ("reason", Align::Left),
        ("claim", Align::Left),
        ("evidence", Align::Left),
    ]);
    for row in &response.rows {
        let end = |end: Option<f64>| end.map_or_else(|| "-".to_owned(), speedup);
        table.row([
            row.op.clone(),
            candidate(row),
            version(row),
            row.verdict.clone(),
            factor(row),
            end(row.speedup.map(|interval| interval.low)),
            end(row.speedup.map(|interval| interval.high)),
            row.device.clone(),
            row.arch.clone(),
            row.shapes.join("; "),
            row.layer.clone().unwrap_or_default(),
            row.date.clone(),
            row.what.clone().unwrap_or_default(),
            row.reason.clone().unwrap_or_default(),
            row.claim.as_ref().map(|claim| claim.text.clone()).unwrap_or_default(),
            row.evidence.to_string(),
        ]);
    }
    table
}
