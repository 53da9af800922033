//! Sheet «Overview»: modules by type, at each place of the tree of types.
//!
//! Modules of one type below the same types are one row. A row's total is its own time («(self)») and the rows below it.

use super::cell::{Cell, Column};
use super::sheet::Sheet;
use super::tree::Tree;
use kforge_workbench::trace::{DetailRow, Response, Table};
use rust_xlsxwriter::XlsxError;
use std::cmp::Reverse;
use std::collections::HashMap;

const COLUMNS: [Column; 12] = [
    Column("Module Type", 48.0),
    Column("Depth", 8.0),
    Column("Count", 10.0),
    Column("Mean", 14.0),
    Column("Std", 14.0),
    Column("Min", 14.0),
    Column("Max", 14.0),
    Column("Total (us)", 16.0),
    Column("% of Parent", 12.0),
    Column("Top Kernel", 60.0),
    Column("Instances", 11.0),
    Column("% of Whole", 12.0),
];
const EXPLAINED: &str = "Mean, Std, Min and Max are µs per call; each instance counts with the mean of its calls (with its \
                         whole time where the capture does not show calls)";

/// All modules of one type at one place.
#[derive(Debug, Default)]
struct Kind<'r> {
    class: &'r str,
    depth: usize,
    parent: Option<usize>,
    children: Vec<usize>,
    calls: Option<u64>,
    own_ns: i64,
    total_ns: i64,
    /// µs per call of each instance.
    per_call: Vec<f64>,
    /// The kernel that took most of the time in it and below.
    top_kernel: Option<&'r str>,
}

/// Writes the sheet.
pub(super) fn write(
    sheet: &mut Sheet<'_>,
    response: &Response,
    details: &Table<DetailRow>,
    tree: &Tree<'_>,
) -> Result<(), XlsxError> {
    let kinds = kinds(tree, details);
    let modules = &response.tables.modules;
    sheet.table(&COLUMNS)?;
    let mut stack: Vec<usize> = (0..kinds.len()).rev().filter(|kind| kinds[*kind].parent.is_none()).collect();
    let (mut hidden, mut hidden_ns) = (0, 0);
    while let Some(index) = stack.pop() {
        let kind = &kinds[index];
        stack.extend(kind.children.iter().rev());
        if sheet.room(5) < 2 {
            hidden += 1;
            hidden_ns += kind.own_ns;
            continue;
        }
        let parent_ns = kind.parent.map_or(modules.whole_ns, |parent| kinds[parent].total_ns);
        kind_row(sheet, kind, parent_ns, modules.whole_ns)?;
        if kind.own_ns > 0 && !kind.children.is_empty() {
            self_row(sheet, kind, modules.whole_ns)?;
        }
    }
    sheet.filter()?;
    sheet.left_out(hidden, hidden_ns)?;
    let last = |what: &'static str, ns: i64| {
        let mut cells: [Cell<'static>; 12] = std::array::from_fn(|_| Cell::Absent);
        cells[0] = what.into();
        cells[7] = Cell::Time(ns);
        cells[11] = Cell::share(ns, modules.whole_ns);
        cells
    };
    sheet.row(&last("In no module", modules.residual_ns))?;
    sheet.total(&last("Whole", modules.whole_ns))?;
    sheet.row(&[EXPLAINED.into()])
}

/// The kinds, parents first.
fn kinds<'r>(tree: &Tree<'r>, details: &'r Table<DetailRow>) -> Vec<Kind<'r>> {
    let mut kinds: Vec<Kind<'r>> = Vec::new();
    let mut at: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    let mut of_module: Vec<usize> = vec![0; tree.nodes.len()];
    for &index in &tree.order {
        let node = &tree.nodes[index];
        let parent = node.parent.map(|parent| of_module[parent]);
        let class = node.row.class.as_str();
        let kind = *at.entry((parent, class)).or_insert_with(|| {
            let depth = node.row.depth;
            let made = kinds.len();
            kinds.push(Kind { class, depth, parent, ..Kind::default() });
            if let Some(parent) = parent {
                kinds[parent].children.push(made);
            }
            made
        });
        of_module[index] = kind;
        let kind = &mut kinds[kind];
        kind.own_ns += node.row.self_ns;
        kind.total_ns += node.row.subtree_ns;
        if let Some(calls) = node.row.count {
            *kind.calls.get_or_insert_default() += calls;
        }
        let calls = node.row.count.unwrap_or(1).max(1);
        kind.per_call.push(node.row.subtree_ns as f64 / 1000.0 / calls as f64);
    }
    let mut times: Vec<KernelTimes<'_>> = kinds.iter().map(|_| KernelTimes::default()).collect();
    for row in &details.rows {
        if let Some(kind) = row.module.and_then(|module| of_module.get(module)) {
            times[*kind].add(&row.name, row.total_ns);
        }
    }
    // Parents come first, so from the end every kind is whole before its parent takes it.
    for index in (0..kinds.len()).rev() {
        let whole = std::mem::take(&mut times[index]);
        kinds[index].top_kernel = whole.top.map(|(_, Reverse(name))| name);
        if let Some(parent) = kinds[index].parent {
            let above = std::mem::take(&mut times[parent]);
            times[parent] = above.with(whole);
        }
    }
    kinds
}

/// Time by kernel name, and the name with the most; of equal ones the first by letters.
#[derive(Debug, Default)]
struct KernelTimes<'r> {
    by_name: HashMap<&'r str, i64>,
    top: Option<(i64, Reverse<&'r str>)>,
}

impl<'r> KernelTimes<'r> {
    fn add(&mut self, name: &'r str, ns: i64) {
        let time = self.by_name.entry(name).or_default();
        *time = time.saturating_add(ns);
        self.top = self.top.max(Some((*time, Reverse(name))));
    }

    /// Both together. The smaller is put into the larger, so that a name moves a few times only, however deep modules nest.
    fn with(mut self, mut other: Self) -> Self {
        if self.by_name.len() < other.by_name.len() {
            std::mem::swap(&mut self, &mut other);
        }
        for (name, ns) in other.by_name {
            self.add(name, ns);
        }
        self
    }
}

fn kind_row(sheet: &mut Sheet<'_>, kind: &Kind<'_>, parent_ns: i64, whole_ns: i64) -> Result<(), XlsxError> {
    let count = kind.per_call.len() as f64;
    let mean = kind.per_call.iter().sum::<f64>() / count;
    let spread = (kind.per_call.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let least = kind.per_call.iter().copied().fold(f64::INFINITY, f64::min);
    let most = kind.per_call.iter().copied().fold(0.0, f64::max);
    sheet.outlined(
        kind.depth,
        &[
            format!("{}{}", "  ".repeat(kind.depth), kind.class).into(),
            Cell::Count(kind.depth as u64),
            Cell::count(kind.calls),
            Cell::Mean(mean),
            Cell::Mean(spread),
            Cell::Mean(least),
            Cell::Mean(most),
            Cell::Time(kind.total_ns),
            Cell::share(kind.total_ns, parent_ns),
            Cell::text(kind.top_kernel),
            Cell::Count(kind.per_call.len() as u64),
            Cell::share(kind.total_ns, whole_ns),
        ],
    )
}

fn self_row(sheet: &mut Sheet<'_>, kind: &Kind<'_>, whole_ns: i64) -> Result<(), XlsxError> {
    let depth = kind.depth + 1;
    let mut cells: [Cell<'_>; 12] = std::array::from_fn(|_| Cell::Absent);
    cells[0] = format!("{}(self)", "  ".repeat(depth)).into();
    cells[1] = Cell::Count(depth as u64);
    cells[7] = Cell::Time(kind.own_ns);
    cells[8] = Cell::share(kind.own_ns, kind.total_ns);
    cells[11] = Cell::share(kind.own_ns, whole_ns);
    sheet.outlined(depth, &cells)
}
