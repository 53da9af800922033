//! Kernels by name (and, in a table of their own, copies and fills).

use crate::launch::{Launch, Launches};
use crate::lengths::Lengths;
use crate::whole::Whole;
use kforge_trace::{ActivityKind, NameId, Trace};
use kforge_units::Nanos;

/// All activities of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelRow {
    /// The name.
    pub name: NameId,
    /// How many there are, and how long they are.
    pub lengths: Lengths,
    /// Host time of the calls that launched them one by one; `None` where none was. A graph replay is one call for many
    /// kernels and is left out.
    pub launch: Option<Nanos>,
    /// How many of them a graph replayed.
    pub replayed: u64,
}

/// Rows by total time, the largest first.
#[derive(Clone, Debug)]
pub struct KernelTable {
    /// A row for each distinct name.
    pub rows: Vec<KernelRow>,
    /// What the rows add up to; a table of all kernels has no residual.
    pub whole: Whole,
}

impl KernelTable {
    /// The kernels of a trace by name.
    pub fn kernels(trace: &Trace, launches: &Launches) -> Self {
        Self::of(trace, launches, |kind| kind == ActivityKind::Kernel)
    }

    /// The copies and fills of a trace by name.
    pub fn transfers(trace: &Trace, launches: &Launches) -> Self {
        Self::of(trace, launches, |kind| kind != ActivityKind::Kernel)
    }

    fn of(trace: &Trace, launches: &Launches, wanted: impl Fn(ActivityKind) -> bool) -> Self {
        let mut at: Vec<Option<u32>> = vec![None; trace.names().len()];
        let mut rows: Vec<KernelRow> = Vec::new();
        let mut whole = Whole::default();
        for (id, activity) in trace.activities().iter().filter(|(_, activity)| wanted(activity.kind)) {
            let slot = *at[activity.name.index()].get_or_insert_with(|| {
                rows.push(KernelRow {
                    name: activity.name,
                    lengths: Lengths::default(),
                    launch: None,
                    replayed: 0,
                });
                rows.len() as u32 - 1
            });
            let row = &mut rows[slot as usize];
            row.lengths.add(activity.length);
            whole.add(activity.length.unwrap_or_default(), true);
            match launches.get(id) {
                Launch::Call(call) => {
                    if let Some(length) = trace.calls().get(call).length {
                        *row.launch.get_or_insert_default() += length;
                    }
                }
                Launch::GraphReplay(_) => row.replayed += 1,
                Launch::BeforeCapture | Launch::NoNumber | Launch::NoCall => {}
            }
        }
        rows.sort_by(|a, b| {
            let names = || trace.names().bytes(a.name).cmp(trace.names().bytes(b.name));
            let (a, b) = (a.lengths, b.lengths);
            b.total.cmp(&a.total).then(b.count.cmp(&a.count)).then_with(names)
        });
        Self { rows, whole }
    }
}
