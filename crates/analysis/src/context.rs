//! Where on the host each launch stood: its op, its module, its source line, its range.
//!
//! Every thread is swept once in time. Ops, frames and ranges nest by time; a call belongs to the innermost of each kind
//! that is open when it starts. Where a thread has no frames, the call stack that its op carries speaks instead.
//!
//! Invariant: the sweep visits each event once; a call finds the same context in whatever order the events were written.

use crate::launch::Launches;
use crate::module_tree::{ModuleId, ModuleName, ModuleTree, module_name};
use crate::source::{SourceId, SourceLine, Sources};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use kforge_catalog::{FrameKind, Frames};
use kforge_trace::{
    ActivityId, FrameId, HostEvent, HostEvents, NameId, OpId, RangeId, StackId, ThreadId, Trace,
};
use kforge_units::Instant;

/// Where on the host a launch stood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The innermost op.
    pub op: Option<OpId>,
    /// The innermost module.
    pub module: Option<ModuleId>,
    /// The best source line: the innermost of the application's, else the innermost of its wrappers'.
    pub source: Option<SourceId>,
    /// The innermost annotated range of the thread.
    pub range: Option<RangeId>,
}

/// The host side of a trace, swept.
#[derive(Debug)]
pub struct HostContext {
    calls: Vec<Context>,
    by_external: HashMap<i64, Context, FixedState>,
    op_parents: Vec<Option<OpId>>,
    op_order: Vec<OpId>,
    range_parents: Vec<Option<RangeId>>,
    modules: ModuleTree,
    sources: Sources,
}

impl HostContext {
    /// Sweeps the host events of a trace. `frames` knows which Python frames are the framework's.
    pub fn of(trace: &Trace, launches: &Launches, frames: &Frames) -> Self {
        let wanted = orphan_externals(trace, launches);
        let mut sweep = Sweep {
            trace,
            reader: FrameReader::new(trace, frames),
            calls: vec![Context::default(); trace.calls().len()],
            by_external: HashMap::default(),
            wanted,
            op_parents: vec![None; trace.ops().len()],
            op_order: Vec::new(),
            range_parents: vec![None; trace.ranges().len()],
            open: Open::default(),
        };
        sweep.run();
        let Sweep { calls, by_external, op_parents, op_order, range_parents, reader, .. } = sweep;
        Self {
            calls,
            by_external,
            op_parents,
            op_order,
            range_parents,
            modules: reader.modules,
            sources: reader.sources,
        }
    }

    /// The context of an activity: that of its launch, or, without one, that of the op with its external number.
    pub fn context(&self, trace: &Trace, launches: &Launches, id: ActivityId) -> Context {
        if let Some(call) = launches.get(id).call() {
            return self.calls[call.index()];
        }
        let external = trace.activities().get(id).external;
        external.and_then(|number| self.by_external.get(&number)).copied().unwrap_or_default()
    }

    /// The op around an op.
    pub fn op_parent(&self, op: OpId) -> Option<OpId> {
        self.op_parents[op.index()]
    }

    /// Every op, each after the op around it and before anything that opened after it closed.
    pub(crate) fn ops_as_they_opened(&self) -> &[OpId] {
        &self.op_order
    }

    /// The range around a range, on the same thread.
    pub fn range_parent(&self, range: RangeId) -> Option<RangeId> {
        self.range_parents[range.index()]
    }

    /// The source lines that calls stood at.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The modules, with their calls and, so far, no time.
    pub fn modules(&self) -> &ModuleTree {
        &self.modules
    }
}

/// External numbers of activities without a host call: their op is found by that number.
fn orphan_externals(trace: &Trace, launches: &Launches) -> HashMap<i64, (), FixedState> {
    let orphans = trace.activities().iter().filter(|(id, _)| launches.get(*id).call().is_none());
    orphans
        .filter_map(|(_, row)| row.external.filter(|number| *number > 0))
        .map(|number| (number, ()))
        .collect()
}

/// The order of a thread's events: by start, the longer outside, then as written. The keys are laid side by side before they
/// are sorted: through the columns a sort of millions of events would miss the cache at every comparison.
fn order<Id: Copy + Ord>(events: &HostEvents<Id>, ids: impl Iterator<Item = Id>) -> Vec<Id>
where
    HostEvents<Id>: Rows<Id>,
{
    let mut keyed: Vec<(ThreadId, Instant, std::cmp::Reverse<Instant>, Id)> = ids
        .map(|id| {
            let row = events.row(id);
            (row.thread, row.start, std::cmp::Reverse(row.end()), id)
        })
        .collect();
    if !keyed.is_sorted() {
        keyed.sort_unstable();
    }
    keyed.into_iter().map(|(_, _, _, id)| id).collect()
}

/// Rows of host events by handle; lets [`order`] and [`Queue`] serve every kind.
trait Rows<Id> {
    fn row(&self, id: Id) -> HostEvent;
}

macro_rules! rows {
    ($($id:ty),+) => {
        $(impl Rows<$id> for HostEvents<$id> {
            fn row(&self, id: $id) -> HostEvent {
                self.get(id)
            }
        })+
    };
}
rows!(OpId, FrameId, RangeId, kforge_trace::CallId);

/// Host events of one kind in the order of a sweep, and which of them comes next.
struct Queue<'t, Id> {
    events: &'t HostEvents<Id>,
    order: Vec<Id>,
    next: usize,
}

impl<'t, Id: Copy + Ord> Queue<'t, Id>
where
    HostEvents<Id>: Rows<Id>,
{
    fn of(events: &'t HostEvents<Id>, ids: impl Iterator<Item = Id>) -> Self {
        Self { events, order: order(events, ids), next: 0 }
    }

    /// Where and when the next one starts.
    fn head(&self) -> Option<(ThreadId, Instant)> {
        self.order.get(self.next).map(|id| {
            let row = self.events.row(*id);
            (row.thread, row.start)
        })
    }

    fn pop(&mut self) -> Option<Id> {
        let id = self.order.get(self.next).copied();
        self.next += 1;
        id
    }
}

/// What has not opened yet.
struct Waiting<'t> {
    ops: Queue<'t, OpId>,
    frames: Queue<'t, FrameId>,
    ranges: Queue<'t, RangeId>,
}

/// What is open on the thread being swept, outermost first.
#[derive(Default)]
struct Open {
    ops: Vec<OpenOp>,
    frames: Vec<OpenFrame>,
    ranges: Vec<(Instant, RangeId)>,
}

#[derive(Clone, Copy)]
struct OpenOp {
    end: Instant,
    id: OpId,
    stack: Option<StackId>,
}

#[derive(Clone, Copy)]
struct OpenFrame {
    end: Instant,
    place: Place,
}

/// A module and the best source line, as a chain of frames gives them.
#[derive(Clone, Copy, Default)]
struct Place {
    module: Option<ModuleId>,
    source: Option<(FrameKind, SourceId)>,
}

struct Sweep<'t> {
    trace: &'t Trace,
    reader: FrameReader<'t>,
    calls: Vec<Context>,
    by_external: HashMap<i64, Context, FixedState>,
    wanted: HashMap<i64, (), FixedState>,
    op_parents: Vec<Option<OpId>>,
    op_order: Vec<OpId>,
    range_parents: Vec<Option<RangeId>>,
    open: Open,
}

impl Sweep<'_> {
    fn run(&mut self) {
        let trace = self.trace;
        let mut waiting = Waiting {
            ops: Queue::of(trace.ops(), trace.ops().ids()),
            frames: Queue::of(trace.frames(), trace.frames().ids()),
            ranges: Queue::of(trace.ranges(), trace.ranges().ids()),
        };
        let mut thread = None;
        // Each call, in the order of its thread and time, first lets everything open that starts no later.
        for call in order(trace.calls(), trace.calls().ids()) {
            let row = trace.calls().get(call);
            self.advance(&mut waiting, &mut thread, Some((row.thread, row.start)));
            self.enter(&mut thread, row.thread);
            self.calls[call.index()] = self.here(row.start);
        }
        self.advance(&mut waiting, &mut thread, None);
        // The queue opened them in its order.
        self.op_order = waiting.ops.order;
    }

    /// Opens what starts no later than `until`; without it, everything that is left.
    fn advance(
        &mut self,
        waiting: &mut Waiting<'_>,
        thread: &mut Option<ThreadId>,
        until: Option<(ThreadId, Instant)>,
    ) {
        loop {
            let (range, frame, op) = (waiting.ranges.head(), waiting.frames.head(), waiting.ops.head());
            let Some(next) = [range, frame, op].into_iter().flatten().min() else { return };
            if until.is_some_and(|until| next > until) {
                return;
            }
            self.enter(thread, next.0);
            if range == Some(next) {
                waiting.ranges.pop().into_iter().for_each(|id| self.open_range(id));
            } else if frame == Some(next) {
                waiting.frames.pop().into_iter().for_each(|id| self.open_frame(id));
            } else {
                waiting.ops.pop().into_iter().for_each(|id| self.open_op(id));
            }
        }
    }

    fn enter(&mut self, thread: &mut Option<ThreadId>, next: ThreadId) {
        if *thread != Some(next) {
            *thread = Some(next);
            self.open = Open::default();
        }
    }

    fn open_range(&mut self, id: RangeId) {
        let row = self.trace.ranges().get(id);
        close(&mut self.open.ranges, row.start, |open| open.0);
        self.range_parents[id.index()] = self.open.ranges.last().map(|open| open.1);
        self.open.ranges.push((row.end(), id));
    }

    fn open_frame(&mut self, id: FrameId) {
        let row = self.trace.frames().get(id);
        close(&mut self.open.frames, row.start, |open| open.end);
        let outer = self.open.frames.last().map(|open| open.place).unwrap_or_default();
        let place = self.reader.step(outer, row.name);
        if place.module != outer.module
            && let Some(module) = place.module
        {
            self.reader.modules.called(module);
        }
        self.open.frames.push(OpenFrame { end: row.end(), place });
    }

    fn open_op(&mut self, id: OpId) {
        let row = self.trace.ops().get(id);
        close(&mut self.open.ops, row.start, |open| open.end);
        let outer = self.open.ops.last().copied();
        self.op_parents[id.index()] = outer.map(|open| open.id);
        let stack = row.stack.or_else(|| outer.and_then(|open| open.stack));
        self.open.ops.push(OpenOp { end: row.end(), id, stack });
        if let Some(number) = row.external
            && self.wanted.contains_key(&number)
        {
            let here = self.here(row.start);
            self.by_external.entry(number).or_insert(here);
        }
    }

    /// The context at a time of the current thread.
    fn here(&mut self, at: Instant) -> Context {
        close(&mut self.open.ranges, at, |open| open.0);
        close(&mut self.open.frames, at, |open| open.end);
        close(&mut self.open.ops, at, |open| open.end);
        let op = self.open.ops.last().copied();
        let place = match (self.open.frames.last(), op.and_then(|open| open.stack)) {
            (Some(frame), _) => frame.place,
            (None, Some(stack)) => self.reader.stack(stack),
            (None, None) => Place::default(),
        };
        Context {
            op: op.map(|open| open.id),
            module: place.module,
            source: place.source.map(|(_, line)| line),
            range: self.open.ranges.last().map(|open| open.1),
        }
    }
}

/// Closes what ended at or before `at`, innermost first. An event of no length closes at once.
fn close<T>(open: &mut Vec<T>, at: Instant, end: impl Fn(&T) -> Instant) {
    while open.last().is_some_and(|innermost| end(innermost) <= at) {
        open.pop();
    }
}

/// What one frame is.
#[derive(Clone, Copy)]
enum Frame {
    Module(ModuleName),
    Source(FrameKind, SourceId),
    Other,
}

/// Reads frame names once each, and stack texts once each.
struct FrameReader<'t> {
    trace: &'t Trace,
    rules: &'t Frames,
    known: Vec<Option<Frame>>,
    stacks: HashMap<StackId, Place, FixedState>,
    modules: ModuleTree,
    sources: Sources,
}

impl<'t> FrameReader<'t> {
    fn new(trace: &'t Trace, rules: &'t Frames) -> Self {
        Self {
            trace,
            rules,
            known: vec![None; trace.names().len()],
            stacks: HashMap::default(),
            modules: ModuleTree::default(),
            sources: Sources::default(),
        }
    }

    /// The place inside a frame, given the place around it.
    fn step(&mut self, outer: Place, name: NameId) -> Place {
        let frame = self.known[name.index()].unwrap_or_else(|| {
            let frame = self.read(&self.trace.names().text(name));
            self.known[name.index()] = Some(frame);
            frame
        });
        match frame {
            Frame::Module(name) => Place { module: self.modules.child(outer.module, name), ..outer },
            Frame::Source(kind, line) => inside(outer, kind, line),
            Frame::Other => outer,
        }
    }

    fn read(&mut self, text: &str) -> Frame {
        if let Some(name) = module_name(text) {
            return Frame::Module(self.modules.name(name));
        }
        let Some(line) = SourceLine::parse(text) else { return Frame::Other };
        match self.rules.kind(&line.file, &line.function) {
            // A framework's line answers no question about the user's program; without a better one the source is unknown.
            FrameKind::Builtin | FrameKind::Framework => Frame::Other,
            kind => Frame::Source(kind, self.sources.intern(line)),
        }
    }

    /// The place that a stack text describes; its frames are innermost first.
    fn stack(&mut self, stack: StackId) -> Place {
        if let Some(known) = self.stacks.get(&stack) {
            return *known;
        }
        let mut place = Place::default();
        for frame in self.trace.stacks().frames(stack).rev() {
            let text = String::from_utf8_lossy(frame);
            place = match self.read(&text) {
                Frame::Module(name) => Place { module: self.modules.child(place.module, name), ..place },
                Frame::Source(kind, line) => inside(place, kind, line),
                Frame::Other => place,
            };
        }
        self.stacks.insert(stack, place);
        place
    }
}

/// The place inside a source frame: the better kind wins, and of equal ones the inner.
fn inside(outer: Place, kind: FrameKind, line: SourceId) -> Place {
    match outer.source {
        Some((best, _)) if best > kind => outer,
        _ => Place { source: Some((kind, line)), ..outer },
    }
}
