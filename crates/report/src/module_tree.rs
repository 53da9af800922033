//! Modules as a tree reads: each after its parent, siblings as the capture first called them.
//!
//! Invariant: every row is there once, whatever is in its name; parents are those that the answer states, never what a path
//! looks like.

use kforge_workbench::trace::ModuleRow;

/// The row above, where there is one; a row that claims one after itself has none.
pub(crate) fn parent(rows: &[ModuleRow], index: usize) -> Option<usize> {
    rows[index].parent.filter(|parent| *parent < index)
}

/// The rows below each row.
pub(crate) fn children(rows: &[ModuleRow]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); rows.len()];
    for index in 0..rows.len() {
        if let Some(parent) = parent(rows, index) {
            children[parent].push(index);
        }
    }
    children
}

/// The rows from the top.
pub(crate) fn order(rows: &[ModuleRow], children: &[Vec<usize>]) -> Vec<usize> {
    let mut stack: Vec<usize> =
        (0..rows.len()).rev().filter(|index| parent(rows, *index).is_none()).collect();
    let mut order = Vec::with_capacity(rows.len());
    while let Some(index) = stack.pop() {
        order.push(index);
        stack.extend(children[index].iter().rev());
    }
    order
}

/// A module's own name, indented by its depth.
pub(crate) fn indented(rows: &[ModuleRow], index: usize) -> String {
    let row = &rows[index];
    let above = parent(rows, index).map(|parent| rows[parent].path.as_str());
    let own = above.and_then(|above| row.path.strip_prefix(above)?.strip_prefix('/')).unwrap_or(&row.path);
    format!("{}{own}", "  ".repeat(row.depth))
}
