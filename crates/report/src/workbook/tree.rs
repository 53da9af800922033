//! The module tree with the finest table hung on it, ready for sheets.

use crate::module_tree;
use kforge_workbench::trace::{DetailRow, ModuleRow, Response, Table};
use std::collections::BTreeMap;

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
        let children = module_tree::children(rows);
        let order = module_tree::order(rows, &children);
        let nodes = rows
            .iter()
            .enumerate()
            .map(|(index, row)| Node {
                row,
                parent: module_tree::parent(rows, index),
                families: BTreeMap::new(),
            })
            .collect();
        let mut tree = Self { nodes, order };
        for row in &details.rows {
            tree.add(row);
        }
        tree
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
