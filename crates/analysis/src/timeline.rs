//! When each device worked, and why it did not.
//!
//! Busy time is the length of a union of intervals, never a sum over streams; so idle time is never negative. Copies and
//! communication are *exposed* where no other work hides them.

use crate::launch::{Launch, Launches, contains};
use kforge_catalog::Family;
use kforge_trace::{ActivityId, ActivityKind, NameId, ThreadId, Trace};
use kforge_units::{Instant, Nanos};
use std::collections::BTreeMap;

/// Why a device had nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapCause {
    /// The host waited for the device (a synchronising call was open when the device fell idle) and launched afterwards.
    HostSync,
    /// The host launched the next work only after the device fell idle.
    HostLaunch,
    /// Between two nodes of one graph replay.
    GraphNode,
    /// The next work was queued already: launch latency, or waiting for another stream or an event.
    Queued,
    /// The launch of the next work is unknown.
    Unknown,
}

/// One stream's share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamTime {
    /// The stream's label.
    pub stream: NameId,
    /// Activities on it, those without a place too; so streams add up to their device.
    pub count: u64,
    /// The sum of the lengths of those with a place.
    pub sum: Nanos,
    /// The length of their union.
    pub busy: Nanos,
}

/// One device's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceTime {
    /// The device's label.
    pub device: NameId,
    /// Activities on it, those without a place too.
    pub count: u64,
    /// From the first start to the last end; `None` where no activity has a place.
    pub window: Option<Nanos>,
    /// The length of the union of all activities.
    pub busy: Nanos,
    /// Time in which only copies and fills ran.
    pub exposed_copy: Nanos,
    /// Time in which communication ran and no compute did.
    pub exposed_communication: Nanos,
    /// Streams by their busy time.
    pub streams: Vec<StreamTime>,
    /// Idle time by cause: count and length.
    pub gaps: BTreeMap<GapCause, (u64, Nanos)>,
}

impl DeviceTime {
    /// Window without busy time; `None` where there is no window.
    pub fn idle(&self) -> Option<Nanos> {
        self.window.map(|window| window - self.busy)
    }
}

/// The devices of a trace, by label.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// A row for each device that has activities.
    pub devices: Vec<DeviceTime>,
}

/// One activity with a place.
#[derive(Clone, Copy)]
struct Placed {
    start: Instant,
    end: Instant,
    id: ActivityId,
    stream: NameId,
    class: Class,
}

/// The activities of one device.
struct OfDevice {
    device: NameId,
    placed: Vec<Placed>,
    /// How many activities each of its lanes has.
    streams: Vec<(NameId, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Compute,
    Communication,
    Transfer,
}

impl Timeline {
    /// The timeline of a trace. `family` says of a kernel's name what it is.
    pub fn of(trace: &Trace, launches: &Launches, family: impl Fn(NameId) -> Family) -> Self {
        let waits = HostWaits::of(trace);
        let mut by_device: BTreeMap<Label, OfDevice> = BTreeMap::new();
        let mut on_lane = vec![0; trace.lanes().len()];
        for (id, activity) in trace.activities().iter() {
            let lane = trace.lanes().get(activity.lane);
            let entry = by_device.entry(Label::of(trace, lane.device)).or_insert_with(|| OfDevice {
                device: lane.device,
                placed: Vec::new(),
                streams: Vec::new(),
            });
            on_lane[activity.lane.index()] += 1;
            let class = match activity.kind {
                ActivityKind::Copy | ActivityKind::Fill => Class::Transfer,
                ActivityKind::Kernel if family(activity.name) == Family::Communication => {
                    Class::Communication
                }
                ActivityKind::Kernel => Class::Compute,
            };
            if let (Some(start), Some(end)) = (activity.start, activity.end()) {
                entry.placed.push(Placed { start, end, id, stream: lane.stream, class });
            }
        }
        for ((_, lane), count) in trace.lanes().iter().zip(on_lane).filter(|(_, count)| *count > 0) {
            if let Some(entry) = by_device.get_mut(&Label::of(trace, lane.device)) {
                entry.streams.push((lane.stream, count));
            }
        }
        let devices = by_device
            .into_values()
            .map(|mut of_device| {
                of_device.placed.sort_by_key(|row| (row.start, row.end, row.id));
                device_time(trace, launches, &waits, &of_device)
            })
            .collect();
        Self { devices }
    }
}

/// A label that sorts by number where it is one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Number(i128),
    Text(Vec<u8>),
}

impl Label {
    fn of(trace: &Trace, name: NameId) -> Self {
        let bytes = trace.names().bytes(name);
        let number = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
        number.map_or_else(|| Self::Text(bytes.to_vec()), Self::Number)
    }
}

fn device_time(trace: &Trace, launches: &Launches, waits: &HostWaits, of_device: &OfDevice) -> DeviceTime {
    let OfDevice { device, placed, streams } = of_device;
    let first = placed.first().map(|row| row.start);
    let last = placed.iter().map(|row| row.end).max();
    let (exposed_copy, exposed_communication) = exposed(placed);
    DeviceTime {
        device: *device,
        count: streams.iter().map(|(_, count)| count).sum(),
        window: first.zip(last).map(|(first, last)| last.since(first)),
        busy: union(placed.iter().map(|row| (row.start, row.end))),
        exposed_copy,
        exposed_communication,
        streams: stream_times(trace, placed, streams),
        gaps: gaps(trace, launches, waits, placed),
    }
}

/// The length of the union of intervals sorted by start.
fn union(sorted: impl Iterator<Item = (Instant, Instant)>) -> Nanos {
    let mut total = Nanos::ZERO;
    let mut open: Option<(Instant, Instant)> = None;
    for (start, end) in sorted {
        open = match open {
            Some((from, to)) if start <= to => Some((from, to.max(end))),
            Some((from, to)) => {
                total += to.since(from);
                Some((start, end))
            }
            None => Some((start, end)),
        };
    }
    total + open.map_or(Nanos::ZERO, |(from, to)| to.since(from))
}

/// Time in which only transfers ran, and time in which communication ran without compute.
fn exposed(placed: &[Placed]) -> (Nanos, Nanos) {
    let mut edges: Vec<(Instant, i32, Class)> = Vec::with_capacity(placed.len() * 2);
    for row in placed.iter().filter(|row| row.end > row.start) {
        edges.push((row.start, 1, row.class));
        edges.push((row.end, -1, row.class));
    }
    edges.sort_by_key(|(at, step, _)| (*at, *step));
    let (mut compute, mut communication, mut transfer) = (0, 0, 0);
    let (mut copy_time, mut communication_time) = (Nanos::ZERO, Nanos::ZERO);
    let mut before: Option<Instant> = None;
    for (at, step, class) in edges {
        if let Some(before) = before
            && compute == 0
        {
            if communication > 0 {
                communication_time += at.since(before);
            } else if transfer > 0 {
                copy_time += at.since(before);
            }
        }
        match class {
            Class::Compute => compute += step,
            Class::Communication => communication += step,
            Class::Transfer => transfer += step,
        }
        before = Some(at);
    }
    (copy_time, communication_time)
}

fn stream_times(trace: &Trace, placed: &[Placed], counts: &[(NameId, u64)]) -> Vec<StreamTime> {
    let mut by_stream: BTreeMap<Label, (StreamTime, Vec<(Instant, Instant)>)> = BTreeMap::new();
    for &(stream, count) in counts {
        let none = StreamTime { stream, count: 0, sum: Nanos::ZERO, busy: Nanos::ZERO };
        by_stream.entry(Label::of(trace, stream)).or_insert((none, Vec::new())).0.count += count;
    }
    for row in placed {
        if let Some((_, intervals)) = by_stream.get_mut(&Label::of(trace, row.stream)) {
            intervals.push((row.start, row.end));
        }
    }
    let mut rows: Vec<StreamTime> = by_stream
        .into_values()
        .map(|(row, intervals)| StreamTime {
            sum: intervals.iter().map(|(start, end)| end.since(*start)).sum(),
            busy: union(intervals.into_iter()),
            ..row
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.busy));
    rows
}

fn gaps(
    trace: &Trace,
    launches: &Launches,
    waits: &HostWaits,
    placed: &[Placed],
) -> BTreeMap<GapCause, (u64, Nanos)> {
    let mut found: BTreeMap<GapCause, (u64, Nanos)> = BTreeMap::new();
    let mut busy_until: Option<(Instant, ActivityId)> = None;
    for row in placed {
        if let Some((idle_from, before)) = busy_until
            && row.start > idle_from
        {
            let cause = cause(trace, launches, waits, idle_from, before, row.id);
            let (count, time) = found.entry(cause).or_default();
            *count += 1;
            *time += row.start.since(idle_from);
        }
        if busy_until.is_none_or(|(until, _)| row.end >= until) {
            busy_until = Some((row.end, row.id));
        }
    }
    found
}

fn cause(
    trace: &Trace,
    launches: &Launches,
    waits: &HostWaits,
    idle_from: Instant,
    before: ActivityId,
    next: ActivityId,
) -> GapCause {
    let call = match launches.get(next) {
        Launch::GraphReplay(call) if launches.get(before).call() == Some(call) => return GapCause::GraphNode,
        Launch::Call(call) | Launch::GraphReplay(call) => trace.calls().get(call),
        Launch::BeforeCapture => return GapCause::Queued,
        Launch::NoNumber | Launch::NoCall => return GapCause::Unknown,
    };
    if call.start < idle_from {
        GapCause::Queued
    } else if waits.open_at(call.thread, idle_from) {
        GapCause::HostSync
    } else {
        GapCause::HostLaunch
    }
}

/// Synchronising host calls, by thread and time.
struct HostWaits {
    rows: Vec<(ThreadId, Instant, Instant)>,
}

impl HostWaits {
    fn of(trace: &Trace) -> Self {
        let waits = |name: NameId| {
            let text = trace.names().bytes(name);
            contains(text, b"Synchronize") || (contains(text, b"Memcpy") && !contains(text, b"Async"))
        };
        let mut known: Vec<Option<bool>> = vec![None; trace.names().len()];
        let mut rows: Vec<(ThreadId, Instant, Instant)> = Vec::new();
        for (_, call) in trace.calls().iter() {
            if *known[call.name.index()].get_or_insert_with(|| waits(call.name)) {
                rows.push((call.thread, call.start, call.end()));
            }
        }
        rows.sort();
        // From here on an end is that of the longest wait of its thread so far: one wait may lie inside another.
        let mut longest: Option<(ThreadId, Instant)> = None;
        for (thread, _, end) in &mut rows {
            let known = longest.filter(|(other, _)| other == thread).map_or(*end, |(_, known)| known);
            *end = known.max(*end);
            longest = Some((*thread, *end));
        }
        Self { rows }
    }

    /// True where the thread was inside a synchronising call at that time.
    fn open_at(&self, thread: ThreadId, at: Instant) -> bool {
        let after = self.rows.partition_point(|(row, start, _)| (*row, *start) <= (thread, at));
        after.checked_sub(1).is_some_and(|row| self.rows[row].0 == thread && self.rows[row].2 >= at)
    }
}
