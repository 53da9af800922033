//! Notes: the reader's, and what the trace itself gives rise to.

use crate::Note;
use kforge_analysis::{Launches, Trust};
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
        ns: note.ns,
    }
}

/// What the builder of the trace set right.
pub(super) fn add_trace_notes(trace: &Trace, file: &str, notes: &mut Vec<Note>) {
    let mut add = |code: &str, message: String, events: u64, ns: Option<i64>| {
        let mut note = Note::new(code, message);
        note.file = Some(file.to_owned());
        note.events = Some(events);
        note.ns = ns;
        notes.push(note);
    };
    let (twins, time) = trace.twins();
    if twins > 0 {
        let message = format!(
            "{} ({}) written twice, counted once",
            counted(twins, "activity", "activities"),
            duration(time)
        );
        add("capture.twins", message, twins as u64, Some(time.get()));
    }
    if trace.clockless() > 0 {
        let message = format!(
            "{} at time 0, more than a day before all others: the clock was lost, and there is no place for it on the timeline",
            counted(trace.clockless(), "activity starts", "activities start")
        );
        add("capture.lost-clock", message, trace.clockless() as u64, None);
    }
    if trace.activities().is_empty() {
        let message = "the capture has no device activity; take it with ProfilerActivity.CUDA (which serves ROCm as well)";
        add("capture.no-activity", message.to_owned(), 0, None);
    }
}

/// What the analyses doubt.
pub(super) fn add_doubts(launches: &Launches, trust: &Trust, notes: &mut Vec<Note>) {
    if trust.overlapping > 0 {
        let mut note = Note::new(
            "trust.overlap",
            format!(
                "{} past the next one of the stream, by {} in all (at most {}): kernel time is {} as recorded, {} when cut",
                counted(trust.overlapping, "activity runs", "activities run"),
                duration(trust.overlap),
                duration(trust.largest),
                duration(trust.kernel_raw),
                duration(trust.kernel_clipped)
            ),
        );
        note.events = Some(trust.overlapping);
        note.ns = Some(trust.overlap.get());
        notes.push(note);
    }
    if trust.activity_raw.get() == i64::MAX {
        notes.push(Note::new(
            "trust.sum-too-large",
            "the lengths add up to more than 64-bit nanoseconds can hold (292 years); sums stop there, and the lengths are absurd",
        ));
    }
    let dropped = launches.launches_without_activity();
    if dropped > 0 {
        let mut note = Note::new(
            "trust.launches-without-activity",
            format!(
                "{} no kernel in the capture: dropped records, launches recorded into a graph, or a capture that stopped early",
                counted(dropped, "kernel launch on the host has", "kernel launches on the host have")
            ),
        );
        note.events = Some(dropped);
        notes.push(note);
    }
    debug_assert!(trust.overlap >= Nanos::ZERO, "an overlap is a length");
}
