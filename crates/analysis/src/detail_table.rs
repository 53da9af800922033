//! Device work by everything known about its launch at once: module, name, op, source line.
//!
//! The finest table there is; every other table of names, modules, ops or lines is a sum of its rows. Every activity is
//! in one row, those without a module too, so nothing is left over.

use crate::context::HostContext;
use crate::launch::Launches;
use crate::lengths::Lengths;
use crate::module_tree::ModuleId;
use crate::source::SourceId;
use crate::whole::Whole;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use kforge_trace::{NameId, Trace};

/// What the activities of a row have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DetailKey {
    /// The innermost module; `None` where none is known.
    pub module: Option<ModuleId>,
    /// The activity's name.
    pub name: NameId,
    /// The innermost op's name.
    pub op: Option<NameId>,
    /// The source line.
    pub source: Option<SourceId>,
}

/// Activities that share module, name, op and source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetailRow {
    /// What they share.
    pub key: DetailKey,
    /// How many there are, and how long they are.
    pub lengths: Lengths,
}

/// Rows by module in the order of the module tree, those without one last; inside a module the largest first.
#[derive(Clone, Debug)]
pub struct DetailTable {
    /// The rows.
    pub rows: Vec<DetailRow>,
    /// What they add up to: all of it.
    pub whole: Whole,
}

impl DetailTable {
    /// The detail table of a trace.
    pub fn of(trace: &Trace, launches: &Launches, context: &HostContext) -> Self {
        let mut at: HashMap<DetailKey, usize, FixedState> = HashMap::default();
        let mut rows: Vec<DetailRow> = Vec::new();
        let mut whole = Whole::default();
        for (id, activity) in trace.activities().iter() {
            let place = context.context(trace, launches, id);
            let key = DetailKey {
                module: place.module,
                name: activity.name,
                op: place.op.map(|op| trace.ops().get(op).name),
                source: place.source,
            };
            let slot = *at.entry(key).or_insert_with(|| {
                rows.push(DetailRow { key, lengths: Lengths::default() });
                rows.len() - 1
            });
            let row = &mut rows[slot];
            row.lengths.add(activity.length);
            whole.add(activity.length.unwrap_or_default(), true);
        }
        rows.sort_by(|a, b| {
            let module = |row: &DetailRow| (row.key.module.is_none(), row.key.module);
            let names = || {
                let bytes = |row: &DetailRow| trace.names().bytes(row.key.name);
                let op = |row: &DetailRow| row.key.op.map(|op| trace.names().bytes(op));
                (bytes(a), op(a), a.key.source).cmp(&(bytes(b), op(b), b.key.source))
            };
            let (of_a, of_b) = (a.lengths, b.lengths);
            let largest = || of_b.total.cmp(&of_a.total).then(of_b.count.cmp(&of_a.count));
            module(a).cmp(&module(b)).then_with(largest).then_with(names)
        });
        Self { rows, whole }
    }
}
