//! The tree of `nn.Module` instances, as the frames of a trace show it.
//!
//! A path is a text that every row carries, so it must not grow without end: a program that recurses, or a damaged capture,
//! would cost the square of its depth. A module that does not fit its path any more has no node of its own; what it
//! launched is its parent's, and it is counted.
//!
//! Invariant: no path is deeper than [`DEEPEST`] or longer than [`LONGEST_PATH`], and all of them together are no longer
//! than [`LONGEST_PATHS`]; so everything here is linear in the frames read.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use kforge_units::Nanos;

/// Names that a path has at most. Models nest some ten deep, very deep ones forty.
pub const DEEPEST: u32 = 128;
/// Bytes that a path has at most.
pub const LONGEST_PATH: u32 = 4096;
/// Bytes that all paths of a trace have at most together: a thousand times what the largest models need.
pub const LONGEST_PATHS: u64 = 64 << 20;

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
    /// How deep it is; 0 at the top.
    pub depth: u32,
    /// Bytes of its path.
    path_bytes: u32,
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
    path_bytes: u64,
    without_node: u64,
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

    /// The node of `key` below `parent`, made where it is new; `parent` where there is no room for its path.
    pub(crate) fn child(&mut self, parent: Option<ModuleId>, key: ModuleName) -> Option<ModuleId> {
        if let Some(found) = self.known.get(&(parent, key)) {
            return Some(*found);
        }
        let name = &self.names[key.0 as usize];
        let Some((depth, path_bytes)) = self.room(parent, name) else {
            self.without_node += 1;
            return parent;
        };
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
            depth,
            path_bytes,
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
        self.path_bytes += u64::from(path_bytes);
        Some(id)
    }

    /// Depth and path length of a new module below `parent`; `None` where there is no room for it.
    fn room(&self, parent: Option<ModuleId>, name: &str) -> Option<(u32, u32)> {
        let above = parent.map(|above| self.get(above));
        let depth = above.map_or(0, |above| above.depth + 1);
        let before = above.map_or(0, |above| above.path_bytes + 1);
        let bytes = u32::try_from(name.len()).ok()?.checked_add(before)?;
        let fits =
            depth < DEEPEST && bytes <= LONGEST_PATH && self.path_bytes + u64::from(bytes) <= LONGEST_PATHS;
        fits.then_some((depth, bytes))
    }

    /// How often a frame named a module that has no node of its own, since its path had no room for it.
    pub fn without_node(&self) -> u64 {
        self.without_node
    }

    pub(crate) fn called(&mut self, id: ModuleId) {
        let calls = &mut self.nodes[id.index()].calls;
        *calls = Some(calls.unwrap_or(0) + 1);
    }

    /// Gives an activity to a module.
    pub(crate) fn add(&mut self, id: ModuleId, kernel: bool, time: Nanos) {
        let node = &mut self.nodes[id.index()];
        node.activities += 1;
        node.kernels += u64::from(kernel);
        node.own += time;
    }

    /// Adds up what is in each module and below, once every activity was given.
    pub(crate) fn add_up(&mut self) {
        for node in &mut self.nodes {
            (node.subtree, node.subtree_kernels) = (node.own, node.kernels);
        }
        // Parents come before their children, so from the end every node is whole before its parent takes it.
        for index in (0..self.nodes.len()).rev() {
            let ModuleNode { parent, subtree, subtree_kernels, .. } = self.nodes[index];
            if let Some(parent) = parent {
                let above = &mut self.nodes[parent.index()];
                above.subtree += subtree;
                above.subtree_kernels += subtree_kernels;
            }
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
}
