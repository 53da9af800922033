//! How the answer of `hooks` reads.

use kforge_units::counted;
use kforge_workbench::hooks::Response;

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("hooks", 1, response, &response.notes)?,
        Format::Csv => table(response).csv(),
        Format::Text | Format::Markdown => {
            let mut page = Page::new(format, &counted(response.hooks.len(), "hook", "hooks"));
            page.table(&table(response));
            page.notes(&response.notes);
            page.finish()
        }
    };
    Ok(Rendered::new(text))
}

fn table(response: &Response) -> Table {
    let columns = ["hook", "state", "file", "calls first"];
    let mut table = Table::new(&columns.map(|name| (name, Align::Left)));
    for hook in &response.hooks {
        table.row([
            hook.hook.to_owned(),
            hook.state.to_owned(),
            hook.file.clone(),
            hook.chained.clone().unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    table
}
