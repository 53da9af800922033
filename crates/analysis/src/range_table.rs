//! Steps: the ranges that the program annotated around its work, in time order.
//!
//! Where the capture has the profiler's own steps (`ProfilerStep#N`), those are the steps, and work launched on any
//! thread while a step is open belongs to it. Otherwise the outermost ranges of each thread are.

use crate::context::HostContext;
use crate::launch::Launches;
use crate::whole::Whole;
use kforge_trace::{ActivityKind, RangeId, Trace};
use kforge_units::{Instant, Nanos};
use std::collections::BTreeSet;

/// The work of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeRow {
    /// The range.
    pub range: RangeId,
    /// When it began on the host.
    pub start: Instant,
    /// How long it was on the host; `None` where the capture does not say.
    pub host: Option<Nanos>,
    /// Activities launched in it.
    pub count: u64,
    /// Kernels among them.
    pub kernels: u64,
    /// The time of all of them.
    pub total: Nanos,
    /// From the start of its first activity to the end of its last; `None` where none has a place.
    pub device_window: Option<Nanos>,
}

/// Steps in time order.
#[derive(Clone, Debug)]
pub struct RangeTable {
    /// A row for each step.
    pub rows: Vec<RangeRow>,
    /// The reconciliation of the rows' device time.
    pub whole: Whole,
}

struct Span {
    first: Option<Instant>,
    last: Option<Instant>,
}

impl RangeTable {
    /// The steps of a trace.
    pub fn of(trace: &Trace, launches: &Launches, context: &HostContext) -> Self {
        let steps = Steps::of(trace, context);
        let mut rows: Vec<RangeRow> = steps.ranges.iter().map(|id| empty_row(trace, *id)).collect();
        let mut spans: Vec<Span> = rows.iter().map(|_| Span { first: None, last: None }).collect();
        let mut whole = Whole::default();
        for (id, activity) in trace.activities().iter() {
            let length = activity.length.unwrap_or_default();
            let call = launches.get(id).call().map(|call| trace.calls().get(call).start);
            let range = context.context(trace, launches, id).range;
            let step = steps.find(range, call);
            whole.add(length, step.is_some());
            let Some(index) = step else { continue };
            let (row, span) = (&mut rows[index], &mut spans[index]);
            row.count += 1;
            row.kernels += u64::from(activity.kind == ActivityKind::Kernel);
            row.total += length;
            if let (Some(start), Some(end)) = (activity.start, activity.end()) {
                span.first = Some(span.first.map_or(start, |first| first.min(start)));
                span.last = Some(span.last.map_or(end, |last| last.max(end)));
            }
        }
        for (row, span) in rows.iter_mut().zip(spans) {
            row.device_window = span.first.zip(span.last).map(|(first, last)| last.since(first));
        }
        Self { rows, whole }
    }
}

fn empty_row(trace: &Trace, id: RangeId) -> RangeRow {
    let range = trace.ranges().get(id);
    RangeRow {
        range: id,
        start: range.start,
        host: range.length,
        count: 0,
        kernels: 0,
        total: Nanos::ZERO,
        device_window: None,
    }
}

/// Which ranges are steps, sorted by start.
struct Steps {
    ranges: Vec<RangeId>,
    /// From when on which step is open, by time; of several the one that started last.
    open: Vec<(Instant, Option<usize>)>,
    /// The step that each range is or stands in.
    of_range: Vec<Option<usize>>,
    by_time: bool,
}

impl Steps {
    fn of(trace: &Trace, context: &HostContext) -> Self {
        let is_profiler_step =
            |id: RangeId| trace.names().bytes(trace.ranges().get(id).name).starts_with(b"ProfilerStep");
        let all: Vec<RangeId> = trace.ranges().ids().collect();
        let by_time = all.iter().any(|id| is_profiler_step(*id));
        let mut ranges: Vec<RangeId> = all
            .into_iter()
            .filter(|id| if by_time { is_profiler_step(*id) } else { context.range_parent(*id).is_none() })
            .collect();
        ranges.sort_by_key(|id| trace.ranges().get(*id).start);
        let of_range = step_of_each(trace, context, &ranges);
        let open = if by_time { open_steps(trace, &ranges) } else { Vec::new() };
        Self { ranges, open, of_range, by_time }
    }

    /// The step of a launch: the one its range stands in, else, for the profiler's steps, the one open at that time.
    fn find(&self, range: Option<RangeId>, at: Option<Instant>) -> Option<usize> {
        if let Some(row) = range.and_then(|range| self.of_range[range.index()]) {
            return Some(row);
        }
        let at = at.filter(|_| self.by_time)?;
        let after = self.open.partition_point(|(from, _)| *from <= at);
        self.open[after.checked_sub(1)?].1
    }
}

/// The step that each range of a trace is, or stands in. Every range is visited a few times, however deep they nest.
fn step_of_each(trace: &Trace, context: &HostContext, steps: &[RangeId]) -> Vec<Option<usize>> {
    let mut known: Vec<Option<Option<usize>>> = vec![None; trace.ranges().len()];
    for (row, id) in steps.iter().enumerate() {
        known[id.index()] = Some(Some(row));
    }
    let mut passed = Vec::new();
    for range in trace.ranges().ids() {
        let mut next = Some(range);
        let found = loop {
            let Some(id) = next else { break None };
            if let Some(found) = known[id.index()] {
                break found;
            }
            passed.push(id);
            next = context.range_parent(id);
        };
        for id in passed.drain(..) {
            known[id.index()] = Some(found);
        }
    }
    known.into_iter().map(Option::flatten).collect()
}

/// Which step is open from when on. `ranges` are sorted by start.
fn open_steps(trace: &Trace, ranges: &[RangeId]) -> Vec<(Instant, Option<usize>)> {
    let mut edges: Vec<(Instant, bool, usize)> = Vec::with_capacity(ranges.len() * 2);
    for (row, id) in ranges.iter().enumerate() {
        let range = trace.ranges().get(*id);
        // A step of no length is never open; its end would come before its start.
        if range.end() > range.start {
            edges.extend([(range.start, true, row), (range.end(), false, row)]);
        }
    }
    edges.sort_unstable();
    let mut open = BTreeSet::new();
    let mut from: Vec<(Instant, Option<usize>)> = Vec::new();
    for (at, opens, row) in edges {
        if opens {
            open.insert(row);
        } else {
            open.remove(&row);
        }
        let now = (at, open.last().copied());
        match from.last_mut().filter(|(last, _)| *last == at) {
            Some(last) => *last = now,
            None => from.push(now),
        }
    }
    from
}
