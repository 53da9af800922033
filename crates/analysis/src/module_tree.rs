//! The tree of `nn.Module` instances, as the frames of a trace show it.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use kforge_units::Nanos;

/// A handle of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(u32);

impl ModuleId {
    /// The row as an index into its tree.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A handle of a module's own name, such as `LlamaRMSNorm_3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModuleName(u32);

/// One module at one place in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleNode {
    /// The module around it.
    pub parent: Option<ModuleId>,
    /// Its own name, such as `LlamaRMSNorm_3`.
    pub name: String,
    /// The class, such as `LlamaRMSNorm`.
    pub class: String,
    /// The instance number; `None` where the name has none.
    pub instance: Option<u64>,
    /// How many times it was called; `None` where only stacks were recorded, which do not show calls.
    pub calls: Option<u64>,
    /// Activities launched in it and not in a module below.
    pub activities: u64,
    /// Kernels among them.
    pub kernels: u64,
    /// Their time.
    pub own: Nanos,
    /// Kernels launched in it or below.
    pub subtree_kernels: u64,
    /// Time of everything launched in it or below.
    pub subtree: Nanos,
}

/// The modules of a trace; parents come before their children.
#[derive(Clone, Debug, Default)]
pub struct ModuleTree {
    nodes: Vec<ModuleNode>,
    known: HashMap<(Option<ModuleId>, ModuleName), ModuleId, FixedState>,
    names: Vec<String>,
    named: HashMap<String, ModuleName, FixedState>,
}

/// The text of a module marker, `nn.Module: TYPE_INSTANCE`, without its prefix.
pub(crate) fn module_name(frame: &str) -> Option<&str> {
    frame.strip_prefix("nn.Module: ").map(str::trim)
}

impl ModuleTree {
    /// The handle of a module's own name.
    pub(crate) fn name(&mut self, name: &str) -> ModuleName {
        if let Some(known) = self.named.get(name) {
            return *known;
        }
        let id = ModuleName(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.to_owned());
        self.named.insert(name.to_owned(), id);
        id
    }

    /// The node of `key` below `parent`, made where it is new.
    pub(crate) fn child(&mut self, parent: Option<ModuleId>, key: ModuleName) -> ModuleId {
        if let Some(found) = self.known.get(&(parent, key)) {
            return *found;
        }
        let name = &self.names[key.0 as usize];
        let id = ModuleId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let (class, instance) = match name.rsplit_once('_') {
            Some((class, digits)) if !class.is_empty() => match digits.parse() {
                Ok(instance) => (class, Some(instance)),
                Err(_) => (name.as_str(), None),
            },
            _ => (name.as_str(), None),
        };
        self.nodes.push(ModuleNode {
            parent,
            name: name.clone(),
            class: class.to_owned(),
            instance,
            calls: None,
            activities: 0,
            kernels: 0,
            own: Nanos::ZERO,
            subtree_kernels: 0,
            subtree: Nanos::ZERO,
        });
        self.known.insert((parent, key), id);
        id
    }

    pub(crate) fn called(&mut self, id: ModuleId) {
        let calls = &mut self.nodes[id.index()].calls;
        *calls = Some(calls.unwrap_or(0) + 1);
    }

    /// Gives an activity to a module and to everything above it.
    pub(crate) fn add(&mut self, id: ModuleId, kernel: bool, time: Nanos) {
        let node = &mut self.nodes[id.index()];
        node.activities += 1;
        node.kernels += u64::from(kernel);
        node.own += time;
        let mut next = Some(id);
        while let Some(above) = next {
            let node = &mut self.nodes[above.index()];
            node.subtree += time;
            node.subtree_kernels += u64::from(kernel);
            next = node.parent;
        }
    }

    /// The node of a handle.
    pub fn get(&self, id: ModuleId) -> &ModuleNode {
        &self.nodes[id.index()]
    }

    /// Every node, parents first.
    pub fn iter(&self) -> impl Iterator<Item = (ModuleId, &ModuleNode)> {
        self.nodes.iter().enumerate().map(|(index, node)| (ModuleId(index as u32), node))
    }

    /// The names from the outermost module to this one, joined by `/`.
    pub fn path(&self, id: ModuleId) -> String {
        let mut names = vec![self.get(id).name.as_str()];
        let mut next = self.get(id).parent;
        while let Some(above) = next {
            names.push(self.get(above).name.as_str());
            next = self.get(above).parent;
        }
        names.reverse();
        names.join("/")
    }

    /// How deep a node is; 0 at the top.
    pub fn depth(&self, id: ModuleId) -> usize {
        std::iter::successors(self.get(id).parent, |above| self.get(*above).parent).count()
    }
}
