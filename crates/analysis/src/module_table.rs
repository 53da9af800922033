//! Device work by the `nn.Module` that launched it: own time, and with everything below.

use crate::context::HostContext;
use crate::launch::Launches;
use crate::module_tree::ModuleTree;
use crate::whole::Whole;
use kforge_trace::{ActivityKind, Trace};

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
        let mut whole = Whole::default();
        for (id, activity) in trace.activities().iter() {
            let length = activity.length.unwrap_or_default();
            let module = context.context(trace, launches, id).module;
            whole.add(length, module.is_some());
            if let Some(module) = module {
                tree.add(module, activity.kind == ActivityKind::Kernel, length);
            }
        }
        tree.add_up();
        Self { tree, whole }
    }
}
