//! Each table as cells, with the line below it.

use super::cells::{Width, grouped_u, micros, name, time_of};
use super::section::Section;
use crate::kernel_name::short_kernel;
use crate::module_tree;
use crate::{Align, Table};
use kforge_units::{Nanos, counted, percent, share};
use kforge_workbench::trace::{KernelRow, Response, Table as Rows};
use std::fmt::Write as _;

/// A table as cells, and the line below it: what was cut, what no row shows, what the whole is.
pub(super) fn section(
    response: &Response,
    part: Section,
    top: Option<usize>,
    width: Width,
) -> (Table, String) {
    let tables = &response.tables;
    match part {
        Section::Kernels => kernel_table(&tables.kernels, top, width, "kernel"),
        Section::Transfers => kernel_table(&tables.transfers, top, width, "copy or fill"),
        Section::Families => family_table(response, top),
        Section::Ops => op_table(response, top, width),
        Section::Modules => module_table(response, top, width),
        Section::ModuleTypes => module_type_table(response, top, width),
        Section::Sources => source_table(response, top, width),
        Section::Steps => step_table(response, top, width),
    }
}

/// The part of a table that fits, and the line below it. `own` is what a row shows of the whole, in ns.
fn fill<'rows, Row, Shown: 'rows>(
    columns: &[(&str, Align)],
    rows: &Rows<Row>,
    order: impl Iterator<Item = &'rows Shown>,
    top: Option<usize>,
    own: impl Fn(&Shown) -> i64,
    cells: impl Fn(&Shown) -> Vec<String>,
) -> (Table, String) {
    let mut table = Table::new(columns);
    let mut hidden = Nanos(0);
    for (index, row) in order.enumerate() {
        if index < limit(top) {
            table.row(cells(row));
        } else {
            hidden += Nanos(own(row));
        }
    }
    (table, rest(rows, top, hidden.get()))
}

fn family_table(response: &Response, top: Option<usize>) -> (Table, String) {
    let rows = &response.tables.families;
    let columns = [
        ("family", Align::Left),
        ("names", Align::Right),
        ("count", Align::Right),
        ("total µs", Align::Right),
        ("share", Align::Right),
    ];
    fill(
        &columns,
        rows,
        rows.rows.iter(),
        top,
        |row| row.total_ns,
        |row| {
            vec![
                row.family.to_owned(),
                grouped_u(row.names),
                grouped_u(row.count),
                micros(row.total_ns),
                percent(row.share),
            ]
        },
    )
}

fn op_table(response: &Response, top: Option<usize>, width: Width) -> (Table, String) {
    let rows = &response.tables.ops;
    let columns = [
        ("op", Align::Left),
        ("calls", Align::Right),
        ("activities", Align::Right),
        ("self µs", Align::Right),
        ("subtree µs", Align::Right),
    ];
    fill(
        &columns,
        rows,
        rows.rows.iter(),
        top,
        |row| row.self_ns,
        |row| {
            vec![
                name(&row.name, width, 48),
                grouped_u(row.count),
                grouped_u(row.activities),
                micros(row.self_ns),
                micros(row.subtree_ns),
            ]
        },
    )
}

fn source_table(response: &Response, top: Option<usize>, width: Width) -> (Table, String) {
    let rows = &response.tables.sources;
    let columns = [
        ("source", Align::Left),
        ("function", Align::Left),
        ("activities", Align::Right),
        ("total µs", Align::Right),
        ("share", Align::Right),
    ];
    fill(
        &columns,
        rows,
        rows.rows.iter(),
        top,
        |row| row.ns,
        |row| {
            vec![
                name(&format!("{}:{}", row.file, row.line), width, 46),
                name(&row.function, width, 20),
                grouped_u(row.count),
                micros(row.ns),
                share(Nanos(row.ns), Nanos(rows.whole_ns)),
            ]
        },
    )
}

fn step_table(response: &Response, top: Option<usize>, width: Width) -> (Table, String) {
    let rows = &response.tables.steps;
    let columns = [
        ("step", Align::Left),
        ("host µs", Align::Right),
        ("kernels", Align::Right),
        ("activities", Align::Right),
        ("device µs", Align::Right),
        ("device window µs", Align::Right),
    ];
    fill(
        &columns,
        rows,
        rows.rows.iter(),
        top,
        |row| row.total_ns,
        |row| {
            vec![
                name(&row.name, width, 34),
                row.host_ns.map_or("-".to_owned(), micros),
                grouped_u(row.kernels),
                grouped_u(row.count),
                micros(row.total_ns),
                row.device_window_ns.map_or("-".to_owned(), micros),
            ]
        },
    )
}

fn kernel_table(rows: &Rows<KernelRow>, top: Option<usize>, width: Width, noun: &str) -> (Table, String) {
    let number = |ns: Option<i64>| ns.map_or("-".to_owned(), micros);
    let mut columns = vec![
        (noun, Align::Left),
        ("family", Align::Left),
        ("count", Align::Right),
        ("total µs", Align::Right),
        ("mean µs", Align::Right),
        ("max µs", Align::Right),
        ("share", Align::Right),
        ("cum.", Align::Right),
    ];
    if width == Width::Full {
        columns.extend([("min µs", Align::Right), ("launch µs", Align::Right), ("replayed", Align::Right)]);
    }
    fill(
        &columns,
        rows,
        rows.rows.iter(),
        top,
        |row| row.total_ns,
        |row| {
            let parts: Vec<&str> = row.labels.parts.iter().map(|part| part.name()).collect();
            let family =
                if parts.len() > 1 { parts.join("+") } else { row.labels.operation.name().to_owned() };
            vec![
                if width == Width::Page { short_kernel(&row.name, 34) } else { row.name.clone() },
                name(&family, width, 14),
                grouped_u(row.count),
                micros(row.total_ns),
                number(row.mean_ns),
                number(row.max_ns),
                percent(row.share),
                percent(row.cumulative_share),
                number(row.min_ns),
                number(row.launch_ns),
                grouped_u(row.graph_replayed),
            ]
        },
    )
}

fn module_table(response: &Response, top: Option<usize>, width: Width) -> (Table, String) {
    let rows = &response.tables.modules;
    let order = module_tree::order(&rows.rows, &module_tree::children(&rows.rows));
    let columns = [
        ("module", Align::Left),
        ("calls", Align::Right),
        ("kernels", Align::Right),
        ("self µs", Align::Right),
        ("subtree µs", Align::Right),
        ("share", Align::Right),
    ];
    fill(
        &columns,
        rows,
        order.iter(),
        top,
        |index| rows.rows[*index].self_ns,
        |index| {
            let row = &rows.rows[*index];
            let shown = match width {
                Width::Page => name(&module_tree::indented(&rows.rows, *index), width, 48),
                Width::Full => row.path.clone(),
            };
            vec![
                shown,
                row.count.map_or("-".to_owned(), grouped_u),
                grouped_u(row.subtree_kernels),
                micros(row.self_ns),
                micros(row.subtree_ns),
                share(Nanos(row.subtree_ns), Nanos(rows.whole_ns)),
            ]
        },
    )
}

fn module_type_table(response: &Response, top: Option<usize>, width: Width) -> (Table, String) {
    let rows = &response.tables.module_types;
    let columns = [
        ("module type", Align::Left),
        ("instances", Align::Right),
        ("calls", Align::Right),
        ("kernels/call", Align::Right),
        ("self µs", Align::Right),
        ("subtree µs", Align::Right),
        ("share", Align::Right),
    ];
    fill(
        &columns,
        rows,
        rows.rows.iter(),
        top,
        |row| row.self_ns,
        |row| {
            let per_call = match row.count {
                Some(calls) if calls > 0 => format!("{:.1}", row.subtree_kernels as f64 / calls as f64),
                _ => "-".to_owned(),
            };
            vec![
                name(&row.class, width, 34),
                grouped_u(row.instances),
                row.count.map_or("-".to_owned(), grouped_u),
                per_call,
                micros(row.self_ns),
                micros(row.subtree_ns),
                share(Nanos(row.subtree_ns), Nanos(rows.whole_ns)),
            ]
        },
    )
}

fn limit(top: Option<usize>) -> usize {
    top.unwrap_or(usize::MAX)
}

/// The line below a table: what was cut, what no row shows, what it adds up to.
fn rest<Row>(table: &Rows<Row>, top: Option<usize>, hidden: i64) -> String {
    let cut = table.rows.len().saturating_sub(limit(top));
    let mut line = String::new();
    if cut > 0 {
        let _ = write!(line, "{}: {}; ", counted(cut, "more row", "more rows"), time_of(hidden));
    }
    if table.residual_count > 0 {
        let _ = write!(
            line,
            "in no row: {}, {}; ",
            counted(table.residual_count, "activity", "activities"),
            time_of(table.residual_ns)
        );
    }
    let _ = write!(line, "whole {}", time_of(table.whole_ns));
    line
}
