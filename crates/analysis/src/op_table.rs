//! Framework ops by name: what was launched right in them, and in ops below.

use crate::context::HostContext;
use crate::launch::Launches;
use crate::whole::Whole;
use kforge_trace::{NameId, OpId, Trace};
use kforge_units::Nanos;

/// All calls of one op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpRow {
    /// The name.
    pub name: NameId,
    /// Calls of the op recorded, with or without device work.
    pub count: u64,
    /// Activities launched in it and in no op below.
    pub activities: u64,
    /// Their time.
    pub own: Nanos,
    /// Time of everything launched in it or below; an op inside itself counts once.
    pub subtree: Nanos,
}

/// Ops with device work, by their own time.
#[derive(Clone, Debug)]
pub struct OpTable {
    /// A row for each name that has device work in it or below.
    pub rows: Vec<OpRow>,
    /// The reconciliation of the rows' own time.
    pub whole: Whole,
}

impl OpTable {
    /// The ops of a trace.
    pub fn of(trace: &Trace, launches: &Launches, context: &HostContext) -> Self {
        let mut by_op: Vec<(u64, Nanos)> = vec![(0, Nanos::ZERO); trace.ops().len()];
        let mut whole = Whole::default();
        for (id, activity) in trace.activities().iter() {
            let length = activity.length.unwrap_or_default();
            let op = context.context(trace, launches, id).op;
            whole.add(length, op.is_some());
            if let Some(op) = op {
                let (count, own) = &mut by_op[op.index()];
                *count += 1;
                *own += length;
            }
        }
        let mut names = ByName::new(trace);
        for ((_, row), (count, own)) in trace.ops().iter().zip(&by_op) {
            let row = names.row(row.name);
            row.count += 1;
            row.activities += count;
            row.own += *own;
        }
        names.add_subtrees(trace, context, by_op.into_iter().map(|(_, own)| own).collect());
        let mut rows: Vec<OpRow> =
            names.rows.into_iter().filter(|row| row.activities > 0 || row.subtree > Nanos::ZERO).collect();
        rows.sort_by(|a, b| {
            let names = || trace.names().bytes(a.name).cmp(trace.names().bytes(b.name));
            b.own.cmp(&a.own).then(b.subtree.cmp(&a.subtree)).then_with(names)
        });
        Self { rows, whole }
    }
}

struct ByName {
    at: Vec<Option<u32>>,
    rows: Vec<OpRow>,
}

impl ByName {
    fn new(trace: &Trace) -> Self {
        Self { at: vec![None; trace.names().len()], rows: Vec::new() }
    }

    fn row(&mut self, name: NameId) -> &mut OpRow {
        let rows = &mut self.rows;
        let slot = *self.at[name.index()].get_or_insert_with(|| {
            rows.push(OpRow { name, count: 0, activities: 0, own: Nanos::ZERO, subtree: Nanos::ZERO });
            rows.len() as u32 - 1
        });
        &mut self.rows[slot as usize]
    }

    /// Gives every name the time of its ops with everything below them; an op inside another of its name adds nothing.
    /// `time` is each op's own. One pass up the ops and one down, however deep they nest.
    fn add_subtrees(&mut self, trace: &Trace, context: &HostContext, mut time: Vec<Nanos>) {
        let order = context.ops_as_they_opened();
        for op in order.iter().rev() {
            if let Some(around) = context.op_parent(*op) {
                let below = time[op.index()];
                time[around.index()] += below;
            }
        }
        let mut around: Vec<(OpId, NameId)> = Vec::new();
        let mut open_of_name: Vec<u32> = vec![0; trace.names().len()];
        for op in order {
            let parent = context.op_parent(*op);
            while let Some((top, name)) = around.last().copied()
                && Some(top) != parent
            {
                open_of_name[name.index()] -= 1;
                around.pop();
            }
            let name = trace.ops().get(*op).name;
            if open_of_name[name.index()] == 0 {
                self.row(name).subtree += time[op.index()];
            }
            open_of_name[name.index()] += 1;
            around.push((*op, name));
        }
    }
}
