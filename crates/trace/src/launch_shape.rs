//! How kernels were launched: grid, block, registers, shared memory. Captures repeat a few shapes many times.

use crate::ShapeId;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// What a capture says of a kernel's launch. A field that the capture does not give is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LaunchShape {
    /// Work-groups (blocks) in x, y, z.
    pub grid: Option<[u32; 3]>,
    /// Work-items (threads) of a group in x, y, z.
    pub block: Option<[u32; 3]>,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Shared memory (LDS) of a group in bytes.
    pub shared_bytes: Option<u32>,
}

/// The distinct launch shapes of a capture.
#[derive(Debug, Default)]
pub struct LaunchShapes {
    rows: Vec<LaunchShape>,
    known: HashMap<LaunchShape, u32, FixedState>,
}

impl LaunchShapes {
    pub(crate) fn intern(&mut self, shape: LaunchShape) -> Option<ShapeId> {
        if shape == LaunchShape::default() {
            return None;
        }
        if let Some(found) = self.known.get(&shape) {
            return Some(ShapeId::new(*found));
        }
        let index = u32::try_from(self.rows.len()).ok()?;
        self.rows.push(shape);
        self.known.insert(shape, index);
        Some(ShapeId::new(index))
    }

    /// The shape of a handle.
    pub fn get(&self, id: ShapeId) -> LaunchShape {
        self.rows[id.index()]
    }
}
