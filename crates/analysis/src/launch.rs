//! How each activity was launched: by a host call, by a graph replay, before the capture began, or unknown.
//!
//! The correlation number decides; it lives in a space of its own and is never compared with the number that ties an
//! activity to its op. Arrows are followed only where the number finds no host call.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use kforge_trace::{Activity, ActivityId, CallId, HostEvent, Trace};
use kforge_units::{Instant, Nanos};

/// How one activity was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// By this host call.
    Call(CallId),
    /// As a node of the graph that this host call replayed.
    GraphReplay(CallId),
    /// Queued before the capture began: its number is below that of every host call recorded.
    BeforeCapture,
    /// Unknown: the capture gives it no number.
    NoNumber,
    /// Unknown: no host call has its number.
    NoCall,
}

/// The class of a launch, as tables count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaunchClass {
    /// By a host call.
    Call,
    /// By a graph replay.
    GraphReplay,
    /// Before the capture began.
    BeforeCapture,
    /// Unknown.
    Missing,
}

impl Launch {
    /// The host call, where there is one.
    pub fn call(self) -> Option<CallId> {
        match self {
            Self::Call(call) | Self::GraphReplay(call) => Some(call),
            Self::BeforeCapture | Self::NoNumber | Self::NoCall => None,
        }
    }

    /// The class as tables count it.
    pub fn class(self) -> LaunchClass {
        match self {
            Self::Call(_) => LaunchClass::Call,
            Self::GraphReplay(_) => LaunchClass::GraphReplay,
            Self::BeforeCapture => LaunchClass::BeforeCapture,
            Self::NoNumber | Self::NoCall => LaunchClass::Missing,
        }
    }
}

/// The launches of all activities.
#[derive(Debug)]
pub struct Launches {
    rows: Vec<Launch>,
    launchless: u64,
}

impl Launches {
    /// Links every activity of a trace.
    pub fn of(trace: &Trace) -> Self {
        let calls = CallsByNumber::of(trace);
        let mut arrows = None;
        let mut rows = Vec::with_capacity(trace.activities().len());
        for (_, activity) in trace.activities().iter() {
            let found = activity.correlation.and_then(|number| calls.find(trace, number, &activity));
            let found = found.or_else(|| {
                arrows.get_or_insert_with(|| ByArrow::of(trace, &calls.launches)).find(&activity)
            });
            rows.push(match (found, activity.correlation) {
                (Some(call), _) if calls.replays(trace, call) => Launch::GraphReplay(call),
                (Some(call), _) => Launch::Call(call),
                (None, None) => Launch::NoNumber,
                (None, Some(number)) if calls.smallest.is_some_and(|first| number < first) => {
                    Launch::BeforeCapture
                }
                (None, Some(_)) => Launch::NoCall,
            });
        }
        let launchless = without_activity(trace, &rows);
        Self { rows, launchless }
    }

    /// The launch of one activity.
    pub fn get(&self, id: ActivityId) -> Launch {
        self.rows[id.index()]
    }

    /// Count and time of a class.
    pub fn total(&self, trace: &Trace, class: LaunchClass) -> (u64, Nanos) {
        let of_class = trace.activities().iter().filter(|(id, _)| self.get(*id).class() == class);
        of_class.fold((0, Nanos::ZERO), |(count, time), (_, row)| {
            (count + 1, time + row.length.unwrap_or_default())
        })
    }

    /// Launching calls on the host to which no activity was linked: records that the profiler dropped, launches recorded into
    /// a graph, calls that launch no device work (`cudaLaunchHostFunc`), and all but one of several with one number.
    pub fn launches_without_activity(&self) -> u64 {
        self.launchless
    }
}

/// Host calls by their number. Most numbers have one call; the others keep all of theirs.
struct CallsByNumber {
    first: HashMap<i64, CallId, FixedState>,
    more: HashMap<i64, Vec<CallId>, FixedState>,
    smallest: Option<i64>,
    replays: Vec<bool>,
    launches: Vec<bool>,
}

impl CallsByNumber {
    fn of(trace: &Trace) -> Self {
        let mut first = HashMap::with_capacity_and_hasher(trace.calls().len(), FixedState::default());
        let mut more: HashMap<i64, Vec<CallId>, FixedState> = HashMap::default();
        let mut smallest = None;
        for (id, call) in trace.calls().iter() {
            let Some(number) = call.correlation else { continue };
            smallest = Some(smallest.map_or(number, |known: i64| known.min(number)));
            if let Some(known) = first.insert(number, id) {
                first.insert(number, known);
                more.entry(number).or_insert_with(|| vec![known]).push(id);
            }
        }
        let start = |id: &CallId| (trace.calls().get(*id).start, *id);
        let mut known = vec![false; trace.names().len()];
        let mut replays = vec![false; trace.names().len()];
        let mut launches = vec![false; trace.names().len()];
        for (_, call) in trace.calls().iter() {
            if std::mem::replace(&mut known[call.name.index()], true) {
                continue;
            }
            let name = trace.names().bytes(call.name);
            replays[call.name.index()] = contains(name, b"GraphLaunch");
            launches[call.name.index()] =
                [&b"Launch"[..], b"Memcpy", b"Memset"].iter().any(|word| contains(name, word));
        }
        // Only those that launch are asked, where there are any; in time, and of equal times as in the file.
        for calls in more.values_mut() {
            let launching = |id: &CallId| launches[trace.calls().get(*id).name.index()];
            if calls.iter().any(launching) {
                calls.retain(launching);
            }
            calls.sort_unstable_by_key(start);
        }
        Self { first, more, smallest, replays, launches }
    }

    /// The call of a number. Of several, one that launches; then the latest that starts no later than the activity; then
    /// the first.
    fn find(&self, trace: &Trace, number: i64, activity: &Activity) -> Option<CallId> {
        let only = *self.first.get(&number)?;
        let Some(all) = self.more.get(&number) else { return Some(only) };
        let start = |id: &CallId| trace.calls().get(*id).start;
        let before = activity.start.map_or(0, |at| all.partition_point(|id| start(id) <= at));
        let latest = before.checked_sub(1).map(|last| start(&all[last]));
        let chosen = latest.map_or(0, |latest| all.partition_point(|id| start(id) < latest));
        all.get(chosen).copied()
    }

    fn replays(&self, trace: &Trace, call: CallId) -> bool {
        self.replays[trace.calls().get(call).name.index()]
    }
}

/// Calls with `Launch` in their name to which no activity was linked.
fn without_activity(trace: &Trace, rows: &[Launch]) -> u64 {
    let mut used = vec![false; trace.calls().len()];
    for call in rows.iter().filter_map(|launch| launch.call()) {
        used[call.index()] = true;
    }
    let launches = |call: &HostEvent| contains(trace.names().bytes(call.name), b"Launch");
    let unused = trace.calls().iter().filter(|(id, call)| !used[id.index()] && launches(call));
    unused.count() as u64
}

/// True where the bytes of the word stand in the text.
pub(crate) fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

/// Activities to host calls by the arrows that the capture draws.
struct ByArrow {
    calls: HashMap<(kforge_trace::LaneId, Instant), CallId, FixedState>,
}

impl ByArrow {
    fn of(trace: &Trace, launches: &[bool]) -> Self {
        let launching = |id: CallId| launches[trace.calls().get(id).name.index()];
        let mut at: HashMap<(kforge_trace::ThreadId, Instant), CallId, FixedState> = HashMap::default();
        if !trace.arrows().starts().is_empty() {
            for (id, call) in trace.calls().iter() {
                let slot = at.entry((call.thread, call.start)).or_insert(id);
                if launching(id) && !launching(*slot) {
                    *slot = id;
                }
            }
        }
        let mut starts: HashMap<i64, CallId, FixedState> = HashMap::default();
        for arrow in trace.arrows().starts() {
            if let Some(call) = at.get(&(arrow.place, arrow.at)) {
                starts.entry(arrow.id).or_insert(*call);
            }
        }
        let mut calls = HashMap::default();
        for arrow in trace.arrows().ends() {
            if let Some(call) = starts.get(&arrow.id) {
                calls.entry((arrow.place, arrow.at)).or_insert(*call);
            }
        }
        Self { calls }
    }

    fn find(&self, activity: &Activity) -> Option<CallId> {
        self.calls.get(&(activity.lane, activity.start?)).copied()
    }
}
