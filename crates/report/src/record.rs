//! How the answer of `record` reads.

use kforge_units::counted;
use kforge_workbench::record::Response;

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("record", 1, response, &response.notes)?,
        Format::Csv => table(response, true).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let changed = counted(response.changed.len(), "file changed", "files changed");
    let title = match response.rebuilt_ops {
        Some(ops) => format!("derived again for {}: {changed}", counted(ops, "op", "ops")),
        None => format!("{} recorded, {changed}", response.recorded.len()),
    };
    let mut page = Page::new(format, &title);
    page.table(&table(response, false));
    for recorded in &response.recorded {
        if let Some(reason) = &recorded.reason {
            page.line(&format!("v{} {}: {reason}", recorded.version, recorded.tag));
        }
    }
    for file in &response.changed {
        page.line(&format!("changed {file}"));
    }
    page.notes(&response.notes);
    page.finish()
}

fn table(response: &Response, whole: bool) -> Table {
    let mut table = Table::new(&[
        ("op", Align::Left),
        ("version", Align::Left),
        ("candidate", Align::Left),
        ("answer", Align::Left),
        ("evidence", Align::Left),
    ]);
    for recorded in &response.recorded {
        table.row([
            recorded.op.clone(),
            format!("v{} {}", recorded.version, recorded.tag),
            recorded.candidate.clone(),
            recorded.answer.clone(),
            if whole { recorded.evidence.to_string() } else { recorded.evidence.short() },
        ]);
    }
    table
}
