//! The finest table of `trace`: device work by module, name, op and source line at once.

use super::table::Table;
use super::verb::{Composer, with};
use kforge_analysis::DetailTable;
use kforge_catalog::Labels;
use kforge_units::Nanos;
use serde::Serialize;

/// Activities that share module, name, op and source line.
#[derive(Clone, Debug, Serialize)]
pub struct DetailRow {
    /// The innermost module, as a row of `tables.modules`; `null` where none is known.
    pub module: Option<usize>,
    /// The full name.
    pub name: String,
    /// What the name says.
    pub labels: Labels,
    /// The innermost op.
    pub op: Option<String>,
    /// The source line, `file(line): function`.
    pub source: Option<String>,
    /// How many.
    pub count: u64,
    /// How many of them have a length.
    pub timed: u64,
    /// The sum of their lengths.
    pub total_ns: i64,
    /// Their mean length, rounded down; `null` where none has a length.
    pub mean_ns: Option<i64>,
    /// The shortest.
    pub min_ns: Option<i64>,
    /// The longest.
    pub max_ns: Option<i64>,
}

impl Composer<'_> {
    /// Every activity of the capture in one row.
    pub(super) fn details(&self) -> Table<DetailRow> {
        let trace = &self.capture.trace;
        let context = &self.capture.context;
        let table = DetailTable::of(trace, &self.capture.launches, context);
        let rows = table
            .rows
            .iter()
            .map(|row| DetailRow {
                module: row.key.module.map(kforge_analysis::ModuleId::index),
                name: self.text(row.key.name),
                labels: self.labels(row.key.name),
                op: row.key.op.map(|op| self.text(op)),
                source: row.key.source.map(|source| {
                    let line = context.sources().get(source);
                    format!("{}({}): {}", line.file, line.line, line.function)
                }),
                count: row.lengths.count,
                timed: row.lengths.timed,
                total_ns: row.lengths.total.get(),
                mean_ns: row.lengths.mean().map(Nanos::get),
                min_ns: row.lengths.min.map(Nanos::get),
                max_ns: row.lengths.max.map(Nanos::get),
            })
            .collect();
        with(rows, &table.whole)
    }
}
