//! Sheet «Module Tree»: every module at its place, with groups that fold.

use super::cell::{Cell, Column};
use super::sheet::Sheet;
use super::tree::{Node, Tree};
use crate::module_tree::indented;
use kforge_units::{Nanos, grouped, share};
use kforge_workbench::trace::Response;
use rust_xlsxwriter::XlsxError;

const COLUMNS: [Column; 11] = [
    Column("Module", 52.0),
    Column("Total Time (us)", 16.0),
    Column("Kernels/Ops", 12.0),
    Column("Breakdown", 64.0),
    Column("Phase", 10.0),
    Column("Self (us)", 16.0),
    Column("Calls", 10.0),
    Column("% of Whole", 12.0),
    Column("Depth", 8.0),
    Column("Type", 28.0),
    Column("Path", 60.0),
];
/// Families that a breakdown names; the rest is one more entry.
const NAMED: usize = 5;

/// Writes the sheet.
pub(super) fn write(sheet: &mut Sheet<'_>, response: &Response, tree: &Tree<'_>) -> Result<(), XlsxError> {
    let modules = &response.tables.modules;
    sheet.table(&COLUMNS)?;
    let fitting = sheet.room(3).min(tree.order.len());
    for &index in &tree.order[..fitting] {
        let node = &tree.nodes[index];
        let row = node.row;
        sheet.outlined(
            row.depth,
            &[
                indented(&modules.rows, index).into(),
                Cell::Time(row.subtree_ns),
                Cell::Count(row.subtree_kernels),
                breakdown(node).map_or(Cell::Absent, Cell::from),
                "unknown".into(),
                Cell::Time(row.self_ns),
                Cell::count(row.count),
                Cell::share(row.subtree_ns, modules.whole_ns),
                Cell::Count(row.depth as u64),
                row.class.as_str().into(),
                row.path.as_str().into(),
            ],
        )?;
    }
    sheet.filter()?;
    let hidden = tree.order[fitting..].iter().map(|index| tree.nodes[*index].row.self_ns).sum();
    sheet.left_out(tree.order.len() - fitting, hidden)?;
    let last = |what: &'static str, total: Cell<'static>, own: i64| {
        let mut cells: [Cell<'static>; 8] = std::array::from_fn(|_| Cell::Absent);
        cells[0] = what.into();
        cells[1] = total;
        cells[5] = Cell::Time(own);
        cells[7] = Cell::share(own, modules.whole_ns);
        cells
    };
    sheet.row(&last("In no module", Cell::Time(modules.residual_ns), modules.residual_ns))?;
    sheet.total(&last("Whole", Cell::Time(modules.whole_ns), modules.whole_ns))
}

/// `gemm 62.1% (12), normalization 20.0% (4)`: time and number by family.
fn breakdown(node: &Node<'_>) -> Option<String> {
    if node.families.is_empty() {
        return None;
    }
    let mut families: Vec<_> = node.families.iter().collect();
    families.sort_by_key(|(_, amount)| std::cmp::Reverse(amount.ns));
    let whole = Nanos(node.row.subtree_ns);
    let entry = |name: &str, ns: i64, count: u64| {
        format!("{name} {} ({})", share(Nanos(ns), whole), grouped(count as i64))
    };
    let mut entries: Vec<String> =
        families.iter().take(NAMED).map(|(name, amount)| entry(name, amount.ns, amount.count)).collect();
    if families.len() > NAMED {
        let rest = &families[NAMED..];
        let ns = rest.iter().map(|(_, amount)| amount.ns).sum();
        let count = rest.iter().map(|(_, amount)| amount.count).sum();
        entries.push(entry("rest", ns, count));
    }
    Some(entries.join(", "))
}
