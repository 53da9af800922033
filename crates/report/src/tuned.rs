//! How the answer of `tuned` reads.

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};
use kforge_workbench::tuned::{Finding, Found, Response};

/// Renders the answer. The CSV is the findings of an audit, else the look-ups, else the files.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("tuned", 1, response, &response.notes)?,
        Format::Csv if response.audited => findings(response).csv(),
        Format::Csv if !response.lookups.is_empty() => lookups(response).csv(),
        Format::Csv => files(response).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let rows: usize = response.files.iter().map(|file| file.rows).sum();
    let title = format!("{} tuned tables, {rows} rows", response.files.len());
    let mut page = Page::new(format, &title);
    page.table(&files(response));
    for refused in &response.refused {
        page.item("refused", &refused.message);
        if let Some(hint) = &refused.hint {
            page.detail("hint", hint);
        }
    }
    for found in &response.lookups {
        lookup(&mut page, found);
    }
    if !response.findings.is_empty() {
        page.heading("findings");
        page.table(&some(response));
        page.gap();
        for (code, cure) in cures(response) {
            page.line(&format!("{code}: {cure}"));
        }
    }
    page.notes(&response.notes);
    page.finish()
}

fn lookup(page: &mut Page, found: &Found) {
    let lines: Vec<String> = found.lines.iter().take(8).map(|line| format!("line {line}")).collect();
    let more = found.lines.len().saturating_sub(8);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let said = if lines.is_empty() { String::new() } else { format!(": {}{more}", lines.join(", ")) };
    page.item(&found.file, &format!("{}{said}", found.outcome));
    if !found.row.is_empty() {
        let cells: Vec<String> = found.row.iter().map(|(name, cell)| format!("{name}={cell}")).collect();
        page.detail("row", &cells.join(" "));
    }
    for (at, step) in found.steps.iter().enumerate() {
        page.detail(if at == 0 { "tried" } else { "" }, step);
    }
    page.detail("rule", &format!("{} ({})", found.rule_text, found.source));
    if found.lines.is_empty() {
        page.detail("otherwise", found.otherwise);
    }
}

fn files(response: &Response) -> Table {
    let columns = [("file", Align::Left), ("layout", Align::Left)];
    let numbers = ["rows", "damaged", "errors", "warnings"].map(|name| (name, Align::Right));
    let mut table = Table::new(&[columns.as_slice(), numbers.as_slice()].concat());
    for file in &response.files {
        let numbers = [file.rows, file.damaged, file.errors, file.warnings].map(|number| number.to_string());
        table.row([file.file.clone(), file.layout.to_owned()].into_iter().chain(numbers));
    }
    table
}

fn lookups(response: &Response) -> Table {
    let columns = ["file", "outcome", "lines", "row", "rule", "source"];
    let mut table = Table::new(&columns.map(|name| (name, Align::Left)));
    for found in &response.lookups {
        let lines: Vec<String> = found.lines.iter().map(ToString::to_string).collect();
        let cells: Vec<String> = found.row.iter().map(|(name, cell)| format!("{name}={cell}")).collect();
        table.row([
            found.file.clone(),
            found.outcome.to_owned(),
            lines.join(" "),
            cells.join(" "),
            found.rule.to_owned(),
            found.source.to_owned(),
        ]);
    }
    table
}

fn findings(response: &Response) -> Table {
    let mut table = finding_table();
    response.findings.iter().for_each(|finding| finding_row(&mut table, finding));
    table
}

fn finding_table() -> Table {
    Table::new(&[
        ("severity", Align::Left),
        ("code", Align::Left),
        ("file", Align::Left),
        ("line", Align::Right),
        ("cause", Align::Left),
    ])
}

fn finding_row(table: &mut Table, finding: &Finding) {
    table.row([
        finding.severity.word().to_owned(),
        finding.code.to_owned(),
        finding.file.clone(),
        finding.line.to_string(),
        finding.cause.clone(),
    ]);
}

/// The findings that a page has room for: of each file and code the first lines, then how many follow. JSON and CSV have all.
fn some(response: &Response) -> Table {
    let mut table = finding_table();
    let mut groups: Vec<((&str, &str), Vec<&Finding>)> = Vec::new();
    for finding in &response.findings {
        let group = (finding.file.as_str(), finding.code);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, members)) => members.push(finding),
            None => groups.push((group, vec![finding])),
        }
    }
    groups.sort_by_key(|(_, members)| members.iter().map(|finding| finding.severity).min());
    for ((file, code), members) in &groups {
        members.iter().take(SHOWN).for_each(|finding| finding_row(&mut table, finding));
        if let Some(more) = members.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let told = format!("and {more} more of this kind; --format csv has all");
            table.row([String::new(), (*code).to_owned(), (*file).to_owned(), String::new(), told]);
        }
    }
    table
}

/// Lines of one kind of finding in one file that a page shows.
const SHOWN: usize = 3;

/// One cure a code, in the order in which the codes first appear.
fn cures(response: &Response) -> Vec<(&'static str, &'static str)> {
    let mut cures: Vec<(&'static str, &'static str)> = Vec::new();
    for finding in &response.findings {
        let pair = (finding.code, finding.cure);
        if !cures.contains(&pair) {
            cures.push(pair);
        }
    }
    cures
}
