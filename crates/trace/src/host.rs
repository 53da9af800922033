//! Host events: calls into the runtime or driver, framework ops, annotated ranges, Python frames.
//!
//! All four have a name, a thread, a start and a length; calls and ops carry numbers, ops a call stack.

use crate::{NameId, StackId, ThreadId};
use kforge_units::{Instant, Nanos};
use std::marker::PhantomData;

/// One host event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostEvent {
    /// The name.
    pub name: NameId,
    /// The thread it ran on.
    pub thread: ThreadId,
    /// When it began.
    pub start: Instant,
    /// How long it took; `None` where the capture does not say or says nonsense.
    pub length: Option<Nanos>,
    /// For calls: the number shared with the activities it launched; only positive numbers are numbers.
    pub correlation: Option<i64>,
    /// The number that ties ops, calls and activities of one op together. Another space than `correlation`.
    pub external: Option<i64>,
    /// The call stack at the event, where it was recorded as a text.
    pub stack: Option<StackId>,
}

impl HostEvent {
    /// When it ended; its start where the length is unknown.
    pub fn end(&self) -> Instant {
        self.start + self.length.unwrap_or(Nanos::ZERO)
    }
}

const ABSENT: i64 = i64::MIN;
const NO_STACK: u32 = u32::MAX;

/// A column group of host events of one kind; `Id` is the handle it gives out. Columns that no row of the kind uses
/// stay empty.
#[derive(Debug)]
pub struct HostEvents<Id> {
    names: Vec<NameId>,
    threads: Vec<ThreadId>,
    starts: Vec<i64>,
    lengths: Vec<i64>,
    correlations: Vec<i64>,
    externals: Vec<i64>,
    stacks: Vec<u32>,
    handle: PhantomData<Id>,
}

impl<Id> Default for HostEvents<Id> {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            threads: Vec::new(),
            starts: Vec::new(),
            lengths: Vec::new(),
            correlations: Vec::new(),
            externals: Vec::new(),
            stacks: Vec::new(),
            handle: PhantomData,
        }
    }
}

impl<Id: Copy + From<RowOf<Id>> + Into<RowOf<Id>>> HostEvents<Id> {
    pub(crate) fn push(&mut self, row: &HostEvent) -> Option<Id> {
        let index = u32::try_from(self.names.len()).ok()?;
        self.names.push(row.name);
        self.threads.push(row.thread);
        self.starts.push(row.start.get());
        self.lengths.push(row.length.filter(|length| length.get() >= 0).map_or(ABSENT, Nanos::get));
        let at = index as usize;
        sparse(&mut self.correlations, at, row.correlation, ABSENT);
        sparse(&mut self.externals, at, row.external, ABSENT);
        sparse(&mut self.stacks, at, row.stack.map(|stack| stack.index() as u32), NO_STACK);
        Some(RowOf::new(index).into())
    }

    /// One event.
    pub fn get(&self, id: Id) -> HostEvent {
        self.row(id.into().0)
    }

    /// Every event, in the order recorded.
    pub fn iter(&self) -> impl Iterator<Item = (Id, HostEvent)> + '_ {
        (0..self.names.len() as u32).map(|row| (RowOf::new(row).into(), self.row(row)))
    }

    /// Every handle, in the order recorded.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<Id> {
        (0..self.names.len() as u32).map(|row| RowOf::new(row).into())
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True where there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn row(&self, row: u32) -> HostEvent {
        let row = row as usize;
        let number = |column: &[i64]| column.get(row).copied().filter(|value| *value != ABSENT);
        HostEvent {
            name: self.names[row],
            thread: self.threads[row],
            start: Instant(self.starts[row]),
            length: number(&self.lengths).map(Nanos),
            correlation: number(&self.correlations),
            external: number(&self.externals),
            stack: self.stacks.get(row).copied().filter(|stack| *stack != NO_STACK).map(StackId::new),
        }
    }
}

/// Writes `value` at `row` of a column that stays shorter than its table while it has only absent values.
fn sparse<T: Copy>(column: &mut Vec<T>, row: usize, value: Option<T>, absent: T) {
    if let Some(value) = value {
        column.resize(row, absent);
        column.push(value);
    }
}

/// The row number of a handle of kind `Id`; a bridge that only this room can build.
#[derive(Clone, Copy, Debug)]
pub struct RowOf<Id>(pub(crate) u32, PhantomData<Id>);

impl<Id> RowOf<Id> {
    pub(crate) fn new(row: u32) -> Self {
        Self(row, PhantomData)
    }
}

macro_rules! bridge {
    ($($id:ty),+) => {
        $(
            impl From<RowOf<Self>> for $id {
                fn from(row: RowOf<Self>) -> Self {
                    Self::new(row.0)
                }
            }
            impl From<$id> for RowOf<$id> {
                fn from(id: $id) -> Self {
                    Self::new(id.index() as u32)
                }
            }
        )+
    };
}
bridge!(crate::CallId, crate::OpId, crate::RangeId, crate::FrameId);
