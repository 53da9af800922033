//! How the answer of `commit` reads: the commit, or the first broken link and its cure.

use kforge_workbench::commit::Response;

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("commit", 1, response, &response.notes)?,
        Format::Csv => table(response).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let mut page = match (&response.committed, &response.refused) {
        (Some(done), _) => {
            let mut page = Page::new(format, &format!("committed {} on {}", done.commit, done.reference));
            page.line(&format!("{} {}: {}", done.op, done.candidate, done.answer));
            page.line(&format!("evidence {}, bound by {}", done.evidence, done.binding));
            done.files.iter().for_each(|file| page.line(&format!("holds {file}")));
            page
        }
        (None, Some(link)) => {
            let mut page = Page::new(format, "refused; nothing was changed");
            page.line(&format!("[{}] {}", link.link, link.message));
            if let Some(hint) = &link.hint {
                page.hint(hint);
            }
            page
        }
        (None, None) => Page::new(format, "nothing was done"),
    };
    page.notes(&response.notes);
    page.finish()
}

fn table(response: &Response) -> Table {
    let columns = ["committed", "op", "candidate", "answer", "evidence", "link", "message"];
    let mut table = Table::new(&columns.map(|name| (name, Align::Left)));
    match (&response.committed, &response.refused) {
        (Some(done), _) => table.row([
            done.commit.clone(),
            done.op.clone(),
            done.candidate.clone(),
            done.answer.clone(),
            done.evidence.to_string(),
        ]),
        (None, Some(link)) => {
            let empty = std::iter::repeat_n(String::new(), 5);
            table.row(empty.chain([link.link.to_owned(), link.message.clone()]));
        }
        (None, None) => {}
    }
    table
}
