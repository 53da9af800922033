//! The module tree with the finest table hung on it, ready for sheets.

use kforge_workbench::trace::{DetailRow, ModuleRow, Response, Table};
use std::collections::{BTreeMap, HashMap};

/// Time and count of a family below a module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amount {
    pub(super) ns: i64,
    pub(super) count: u64,
}

/// A module's place.
#[derive(Debug)]
pub(super) struct Node<'r> {
    pub(super) row: &'r ModuleRow,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// By family, of everything launched in it or below.
    pub(super) families: BTreeMap<&'static str, Amount>,
}

/// The modules of an answer by their rows, and the order in which a tree reads.
#[derive(Debug)]
pub(super) struct Tree<'r> {
    pub(super) nodes: Vec<Node<'r>>,
    /// Rows from the top: each module after its parent, siblings as the capture first called them.
    pub(super) order: Vec<usize>,
}

impl<'r> Tree<'r> {
    pub(super) fn of(response: &'r Response, details: &'r Table<DetailRow>) -> Self {
        let rows = &response.tables.modules.rows;
        let mut at: HashMap<&str, usize> = HashMap::with_capacity(rows.len());
        let mut nodes: Vec<Node<'r>> = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let parent = (row.depth > 0)
                .then(|| row.path.rsplit_once('/'))
                .flatten()
                .and_then(|(above, _)| at.get(above).copied());
            nodes.push(Node { row, parent, children: Vec::new(), families: BTreeMap::new() });
            if let Some(parent) = parent {
                nodes[parent].children.push(index);
            }
            at.insert(&row.path, index);
        }
        let mut tree = Self { nodes, order: Vec::with_capacity(rows.len()) };
        tree.arrange();
        for row in &details.rows {
            tree.add(row);
        }
        tree
    }

    fn arrange(&mut self) {
        let tops = (0..self.nodes.len()).filter(|index| self.nodes[*index].parent.is_none());
        let mut stack: Vec<usize> = tops.rev().collect();
        while let Some(index) = stack.pop() {
            self.order.push(index);
            stack.extend(self.nodes[index].children.iter().rev());
        }
    }

    fn add(&mut self, row: &DetailRow) {
        for index in self.upwards(row.module) {
            let amount = self.nodes[index].families.entry(row.labels.operation.name()).or_default();
            amount.ns += row.total_ns;
            amount.count += row.count;
        }
    }

    /// A module and everything above it.
    pub(super) fn upwards(&self, module: Option<usize>) -> Vec<usize> {
        std::iter::successors(module.filter(|index| *index < self.nodes.len()), |index| {
            self.nodes[*index].parent
        })
        .collect()
    }
}

/// A module's own name, indented by its depth.
pub(super) fn indented(row: &ModuleRow) -> String {
    let own = row.path.rsplit('/').next().unwrap_or(&row.path);
    format!("{}{own}", "  ".repeat(row.depth))
}
