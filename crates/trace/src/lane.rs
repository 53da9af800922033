//! Where things ran: streams of devices, and threads of processes.

use crate::{LaneId, NameId, ThreadId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// A stream of a device. Both are the capture's own labels, since ids may be 64-bit numbers or texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// The device's label.
    pub device: NameId,
    /// The stream's label.
    pub stream: NameId,
}

/// A thread of a process, by the capture's own labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// The process's label.
    pub process: NameId,
    /// The thread's label.
    pub thread: NameId,
}

macro_rules! registry {
    ($(#[$doc:meta])* $table:ident, $row:ident, $id:ident) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub struct $table {
            rows: Vec<$row>,
            known: HashMap<$row, u32, FixedState>,
        }

        impl $table {
            pub(crate) fn intern(&mut self, row: $row) -> Option<$id> {
                if let Some(found) = self.known.get(&row) {
                    return Some($id::new(*found));
                }
                let index = u32::try_from(self.rows.len()).ok()?;
                self.rows.push(row);
                self.known.insert(row, index);
                Some($id::new(index))
            }

            /// The row of a handle.
            pub fn get(&self, id: $id) -> $row {
                self.rows[id.index()]
            }

            /// Every handle with its row, in the order of first use.
            pub fn iter(&self) -> impl Iterator<Item = ($id, $row)> {
                self.rows.iter().enumerate().map(|(index, row)| ($id::new(index as u32), *row))
            }

            /// The number of rows.
            pub fn len(&self) -> usize {
                self.rows.len()
            }

            /// True where there is none.
            pub fn is_empty(&self) -> bool {
                self.rows.is_empty()
            }
        }
    };
}

registry! {
    /// The streams that a capture names.
    Lanes, Lane, LaneId
}
registry! {
    /// The host threads that a capture names.
    Threads, Thread, ThreadId
}
