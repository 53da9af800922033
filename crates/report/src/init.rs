//! How the answer of `init` reads: what was written, what it needs, how to go on.

use kforge_units::counted;
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
            let mut page = Page::new(format, &title(response));
            if let Some(from) = &response.from {
                page.line(&format!("read from {from}"));
            }
            page.line(&format!("needs {}", response.needs));
            page.line(&format!("next: {}", response.next));
            page.table(&table);
            page.notes(&response.notes);
            page.finish()
        }
    };
    Ok(Rendered::new(text))
}

fn title(response: &Response) -> String {
    match response.open {
        0 => format!("{} is a working experiment of class {}", response.op, response.class.word()),
        open => {
            format!("{} is an experiment with {} to finish", response.op, counted(open, "line", "lines"))
        }
    }
}
