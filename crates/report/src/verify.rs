//! How the answer of `verify` reads: the level, what was checked, what is broken.

use kforge_workbench::verify::Response;

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("verify", 1, response, &response.notes)?,
        Format::Csv => checked(response, true).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let said = match (&response.level, response.holds) {
        (Some(level), true) => level.clone(),
        (None, true) => "nothing to verify".to_owned(),
        (_, false) => "does not hold".to_owned(),
    };
    let mut page = Page::new(format, &format!("{}: {said}", response.target));
    for link in &response.broken {
        page.line(&format!("[{}] {}", link.link, link.message));
        if let Some(hint) = &link.hint {
            page.hint(hint);
        }
    }
    page.table(&checked(response, false));
    let mut unbound = Table::new(&[("unbound field", Align::Left), ("what it states", Align::Left)]);
    for field in &response.unbound {
        unbound.row([field.path.to_owned(), field.why.to_owned()]);
    }
    page.table(&unbound);
    page.notes(&response.notes);
    page.finish()
}

fn checked(response: &Response, whole: bool) -> Table {
    let mut table = Table::new(&[
        ("commit", Align::Left),
        ("op", Align::Left),
        ("candidate", Align::Left),
        ("answer", Align::Left),
        ("evidence", Align::Left),
        ("found by", Align::Left),
        ("level", Align::Left),
    ]);
    for checked in &response.checked {
        let commit = checked.commit.clone().unwrap_or_else(|| "-".to_owned());
        table.row([
            if whole { commit } else { commit.chars().take(12).collect() },
            checked.op.clone(),
            checked.candidate.clone(),
            checked.answer.clone(),
            if whole { checked.evidence.to_string() } else { checked.evidence.short() },
            checked.found_by.to_owned(),
            checked.level.clone(),
        ]);
    }
    table
}
