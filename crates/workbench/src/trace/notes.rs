//! Notes: the reader's, and what the trace itself gives rise to.

use crate::Note;
use kforge_analysis::{DEEPEST, LONGEST_PATH, LONGEST_PATHS, Launches, ModuleTree, Trust};
use kforge_formats::ReadNote;
use kforge_trace::Trace;
use kforge_units::{Nanos, counted, duration};

/// A reader's note as the user sees it.
pub(super) fn from_reader(file: &str, note: ReadNote) -> Note {
    Note {
        code: note.code.to_owned(),
        message: note.message,
        file: Some(file.to_owned()),
        byte: note.byte,
        events: note.events,
        bytes: note.bytes,
        ns: None,
    }
}

/// What a trace gives rise to beside the reader's notes.
#[derive(Clone, Copy, Debug)]
enum Finding {
    /// Activities written twice, and their time.
    Twins(u64, Nanos),
    /// Activities at time zero of a clock that is not at zero.
    LostClock(u64),
    NoActivity,
    /// Frames of modules that have no row.
    DeepModules(u64),
    Overlap(Trust),
    SumTooLarge,
    /// Launches that no activity belongs to.
    LaunchesWithoutActivity(u64),
}

impl Finding {
    fn code(self) -> &'static str {
        match self {
            Self::Twins(..) => "capture.twins",
            Self::LostClock(_) => "capture.lost-clock",
            Self::NoActivity => "capture.no-activity",
            Self::DeepModules(_) => "capture.deep-modules",
            Self::Overlap(_) => "trust.overlap",
            Self::SumTooLarge => "trust.sum-too-large",
            Self::LaunchesWithoutActivity(_) => "trust.launches-without-activity",
        }
    }

    fn message(self) -> String {
        match self {
            Self::Twins(count, time) => format!(
                "{activities} ({time}) written twice, counted once",
                activities = counted(count, "activity", "activities"),
                time = duration(time)
            ),
            Self::LostClock(count) => format!(
                "{activities_start} at time 0, more than a day before all others: the clock was lost, and there is no place for it on the timeline",
                activities_start = counted(count, "activity starts", "activities start")
            ),
            Self::NoActivity => {
                "the capture has no device activity; take it with ProfilerActivity.CUDA (which serves ROCm as well)".to_owned()
            }
            Self::DeepModules(count) => format!(
                "{module_frames_have} no room in a module path (at most {DEEPEST} names and {LONGEST_PATH} bytes, {mebibytes} MiB for all paths): what they launched is in the module around them",
                module_frames_have = counted(count, "module frame has", "module frames have"),
                mebibytes = LONGEST_PATHS >> 20
            ),
            Self::Overlap(trust) => format!(
                "{activities_run} past the next one of the stream, by {overlap} in all (at most {largest}): kernel time is {raw} as recorded, {cut} when cut",
                activities_run = counted(trust.overlapping, "activity runs", "activities run"),
                overlap = duration(trust.overlap),
                largest = duration(trust.largest),
                raw = duration(trust.kernel_raw),
                cut = duration(trust.kernel_clipped)
            ),
            Self::SumTooLarge => {
                "the lengths add up to more than 64-bit nanoseconds can hold (292 years); sums stop there, and the lengths are absurd".to_owned()
            }
            Self::LaunchesWithoutActivity(count) => format!(
                "{launches_have} no kernel in the capture: dropped records, launches recorded into a graph, or a capture that stopped early",
                launches_have = counted(count, "kernel launch on the host has", "kernel launches on the host have")
            ),
        }
    }

    fn note(self, events: Option<u64>, ns: Option<Nanos>) -> Note {
        let mut note = Note::new(self.code(), self.message());
        note.events = events;
        note.ns = ns.map(Nanos::get);
        note
    }
}

/// What the builder of the trace set right.
pub(super) fn add_trace_notes(trace: &Trace, file: &str, notes: &mut Vec<Note>) {
    let mut add = |finding: Finding, events: u64, ns: Option<Nanos>| {
        notes.push(Note { file: Some(file.to_owned()), ..finding.note(Some(events), ns) });
    };
    let (twins, time) = trace.twins();
    if twins > 0 {
        add(Finding::Twins(twins as u64, time), twins as u64, Some(time));
    }
    let clockless = trace.clockless() as u64;
    if clockless > 0 {
        add(Finding::LostClock(clockless), clockless, None);
    }
    if trace.activities().is_empty() {
        add(Finding::NoActivity, 0, None);
    }
}

/// Modules that have no row of their own.
pub(super) fn add_module_notes(modules: &ModuleTree, file: &str, notes: &mut Vec<Note>) {
    let without = modules.without_node();
    if without > 0 {
        let note = Finding::DeepModules(without).note(Some(without), None);
        notes.push(Note { file: Some(file.to_owned()), ..note });
    }
}

/// What the analyses doubt.
pub(super) fn add_doubts(launches: &Launches, trust: &Trust, notes: &mut Vec<Note>) {
    if trust.overlapping > 0 {
        notes.push(Finding::Overlap(*trust).note(Some(trust.overlapping), Some(trust.overlap)));
    }
    if trust.activity_raw.get() == i64::MAX {
        notes.push(Finding::SumTooLarge.note(None, None));
    }
    let dropped = launches.launches_without_activity();
    if dropped > 0 {
        notes.push(Finding::LaunchesWithoutActivity(dropped).note(Some(dropped), None));
    }
    debug_assert!(trust.overlap >= Nanos::ZERO, "an overlap is a length");
}
