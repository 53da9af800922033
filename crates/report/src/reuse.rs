//! How evidence that was judged again reads: the verdict then beside the verdict now.

use crate::judgement::loosened;
use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};
use kforge_units::{counted, middle_short};
use kforge_workbench::validate::reuse::Response;

/// Names in text tables are at most this wide.
const NAME: usize = 40;

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("validate-reuse", 1, response, &response.notes)?,
        Format::Csv => table(response, format).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let mut page = Page::new(format, &format!("{}: judged again, not measured again", response.op));
    page.table(&table(response, format));
    page.gap();
    page.line("looks, minimum effect, limits and clocks by the present thresholds; outputs were compared by those of the measurement");
    for loose in &response.loosened {
        page.line(&format!("loosened: {}", loosened(loose)));
    }
    page.notes(&response.notes);
    page.finish()
}

fn table(response: &Response, format: Format) -> Table {
    let mut table = Table::new(&[
        ("evidence", Align::Left),
        ("candidate", Align::Left),
        ("measured", Align::Left),
        ("samples", Align::Right),
        ("then", Align::Left),
        ("now", Align::Left),
        ("why", Align::Left),
    ]);
    for one in &response.judged {
        let name =
            if format == Format::Text { middle_short(&one.candidate, NAME) } else { one.candidate.clone() };
        table.row([
            one.evidence.short(),
            name,
            format!("{} on {}", one.measured_at, one.device),
            counted(one.launches, "launch", "launches"),
            kforge_workbench::headline(&one.then),
            kforge_workbench::headline(&one.now),
            one.reason.clone().unwrap_or_default(),
        ]);
    }
    table
}
