//! A trace, and the builder that readers fill.
//!
//! The builder checks what every reader must get right: no negative length, correlation numbers positive or absent, an
//! activity written twice kept once, a lost clock without a place on the timeline.

use crate::activity::{Activities, Activity};
use crate::arrow::{Arrow, Arrows};
use crate::capture::CaptureFacts;
use crate::host::{HostEvent, HostEvents};
use crate::lane::{Lane, Lanes, Thread, Threads};
use crate::launch_shape::{LaunchShape, LaunchShapes};
use crate::names::Names;
use crate::stack::Stacks;
use crate::{ActivityId, CallId, FrameId, LaneId, NameId, OpId, RangeId, ShapeId, StackId, ThreadId};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use kforge_units::Nanos;
use std::hash::BuildHasher;

/// One day. A capture is never that long; an activity that is this far before all others has lost its clock.
const DAY: i64 = 86_400_000_000_000;

/// What one capture saw.
#[derive(Debug, Default)]
pub struct Trace {
    names: Names,
    lanes: Lanes,
    threads: Threads,
    shapes: LaunchShapes,
    stacks: Stacks,
    activities: Activities,
    calls: HostEvents<CallId>,
    ops: HostEvents<OpId>,
    ranges: HostEvents<RangeId>,
    frames: HostEvents<FrameId>,
    arrows: Arrows,
    facts: CaptureFacts,
    twins: usize,
    twin_time: Nanos,
    clockless: usize,
}

impl Trace {
    /// The interned texts.
    pub fn names(&self) -> &Names {
        &self.names
    }
    /// The device streams.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }
    /// The host threads.
    pub fn threads(&self) -> &Threads {
        &self.threads
    }
    /// The launch shapes.
    pub fn shapes(&self) -> &LaunchShapes {
        &self.shapes
    }
    /// The call stacks recorded as texts.
    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }
    /// Kernels, copies and fills.
    pub fn activities(&self) -> &Activities {
        &self.activities
    }
    /// Calls into the runtime or driver.
    pub fn calls(&self) -> &HostEvents<CallId> {
        &self.calls
    }
    /// Framework operators.
    pub fn ops(&self) -> &HostEvents<OpId> {
        &self.ops
    }
    /// Ranges that the program annotated.
    pub fn ranges(&self) -> &HostEvents<RangeId> {
        &self.ranges
    }
    /// Python frames.
    pub fn frames(&self) -> &HostEvents<FrameId> {
        &self.frames
    }
    /// Arrows from host calls to activities.
    pub fn arrows(&self) -> &Arrows {
        &self.arrows
    }
    /// What the capture says about itself.
    pub fn facts(&self) -> &CaptureFacts {
        &self.facts
    }
    /// How many activities were written twice and kept once, and their time.
    pub fn twins(&self) -> (usize, Nanos) {
        (self.twins, self.twin_time)
    }
    /// How many activities lost their clock and have no place on the timeline.
    pub fn clockless(&self) -> usize {
        self.clockless
    }
}

/// Fills a [`Trace`].
#[derive(Debug, Default)]
pub struct TraceBuilder {
    trace: Trace,
}

impl TraceBuilder {
    /// The handle of a text, and whether it is new. `None` once four billion are held; the event is then lost.
    pub fn name(&mut self, text: &[u8]) -> Option<(NameId, bool)> {
        self.trace.names.intern(text)
    }

    /// The bytes behind a handle.
    pub fn bytes(&self, name: NameId) -> &[u8] {
        self.trace.names.bytes(name)
    }

    /// The handle of a stream.
    pub fn lane(&mut self, lane: Lane) -> Option<LaneId> {
        self.trace.lanes.intern(lane)
    }

    /// The handle of a thread.
    pub fn thread(&mut self, thread: Thread) -> Option<ThreadId> {
        self.trace.threads.intern(thread)
    }

    /// The handle of a launch shape; `None` where the shape says nothing.
    pub fn shape(&mut self, shape: LaunchShape) -> Option<ShapeId> {
        self.trace.shapes.intern(shape)
    }

    /// The handle of a call stack.
    pub fn stack(&mut self, text: &[u8]) -> Option<StackId> {
        self.trace.stacks.intern(text)
    }

    /// Adds an activity; false once four billion are held, and the event is then lost.
    pub fn activity(&mut self, mut row: Activity) -> bool {
        row.correlation = row.correlation.filter(|number| *number > 0);
        self.trace.activities.push(&row).is_some()
    }

    /// Adds a host call; false once four billion are held, and the event is then lost.
    pub fn call(&mut self, mut row: HostEvent) -> bool {
        row.correlation = row.correlation.filter(|number| *number > 0);
        self.trace.calls.push(&row).is_some()
    }

    /// Adds a framework op; false once four billion are held, and the event is then lost.
    pub fn op(&mut self, row: HostEvent) -> bool {
        self.trace.ops.push(&row).is_some()
    }

    /// Adds an annotated range; false once four billion are held, and the event is then lost.
    pub fn range(&mut self, row: HostEvent) -> bool {
        self.trace.ranges.push(&row).is_some()
    }

    /// Adds a Python frame; false once four billion are held, and the event is then lost.
    pub fn frame(&mut self, row: HostEvent) -> bool {
        self.trace.frames.push(&row).is_some()
    }

    /// Adds the host end of an arrow.
    pub fn arrow_start(&mut self, arrow: Arrow<ThreadId>) {
        self.trace.arrows.starts.push(arrow);
    }

    /// Adds the device end of an arrow.
    pub fn arrow_end(&mut self, arrow: Arrow<LaneId>) {
        self.trace.arrows.ends.push(arrow);
    }

    /// What the capture says about itself.
    pub fn facts(&mut self) -> &mut CaptureFacts {
        &mut self.trace.facts
    }

    /// The finished trace.
    pub fn finish(mut self) -> Trace {
        self.drop_twins();
        self.forget_lost_clocks();
        self.trace
    }

    /// Two activities with the same kind, name, stream, start, length and number are one, written twice.
    fn drop_twins(&mut self) {
        let hasher = FixedState::default();
        let activities = &self.trace.activities;
        let mut seen: HashTable<ActivityId> = HashTable::with_capacity(activities.len());
        let key = |id: ActivityId| {
            let row = activities.get(id);
            (row.kind, row.name, row.lane, row.start, row.length, row.correlation)
        };
        let mut keep: Vec<bool> = Vec::new();
        for (id, row) in activities.iter() {
            let Some(length) = row.length.filter(|length| *length > Nanos::ZERO) else { continue };
            if row.correlation.is_none() {
                continue;
            }
            let hash = hasher.hash_one(key(id));
            if seen.find(hash, |other| key(*other) == key(id)).is_some() {
                keep.resize(activities.len(), true);
                keep[id.index()] = false;
                self.trace.twins += 1;
                self.trace.twin_time += length;
            } else {
                seen.insert_unique(hash, id, |other| hasher.hash_one(key(*other)));
            }
        }
        if !keep.is_empty() {
            self.trace.activities.retain(&keep);
        }
    }

    /// An activity at time zero of a clock whose other events are more than a day later has no place.
    fn forget_lost_clocks(&mut self) {
        let trace = &self.trace;
        let starts = trace.activities.iter().filter_map(|(_, row)| row.start.map(kforge_units::Instant::get));
        let zeros: Vec<ActivityId> = trace
            .activities
            .iter()
            .filter(|(_, row)| row.start.is_some_and(|start| start.get() == 0))
            .map(|(id, _)| id)
            .collect();
        if zeros.is_empty() {
            return;
        }
        let others =
            starts.filter(|start| *start != 0).chain(trace.calls.iter().map(|(_, call)| call.start.get()));
        if others.min().is_some_and(|first| first > DAY) {
            self.trace.clockless = zeros.len();
            for id in zeros {
                self.trace.activities.forget_start(id);
            }
        }
    }
}
