//! How the answer of `doctor` reads.

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};
use kforge_workbench::doctor::{Bringup, Response};

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("doctor", 1, response, &response.notes)?,
        Format::Csv => findings(response).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let mut page = Page::new(format, &format!("kforge {} on this machine", response.kforge));
    if let Some(prefix) = &response.prefix {
        page.line(&format!("tools and GPUs are those behind: {prefix}"));
    }
    page.table(&findings(response));
    if let Some(bringup) = &response.bringup {
        page.gap();
        page.line(&format!(
            "bring-up of {}: {}; the report is {}",
            bringup.class.word(),
            if bringup.works { "every step works" } else { "not every step works" },
            bringup.report
        ));
        page.table(&steps(bringup));
        for step in bringup.steps.iter().filter(|step| !step.works) {
            page.gap();
            page.line(&format!("{}:", step.what));
            for line in &step.seen {
                page.line(&format!("| {line}"));
            }
        }
    }
    page.notes(&response.notes);
    page.finish()
}

fn findings(response: &Response) -> Table {
    let columns = ["what", "fit", "fact", "cure"];
    let mut table = Table::new(&columns.map(|name| (name, Align::Left)));
    for finding in &response.findings {
        let fit = match finding.fit {
            Some(true) => "yes",
            Some(false) => "no",
            None => "-",
        };
        let cure = finding.cure.clone().unwrap_or_default();
        table.row([finding.what.clone(), fit.to_owned(), finding.fact.clone(), cure]);
    }
    table
}

fn steps(bringup: &Bringup) -> Table {
    let columns =
        [("step", Align::Left), ("works", Align::Left), ("ms", Align::Right), ("command", Align::Left)];
    let mut table = Table::new(&columns);
    for step in &bringup.steps {
        let works = if step.works { "yes" } else { "no" };
        table.row([step.what.to_owned(), works.to_owned(), step.ms.to_string(), step.command.clone()]);
    }
    table
}
