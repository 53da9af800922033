//! Device work by the `nn.Module` that launched it: own time, and with everything below.

use crate::context::HostContext;
use crate::launch::Launches;
use crate::module_tree::ModuleTree;
use crate::whole::Whole;
use kforge_trace::{ActivityKind, Trace};
use kforge_units::Nanos;

/// The modules of a trace with their device work.
#[derive(Clone, Debug)]
pub struct ModuleTable {
    /// The tree; a module without device work is in it as well, since it was called.
    pub tree: ModuleTree,
    /// The reconciliation of the nodes' own time.
    pub whole: Whole,
}

impl ModuleTable {
    /// The module table of a trace.
    pub fn of(trace: &Trace, launches: &Launches, context: &HostContext) -> Self {
        let mut tree = context.modules().clone();
        let (mut whole, mut whole_count, mut covered, mut counted) = (Nanos::ZERO, 0, Nanos::ZERO, 0);
        for (id, activity) in trace.activities().iter() {
            let length = activity.length.unwrap_or_default();
            whole += length;
            whole_count += 1;
            if let Some(module) = context.context(trace, launches, id).module {
                tree.add(module, activity.kind == ActivityKind::Kernel, length);
                covered += length;
                counted += 1;
            }
        }
        tree.add_up();
        Self { tree, whole: Whole::of(whole, whole_count, covered, counted) }
    }
}
