//! Sheet «Detail»: device work by module, kernel, op and source line; every activity in one row.

use super::cell::{Cell, Column};
use super::sheet::Sheet;
use kforge_workbench::trace::{DetailRow, Response, Table};
use rust_xlsxwriter::XlsxError;

const COLUMNS: [Column; 13] = [
    Column("Module", 60.0),
    Column("Module Type", 26.0),
    Column("Kernel Name", 80.0),
    Column("Duration (us)", 16.0),
    Column("% of Whole", 12.0),
    Column("Category", 16.0),
    Column("Count", 10.0),
    Column("Avg (us)", 12.0),
    Column("Min (us)", 12.0),
    Column("Max (us)", 12.0),
    Column("Op", 28.0),
    Column("Fused Parts", 28.0),
    Column("Source", 60.0),
];

/// Writes the sheet.
pub(super) fn write(
    sheet: &mut Sheet<'_>,
    response: &Response,
    details: &Table<DetailRow>,
) -> Result<(), XlsxError> {
    sheet.table(&COLUMNS)?;
    let fitting = sheet.room(3).min(details.rows.len());
    for row in &details.rows[..fitting] {
        let module = row.module.and_then(|module| response.tables.modules.rows.get(module));
        let parts: Vec<&str> = row.labels.parts.iter().map(|part| part.name()).collect();
        sheet.row(&[
            Cell::text(module.map(|module| module.path.as_str())),
            Cell::text(module.map(|module| module.class.as_str())),
            row.name.as_str().into(),
            Cell::Time(row.total_ns),
            Cell::share(row.total_ns, details.whole_ns),
            row.labels.operation.name().into(),
            Cell::Count(row.count),
            Cell::mean(row.total_ns, row.timed),
            Cell::time(row.min_ns),
            Cell::time(row.max_ns),
            Cell::text(row.op.as_deref()),
            if row.labels.is_fused() { parts.join(" + ").into() } else { Cell::Absent },
            Cell::text(row.source.as_deref()),
        ])?;
    }
    sheet.filter()?;
    let hidden = details.rows[fitting..].iter().map(|row| row.total_ns).sum();
    sheet.left_out(details.rows.len() - fitting, hidden)?;
    let last = |what: &'static str, ns: i64| {
        let share = Cell::share(ns, details.whole_ns);
        [what.into(), Cell::Absent, Cell::Absent, Cell::Time(ns), share]
    };
    sheet.row(&last("In no row", details.residual_ns))?;
    sheet.total(&last("Whole", details.whole_ns))
}
