//! Activities: kernels, copies and fills on device streams.

use crate::{ActivityId, LaneId, NameId, ShapeId};
use kforge_units::{Instant, Nanos};

/// What kind of work an activity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActivityKind {
    /// A kernel.
    Kernel,
    /// A copy by the copy engine or the runtime.
    Copy,
    /// A fill (memset).
    Fill,
}

/// One activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Kernel, copy or fill.
    pub kind: ActivityKind,
    /// The name.
    pub name: NameId,
    /// The stream it ran on.
    pub lane: LaneId,
    /// When it began; `None` where its clock was lost.
    pub start: Option<Instant>,
    /// How long it took; `None` where the capture does not say or says nonsense.
    pub length: Option<Nanos>,
    /// The number that it shares with its launch; only positive numbers are numbers.
    pub correlation: Option<i64>,
    /// The number that it shares with its framework op. Another space than `correlation`.
    pub external: Option<i64>,
    /// Grid, block, registers, shared memory.
    pub shape: Option<ShapeId>,
    /// Bytes moved, for copies and fills.
    pub bytes: Option<u64>,
}

impl Activity {
    /// When it ended, where both its place and its length are known.
    pub fn end(&self) -> Option<Instant> {
        Some(self.start? + self.length?)
    }
}

/// Marks a number that a column does not have.
const ABSENT: i64 = i64::MIN;
const NO_SHAPE: u32 = u32::MAX;

/// The activities of a capture, in the order recorded.
#[derive(Debug, Default)]
pub struct Activities {
    kinds: Vec<ActivityKind>,
    names: Vec<NameId>,
    lanes: Vec<LaneId>,
    starts: Vec<i64>,
    lengths: Vec<i64>,
    correlations: Vec<i64>,
    externals: Vec<i64>,
    shapes: Vec<u32>,
    bytes: Vec<i64>,
}

impl Activities {
    pub(crate) fn push(&mut self, row: &Activity) -> Option<ActivityId> {
        let id = ActivityId::new(u32::try_from(self.kinds.len()).ok()?);
        self.kinds.push(row.kind);
        self.names.push(row.name);
        self.lanes.push(row.lane);
        self.starts.push(row.start.map_or(ABSENT, Instant::get));
        self.lengths.push(row.length.filter(|length| length.get() >= 0).map_or(ABSENT, Nanos::get));
        self.correlations.push(row.correlation.unwrap_or(ABSENT));
        self.externals.push(row.external.unwrap_or(ABSENT));
        self.shapes.push(row.shape.map_or(NO_SHAPE, |shape| shape.index() as u32));
        self.bytes.push(row.bytes.map_or(ABSENT, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)));
        Some(id)
    }

    /// One activity.
    pub fn get(&self, id: ActivityId) -> Activity {
        let row = id.index();
        let shape = self.shapes[row];
        Activity {
            kind: self.kinds[row],
            name: self.names[row],
            lane: self.lanes[row],
            start: present(self.starts[row]).map(Instant),
            length: present(self.lengths[row]).map(Nanos),
            correlation: present(self.correlations[row]),
            external: present(self.externals[row]),
            shape: (shape != NO_SHAPE).then(|| ShapeId::new(shape)),
            bytes: present(self.bytes[row]).map(|bytes| bytes as u64),
        }
    }

    /// Every activity, in the order recorded.
    pub fn iter(&self) -> impl Iterator<Item = (ActivityId, Activity)> + '_ {
        (0..self.kinds.len() as u32).map(|row| (ActivityId::new(row), self.get(ActivityId::new(row))))
    }

    /// The number of activities.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// True where there is none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Forgets where an activity was on the timeline: its clock was lost.
    pub(crate) fn forget_start(&mut self, id: ActivityId) {
        self.starts[id.index()] = ABSENT;
    }

    /// Keeps the rows for which `keep` says so; handles made before are void.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        fn column<T>(rows: &mut Vec<T>, keep: &[bool]) {
            let mut flags = keep.iter();
            rows.retain(|_| flags.next().copied().unwrap_or(true));
        }
        column(&mut self.kinds, keep);
        column(&mut self.names, keep);
        column(&mut self.lanes, keep);
        column(&mut self.starts, keep);
        column(&mut self.lengths, keep);
        column(&mut self.correlations, keep);
        column(&mut self.externals, keep);
        column(&mut self.shapes, keep);
        column(&mut self.bytes, keep);
    }
}

fn present(value: i64) -> Option<i64> {
    (value != ABSENT).then_some(value)
}
