//! What is wrong inside a table: rows that a loader refuses, that lose, that cannot be true, or that are for another device.

use crate::columns::{ERRORS, TIMES, WHOLE_TIME};
use crate::key::{architecture, key, shown, units};
use crate::number::{Number, number, whole};
use crate::{Finding, Layout, Row, Severity, Table};
use kforge_hardware::{Devices, Found, Pipe, Query};
use std::collections::{BTreeMap, HashMap};

/// What a table is judged by.
#[derive(Debug, Default)]
pub struct Scope<'a> {
    /// The architecture that the rows should be for.
    pub gfx: Option<&'a str>,
    /// The number of units that the rows should be for.
    pub units: Option<u64>,
    /// Known devices, for what none of them can do.
    pub devices: Option<&'a Devices>,
}

/// Share of wrong elements that aiter's tuners accept, in millionths (ROCm/aiter@e404860 `aiter/utility/base_tuner.py:42`; for mixture of experts
/// `csrc/ck_gemm_moe_2stages_codegen/gemm_moe_tune.py:443`).
fn tolerance(layout: Layout) -> i128 {
    if layout == Layout::AiterMoe { 100_000 } else { 50_000 }
}

/// All findings of a table, in the order of its lines; those of its reader are among them.
pub fn audit(table: &Table, scope: &Scope<'_>) -> Vec<Finding> {
    let mut findings = table.findings.clone();
    for row in &table.rows {
        numbers(table, row, &mut findings);
        foreign(table, row, scope, &mut findings);
        impossible(table, row, scope, &mut findings);
    }
    doubled(table, &mut findings);
    unsorted(table, &mut findings);
    findings.sort_by_key(|finding| finding.line);
    findings
}

fn found(
    table: &Table,
    code: &'static str,
    severity: Severity,
    line: usize,
    cause: String,
    cure: &'static str,
) -> Finding {
    Finding { code, severity, file: table.file.clone(), line, cause, cure }
}

fn numbers(table: &Table, row: &Row, findings: &mut Vec<Finding>) {
    let cells =
        table.columns.iter().zip(&row.cells).filter_map(|(name, cell)| Some((name, cell.as_deref()?)));
    for (name, cell) in cells {
        let (time, ratio) = (TIMES.contains(&name.as_str()), ERRORS.contains(&name.as_str()));
        let value = number(cell);
        let what = match value {
            _ if !time && !ratio => continue,
            Number::Nan | Number::Infinite | Number::Text => format!("{name} is \"{cell}\""),
            Number::Millionths(value) if value < 0 => format!("{name} is {cell}, less than nothing"),
            Number::Millionths(0) if time && !matches!(name.as_str(), "us1" | "us2") => {
                let cause = format!("{name} is zero: the row was written by hand or never timed");
                let cure = "tune the shape: a merge of tables keeps the least time, and nothing is less";
                findings.push(found(table, "time-zero", Severity::Warning, row.line, cause, cure));
                continue;
            }
            Number::Millionths(value) if ratio && value > tolerance(table.layout) => {
                let cause = format!(
                    "{name} is {cell}: more than {} % of the elements were wrong",
                    tolerance(table.layout) / 10_000
                );
                let cure = "tune the shape again, or delete the row: its kernel is not right";
                findings.push(found(table, "error-ratio", Severity::Error, row.line, cause, cure));
                continue;
            }
            Number::Absent | Number::Millionths(_) => continue,
        };
        let (code, cure) = if time {
            (
                "time-not-a-number",
                "tune the shape again: the row was never timed, and a sort by time misplaces it",
            )
        } else {
            ("error-not-a-number", "tune the shape again: nothing says that its kernel is right")
        };
        findings.push(found(table, code, Severity::Error, row.line, what, cure));
    }
    for name in ["cu_num", "M", "N", "K", "B", "token", "model_dim", "inter_dim", "expert", "topk"] {
        let numeric = matches!(
            table.layout,
            Layout::AiterGemm | Layout::AiterBatchedGemm | Layout::AiterMoe | Layout::AiterUntuned
        );
        let place = table.column(name).filter(|_| numeric);
        let Some(cell) = place.and_then(|at| row.cells.get(at)).and_then(Option::as_deref) else { continue };
        // aiter's grouped tables write -1 for any value.
        if whole(cell).is_none() && cell.trim() != "-1" {
            let cause = format!("{name} is \"{cell}\", which is no whole number");
            findings.push(found(
                table,
                "key-not-a-number",
                Severity::Error,
                row.line,
                cause,
                "mend the key; the row is never found",
            ));
        }
    }
}

fn foreign(table: &Table, row: &Row, scope: &Scope<'_>, findings: &mut Vec<Finding>) {
    let gfx = architecture(table, row).or_else(|| table.named.get("gfx").cloned());
    let other_gfx = scope.gfx.zip(gfx.as_deref()).filter(|(wanted, gfx)| wanted != gfx);
    let other_units = scope.units.zip(units(table, row)).filter(|(wanted, units)| wanted != units);
    if other_gfx.is_none() && other_units.is_none() {
        return;
    }
    let told = |gfx: Option<&str>, units: Option<u64>| {
        let units = units.map(|units| format!("{units} units"));
        gfx.map(str::to_owned).into_iter().chain(units).collect::<Vec<_>>().join(", ")
    };
    let cause = format!(
        "the row is for {}, not {}",
        told(gfx.as_deref(), units(table, row)),
        told(scope.gfx, scope.units)
    );
    findings.push(found(
        table,
        "foreign-gpu",
        Severity::Warning,
        row.line,
        cause,
        "tune on the GPU that runs it; this row is never taken there",
    ));
}

/// The time of a row in picoseconds, where it has one that can be compared.
fn time(table: &Table, row: &Row) -> Option<i128> {
    let cell = WHOLE_TIME.iter().find_map(|name| table.cell(row, name))?;
    match number(cell) {
        Number::Millionths(value) if value > 0 => Some(value),
        _ => None,
    }
}

/// A matrix product that is faster than any device of its kind can multiply, in any data type.
fn impossible(table: &Table, row: &Row, scope: &Scope<'_>, findings: &mut Vec<Finding>) {
    if !matches!(table.layout, Layout::AiterGemm | Layout::AiterBatchedGemm) {
        return;
    }
    let size =
        |upper: &str, lower: &str| table.cell(row, upper).or_else(|| table.cell(row, lower)).and_then(whole);
    let work = [size("M", "m"), size("N", "n"), size("K", "k")]
        .into_iter()
        .try_fold(2_i128, |work, size| work.checked_mul(i128::from(size?)));
    let batch = size("B", "b").unwrap_or(1);
    let (Some(work), Some(time), Some(devices)) = (work, time(table, row), scope.devices) else { return };
    let Some(peak) = peak(devices, architecture(table, row).as_deref(), units(table, row)) else { return };
    // operations ÷ picoseconds against operations a second, without a division.
    let done = work.checked_mul(i128::from(batch)).and_then(|work| work.checked_mul(1_000_000_000_000));
    let possible = time.checked_mul(i128::from(peak));
    if let (Some(done), Some(possible)) = (done, possible)
        && done > possible
    {
        let cause = format!(
            "{} in {} us is more than the device can multiply in any data type",
            shown(table, row),
            WHOLE_TIME.iter().find_map(|name| table.cell(row, name)).unwrap_or_default()
        );
        findings.push(found(
            table,
            "impossible-time",
            Severity::Error,
            row.line,
            cause,
            "measure again: the kernel did not do its work, or was not timed whole",
        ));
    }
}

fn peak(devices: &Devices, gfx: Option<&str>, units: Option<u64>) -> Option<u64> {
    let fitting = match devices.find(Query { arch: Some(gfx?), units, ..Query::default() }) {
        Found::One(device) => vec![device],
        Found::Ambiguous(devices) => devices,
        Found::Unknown(_) => return None,
    };
    let peaks = fitting.iter().flat_map(|device| {
        kforge_hardware::Dtype::ALL
            .into_iter()
            .filter_map(|dtype| device.peak_limit(Pipe::Matrix, dtype).ok())
    });
    peaks.max()
}

/// Rows of one key. Loaders of matrix products index by the key and refuse it twice unless the whole rows are equal; the loader of
/// mixture-of-experts tables keeps the first (ROCm/aiter@e404860 `aiter/ops/gemm_op_a8w8.py:453`, `aiter/fused_moe.py:2182`).
fn doubled(table: &Table, findings: &mut Vec<Finding>) {
    let mut seen: HashMap<(Vec<String>, bool), &Row> = HashMap::new();
    for row in &table.rows {
        let fallback = table.cell(row, "_tag") == Some("flydsl_fallback");
        let Some(first) = seen.get(&(key(table, row), fallback)).copied() else {
            seen.insert((key(table, row), fallback), row);
            continue;
        };
        let (severity, fate, cure) = if table.layout.is_json() {
            (Severity::Error, "readers keep the last", "delete one of the two")
        } else if first.cells == row.cells {
            (Severity::Warning, "the rows are equal", "delete one of the two")
        } else if table.layout == Layout::AiterMoe {
            (Severity::Warning, "the loader keeps the first", "keep the faster one")
        } else if table.layout == Layout::AiterUntuned {
            (Severity::Info, "the shape is tuned once", "delete one of the two")
        } else {
            (Severity::Error, "the loader refuses the table", "keep the faster one")
        };
        let cause = format!("the key of line {} again ({}); {fate}", first.line, shown(table, row));
        findings.push(found(table, "duplicate-key", severity, row.line, cause, cure));
        let (Some(a), Some(b)) = (time(table, first), time(table, row)) else { continue };
        if a != b {
            let (slow, fast) = if a > b { (first, row) } else { (row, first) };
            let cause = format!("line {} is faster for the same key", fast.line);
            findings.push(found(
                table,
                "dominated-row",
                Severity::Warning,
                slow.line,
                cause,
                "delete the slower row",
            ));
        }
    }
}

/// The first key that stands below a greater one, in tables that are kept in order.
fn unsorted(table: &Table, findings: &mut Vec<Finding>) {
    if !matches!(table.layout, Layout::MoeJson | Layout::BlockFp8Json) {
        return;
    }
    let keys: Vec<(u64, usize)> = table
        .rows
        .iter()
        .filter_map(|row| Some((whole(row.cells.first()?.as_deref()?)?, row.line)))
        .collect();
    if let Some(pair) = keys.windows(2).find(|pair| matches!(pair, [a, b] if a.0 > b.0))
        && let [a, b] = pair
    {
        let cause = format!("key {} stands below {}", b.0, a.0);
        findings.push(found(
            table,
            "unsorted",
            Severity::Info,
            b.1,
            cause,
            "sort the keys: of two as near to M, the first wins",
        ));
    }
}

/// Shapes of `wanted` that `table` has no row for, and rows of `table` that nothing in `wanted` asks for.
pub fn untuned(table: &Table, wanted: &Table) -> Vec<Finding> {
    let common: Vec<&String> = wanted
        .columns
        .iter()
        .filter(|name| crate::columns::is_key(name) && table.column(name).is_some())
        .collect();
    let of = |table: &Table, row: &Row| -> Vec<String> {
        let cell = |name: &&String| table.cell(row, name).map(crate::key::normal).unwrap_or_default();
        common.iter().map(cell).collect()
    };
    if common.is_empty() || table.layout.is_json() {
        return Vec::new();
    }
    let have: BTreeMap<Vec<String>, usize> =
        table.rows.iter().map(|row| (of(table, row), row.line)).collect();
    let asked: BTreeMap<Vec<String>, usize> =
        wanted.rows.iter().map(|row| (of(wanted, row), row.line)).collect();
    let mut findings = Vec::new();
    for row in wanted.rows.iter().filter(|row| !have.contains_key(&of(wanted, row))) {
        let cause = format!("{} has no row in {}", shown(wanted, row), table.file);
        findings.push(found(
            wanted,
            "untuned-shape",
            Severity::Warning,
            row.line,
            cause,
            "run the library's tuner with this list",
        ));
    }
    for row in table.rows.iter().filter(|row| !asked.contains_key(&of(table, row))) {
        let cause = format!("{} is no shape of {}", shown(table, row), wanted.file);
        findings.push(found(
            table,
            "stale-row",
            Severity::Info,
            row.line,
            cause,
            "delete it where no model runs it any more",
        ));
    }
    findings
}
