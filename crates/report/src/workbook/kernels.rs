//! Sheet «GPU Kernels»: every kernel by name, then copies and fills.

use super::cell::{Cell, Column};
use super::sheet::Sheet;
use kforge_workbench::trace::{DetailRow, KernelRow, Response, Table};
use rust_xlsxwriter::XlsxError;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

const COLUMNS: [Column; 18] = [
    Column("Kernel Name", 80.0),
    Column("Category", 16.0),
    Column("Total Duration (us)", 18.0),
    Column("Count", 10.0),
    Column("Avg (us)", 12.0),
    Column("% of Total", 11.0),
    Column("Module Types", 40.0),
    Column("Fused Parts", 28.0),
    Column("Min (us)", 12.0),
    Column("Max (us)", 12.0),
    Column("Cumulative %", 12.0),
    Column("Launch (us)", 12.0),
    Column("From Graphs", 11.0),
    Column("Data Types", 14.0),
    Column("Language", 11.0),
    Column("Library", 14.0),
    Column("Rule", 26.0),
    Column("Sources", 60.0),
];
/// Module types and source lines that a row names; the rest is a number.
const NAMED: usize = 4;

/// Where a kernel's time was spent, by some name.
type Shares<'r> = HashMap<&'r str, BTreeMap<&'r str, i64>>;

/// Writes the sheet.
pub(super) fn write(
    sheet: &mut Sheet<'_>,
    response: &Response,
    details: &Table<DetailRow>,
) -> Result<(), XlsxError> {
    let mut places = Places::default();
    for row in &details.rows {
        let class = row.module.and_then(|module| response.tables.modules.rows.get(module));
        if let Some(class) = class {
            *places.types.entry(&row.name).or_default().entry(&class.class).or_default() += row.total_ns;
        }
        if let Some(source) = &row.source {
            *places.sources.entry(&row.name).or_default().entry(source).or_default() += row.total_ns;
        }
    }
    let transfers = &response.tables.transfers;
    sheet.table(&COLUMNS)?;
    // The second table needs its header, a gap, its rows and its own last lines.
    table(sheet, &response.tables.kernels, &places, 6 + transfers.rows.len().min(1000), true)?;
    if !transfers.rows.is_empty() {
        sheet.gap();
        sheet.table(&COLUMNS)?;
        table(sheet, transfers, &places, 0, false)?;
    }
    Ok(())
}

#[derive(Default)]
struct Places<'r> {
    types: Shares<'r>,
    sources: Shares<'r>,
}

fn table(
    sheet: &mut Sheet<'_>,
    rows: &Table<KernelRow>,
    places: &Places<'_>,
    below: usize,
    filter: bool,
) -> Result<(), XlsxError> {
    let fitting = sheet.room(below + 3).min(rows.rows.len());
    for row in &rows.rows[..fitting] {
        kernel(sheet, row, places)?;
    }
    if filter {
        sheet.filter()?;
    }
    let hidden = rows.rows[fitting..].iter().map(|row| row.total_ns).sum();
    sheet.left_out(rows.rows.len() - fitting, hidden)?;
    let last = |what: &'static str, ns: i64, count: u64| {
        [
            what.into(),
            Cell::Absent,
            Cell::Time(ns),
            Cell::Count(count),
            Cell::Absent,
            Cell::share(ns, rows.whole_ns),
        ]
    };
    let counted: u64 = rows.rows.iter().map(|row| row.count).sum();
    sheet.row(&last("In no row", rows.residual_ns, rows.residual_count))?;
    sheet.total(&last("Whole", rows.whole_ns, counted + rows.residual_count))
}

fn kernel(sheet: &mut Sheet<'_>, row: &KernelRow, places: &Places<'_>) -> Result<(), XlsxError> {
    let labels = &row.labels;
    let parts: Vec<&str> = labels.parts.iter().map(|part| part.name()).collect();
    let parts = if labels.is_fused() { parts.join(" + ").into() } else { Cell::Absent };
    let dtypes = labels.dtypes.join(", ");
    sheet.row(&[
        row.name.as_str().into(),
        labels.operation.name().into(),
        Cell::Time(row.total_ns),
        Cell::Count(row.count),
        Cell::mean(row.total_ns, row.timed),
        Cell::Share(row.share),
        named(places.types.get(row.name.as_str())),
        parts,
        Cell::time(row.min_ns),
        Cell::time(row.max_ns),
        Cell::Share(row.cumulative_share),
        Cell::time(row.launch_ns),
        Cell::Count(row.graph_replayed),
        if dtypes.is_empty() { Cell::Absent } else { dtypes.into() },
        Cell::text(labels.language.as_deref()),
        Cell::text(labels.library.as_deref()),
        Cell::text(labels.rule.as_deref()),
        named(places.sources.get(row.name.as_str())),
    ])
}

/// The names with most time, the others as a number.
fn named(shares: Option<&BTreeMap<&str, i64>>) -> Cell<'static> {
    let Some(shares) = shares else { return Cell::Absent };
    let mut names: Vec<_> = shares.iter().collect();
    names.sort_by_key(|(_, ns)| std::cmp::Reverse(**ns));
    let mut text = names.iter().take(NAMED).map(|(name, _)| **name).collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        let _ = write!(text, " and {} more", names.len() - NAMED);
    }
    text.into()
}
