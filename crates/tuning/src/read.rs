//! Bytes to a table. What is damaged is a finding, and its line is no row.

use crate::csv::{Record, records};
use crate::json::{Member, Value, parse};
use crate::{Error, Finding, Layout, Row, Severity, Table};
use std::collections::BTreeMap;

/// How far down a header may stand.
const PROSE: usize = 50;

/// Reads a table; its kind is found from the text and, for JSON, the file's name.
///
/// # Errors
/// Where the bytes are no text, no line is a header that is known here, or the JSON has another shape.
pub fn read(file: &str, bytes: &[u8]) -> Result<Table, Error> {
    let (bytes, bom) = bytes.strip_prefix(b"\xef\xbb\xbf").map_or((bytes, false), |rest| (rest, true));
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to();
        let line = 1 + bytes.iter().take(byte).filter(|&&b| b == b'\n').count();
        Error::Encoding { file: file.to_owned(), line, byte }
    })?;
    if text.trim().is_empty() {
        return Err(Error::Empty { file: file.to_owned() });
    }
    let json = text.trim_start().starts_with(['{', '[']);
    let mut table = if json { of_json(file, text)? } else { of_csv(file, text)? };
    if bom {
        let cause = "the file begins with a byte order mark".to_owned();
        table.found("byte-order-mark", Severity::Warning, 1, cause, "save it as UTF-8 without one");
    }
    Ok(table)
}

impl Table {
    fn found(
        &mut self,
        code: &'static str,
        severity: Severity,
        line: usize,
        cause: String,
        cure: &'static str,
    ) {
        self.findings.push(Finding { code, severity, file: self.file.clone(), line, cause, cure });
    }
}

fn of_csv(file: &str, text: &str) -> Result<Table, Error> {
    let records = records(text);
    let trimmed =
        |record: &Record| record.cells.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let header = records.iter().take(PROSE).enumerate().find_map(|(at, record)| {
        let columns = trimmed(record);
        Some((at, Layout::of_header(&columns)?, columns))
    });
    let Some((at, layout, columns)) = header else {
        let first = records.iter().find(|record| !record.blank);
        let seen: String =
            first.map(|record| record.cells.join(",")).unwrap_or_default().chars().take(80).collect();
        return Err(Error::Header {
            file: file.to_owned(),
            line: first.map_or(1, |record| record.line),
            seen,
        });
    };
    let (rows, findings) = (Vec::new(), Vec::new());
    let named = named(file);
    let mut table =
        Table { file: file.to_owned(), layout, columns, header: at + 1, named, rows, damaged: 0, findings };
    for record in records.iter().take(at).filter(|record| !record.blank) {
        let cause = format!("a line of text stands above the header: \"{}\"", begin(&record.cells.join(",")));
        table.found(
            "prose",
            Severity::Error,
            record.line,
            cause,
            "delete it: loaders take the first line for the header",
        );
        table.damaged += 1;
    }
    let mut ends = (0, 0);
    for record in records.iter().skip(at + 1) {
        line_of_csv(&mut table, record, &mut ends);
    }
    file_of_csv(&mut table, &records, text, ends.0);
    Ok(table)
}

/// One line below the header.
fn line_of_csv(table: &mut Table, record: &Record, blank: &mut (usize, usize)) {
    let width = table.columns.len();
    if record.blank {
        *blank = (blank.0 + 1, record.line);
        return;
    }
    let same = record.cells.iter().map(|cell| cell.trim()).eq(table.columns.iter().map(String::as_str));
    if same {
        table.damaged += 1;
        let cause = format!("the header of line {} stands here again", table.header);
        let cure = "delete the line: it turns every column into text";
        return table.found("repeated-header", Severity::Error, record.line, cause, cure);
    }
    let cells = record.cells.len();
    // Two rows whose line break is lost share the cell where they meet.
    if width > 1 && cells >= 2 * width - 1 && (cells - 1).is_multiple_of(width - 1) {
        table.damaged += 1;
        let cause = format!(
            "{} rows stand in one line: {cells} cells under {width} columns",
            (cells - 1) / (width - 1)
        );
        let cure = "put the line breaks back; a file whose last line has none glues what is appended";
        return table.found("glued-row", Severity::Error, record.line, cause, cure);
    }
    if cells > width {
        table.damaged += 1;
        let cause = format!("{cells} cells under {width} columns: pandas refuses the whole file");
        return table.found(
            "ragged-row",
            Severity::Error,
            record.line,
            cause,
            "delete the row or give the table its columns",
        );
    }
    if cells < width {
        let cause = format!("{cells} cells under {width} columns: the last ones are empty");
        table.found(
            "ragged-row",
            Severity::Error,
            record.line,
            cause,
            "tune the shape again or complete the row",
        );
    }
    let cells = record.cells.iter().map(|cell| Some(cell.trim().to_owned()));
    let cells = cells.chain(std::iter::repeat(None)).take(width).collect();
    table.rows.push(Row { line: record.line, byte: record.byte, cells });
}

/// What concerns the file as a whole.
fn file_of_csv(table: &mut Table, records: &[Record], text: &str, blank: usize) {
    let last = records.last().map_or(1, |record| record.line);
    if blank > 0 {
        let cause = format!("{blank} blank lines below the header; loaders skip them");
        table.found("blank-lines", Severity::Info, last, cause, "delete them");
    }
    if let Some(first) = records.iter().find(|record| record.carriage_return) {
        let count = records.iter().filter(|record| record.carriage_return).count();
        let severity =
            if count == records.len() || !text.ends_with('\n') { Severity::Info } else { Severity::Warning };
        let cause = format!("{count} of {} lines end with CR LF", records.len());
        table.found(
            "carriage-return",
            severity,
            first.line,
            cause,
            "write LF only, so that appended lines look the same",
        );
    }
    if !text.ends_with('\n') {
        let cause = "the last line has no line break".to_owned();
        table.found(
            "no-line-break",
            Severity::Warning,
            last,
            cause,
            "end it: what a tuner appends is glued to it",
        );
    }
}

fn of_json(file: &str, text: &str) -> Result<Table, Error> {
    let shape = |line: usize, what: String| Error::Shape { file: file.to_owned(), line, what };
    let Value::Object(members) = parse(file, text)? else {
        return Err(shape(1, "the document is a list".to_owned()));
    };
    let named = named(file);
    let mut entries: Vec<(Member, Vec<Member>)> = Vec::new();
    for mut member in members {
        // vLLM writes the version beside the configurations.
        if member.name == "triton_version" {
            continue;
        }
        match std::mem::replace(&mut member.value, Value::List(Vec::new())) {
            Value::Object(values) => entries.push((member, values)),
            _ => return Err(shape(member.line, format!("`{}` is no configuration", begin(&member.name)))),
        }
    }
    let numbers = entries.iter().all(|(member, _)| member.name.parse::<u64>().is_ok());
    let layout = match entries.iter().find(|(member, _)| !is_bound(&member.name)) {
        _ if entries.is_empty() => return Err(shape(1, "there is no configuration".to_owned())),
        None => Layout::AiterTritonJson,
        Some(_) if numbers && named.contains_key("E") => Layout::MoeJson,
        Some(_) if numbers && named.contains_key("K") => Layout::BlockFp8Json,
        Some((member, _)) if numbers => {
            return Err(shape(
                member.line,
                "keys are numbers, but the file's name says neither E= nor K=".to_owned(),
            ));
        }
        Some((member, _)) => {
            return Err(shape(
                member.line,
                format!("the key `{}` is neither M nor a bound of M", begin(&member.name)),
            ));
        }
    };
    let mut columns = vec!["key".to_owned()];
    for (_, values) in &entries {
        for value in values {
            if !columns.contains(&value.name) {
                columns.push(value.name.clone());
            }
        }
    }
    let rows = entries.iter().map(|(member, values)| {
        let last = |name: &String| {
            values.iter().rev().find(|value| value.name == *name).map(|value| value.value.cell())
        };
        let cells = columns.iter().enumerate();
        let cells = cells.map(|(at, name)| if at == 0 { Some(member.name.clone()) } else { last(name) });
        Row { line: member.line, byte: member.byte, cells: cells.collect() }
    });
    let rows = rows.collect();
    Ok(Table {
        file: file.to_owned(),
        layout,
        columns,
        header: 1,
        named,
        rows,
        damaged: 0,
        findings: Vec::new(),
    })
}

fn is_bound(name: &str) -> bool {
    let bound = name.strip_prefix("M_LEQ_").or_else(|| name.strip_prefix("M_GEQ_"));
    name == "any" || bound.is_some_and(|number| number.parse::<u64>().is_ok())
}

/// What the name of a file says of its table.
fn named(file: &str) -> BTreeMap<String, String> {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let base = base.strip_suffix(".json").or_else(|| base.strip_suffix(".csv")).unwrap_or(base);
    let mut named = BTreeMap::new();
    for name in ["E", "N", "K", "B", "device_name", "dtype", "block_shape", "per_channel_quant"] {
        let sign = format!("{name}=");
        let begins = |at: usize| !base.get(..at).unwrap_or("").ends_with(|c: char| c.is_alphanumeric());
        let Some((at, _)) = base.match_indices(&sign).find(|(at, _)| begins(*at)) else { continue };
        let rest = base.get(at + sign.len()..).unwrap_or_default();
        let end = match (name.len(), rest.starts_with('[')) {
            (1, _) => rest.find(|c: char| !c.is_ascii_digit()),
            (_, true) => rest.find(']').map(|at| at + 1),
            _ => rest.find(','),
        };
        named.insert(name.to_owned(), rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_owned());
    }
    if let Some(at) = base.find("gfx") {
        let gfx: String = base
            .chars()
            .skip(base.get(..at).unwrap_or("").chars().count() + 3)
            .take_while(char::is_ascii_hexdigit)
            .collect();
        named.insert("gfx".to_owned(), format!("gfx{gfx}"));
    }
    named
}

fn begin(text: &str) -> String {
    text.chars().take(60).collect()
}
