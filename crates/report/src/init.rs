//! How the answer of `init` reads: what was written, what it needs, how to go on.

use kforge_workbench::init::Response;

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let mut table = Table::new(&[("file", Align::Left)]);
    for file in &response.files {
        table.row([file.clone()]);
    }
    let text = match format {
        Format::Json => success("init", 1, response, &response.notes)?,
        Format::Csv => table.csv(),
        Format::Text | Format::Markdown => {
            let class = response.class.word();
            let mut page =
                Page::new(format, &format!("{} is a working experiment of class {class}", response.op));
            page.line(&format!("needs {}", response.needs));
            page.line(&format!("next: {}", response.next));
            page.table(&table);
            page.notes(&response.notes);
            page.finish()
        }
    };
    Ok(Rendered::new(text))
}
