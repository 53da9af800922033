//! What was lost, repaired or doubtful while reading, counted by kind with the first position of each.

use kforge_units::counted;

use crate::ReadNote;

/// A kind of loss, repair or doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    TruncatedText,
    BrokenGzip,
    Unreadable,
    DamagedEvent,
    SkippedBytes,
    RepairedEvent,
    LostEvent,
    ForeignNumber,
    StrayComma,
    RepeatedKey,
    InvalidUtf8,
    ControlCharacter,
    InvalidEscape,
    OddCategory,
    NoLength,
    BadLength,
    NoStart,
    NoHostLength,
    BadHostLength,
    LostArrow,
    UnpairedBegin,
    UnpairedEnd,
    Trailing,
    NoArray,
}

const KINDS: usize = Kind::NoArray as usize + 1;

impl Kind {
    const ALL: [Self; KINDS] = [
        Self::TruncatedText,
        Self::BrokenGzip,
        Self::Unreadable,
        Self::DamagedEvent,
        Self::SkippedBytes,
        Self::RepairedEvent,
        Self::LostEvent,
        Self::ForeignNumber,
        Self::StrayComma,
        Self::RepeatedKey,
        Self::InvalidUtf8,
        Self::ControlCharacter,
        Self::InvalidEscape,
        Self::OddCategory,
        Self::NoLength,
        Self::BadLength,
        Self::NoStart,
        Self::NoHostLength,
        Self::BadHostLength,
        Self::LostArrow,
        Self::UnpairedBegin,
        Self::UnpairedEnd,
        Self::Trailing,
        Self::NoArray,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::TruncatedText => "capture.truncated",
            Self::BrokenGzip => "capture.gzip-broken",
            Self::Unreadable => "capture.read-failed",
            Self::DamagedEvent => "capture.damaged-event",
            Self::SkippedBytes => "capture.skipped-bytes",
            Self::RepairedEvent => "capture.repaired-event",
            Self::LostEvent => "capture.lost-event",
            Self::ForeignNumber => "capture.nonstandard-number",
            Self::StrayComma => "capture.stray-comma",
            Self::RepeatedKey => "capture.repeated-key",
            Self::InvalidUtf8 => "capture.invalid-utf8",
            Self::ControlCharacter => "capture.control-character",
            Self::InvalidEscape => "capture.invalid-escape",
            Self::OddCategory => "capture.odd-category",
            Self::NoLength => "capture.no-length",
            Self::BadLength => "capture.bad-length",
            Self::NoStart => "capture.no-start",
            Self::NoHostLength => "capture.no-host-length",
            Self::BadHostLength => "capture.bad-host-length",
            Self::LostArrow => "capture.lost-arrow",
            Self::UnpairedBegin => "capture.unpaired-begin",
            Self::UnpairedEnd => "capture.unpaired-end",
            Self::Trailing => "capture.trailing-text",
            Self::NoArray => "capture.no-array",
        }
    }

    fn message(self, tally: &Tally) -> String {
        let Tally { events, bytes, first, detail } = tally;
        let activities = counted(*events, "device activity", "device activities");
        let host = counted(*events, "host event", "host events");
        let any = counted(*events, "event", "events");
        let names = counted(*events, "distinct name", "distinct names");
        let text = counted(*bytes, "byte", "bytes");
        let at = format!("the first at byte {first}");
        let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
        match self {
            Self::TruncatedText => format!(
                "the text ends at byte {first} inside the document{detail}; {text} of an unfinished event or value not read"
            ),
            Self::BrokenGzip => {
                format!("the gzip stream breaks after {first} bytes of text{detail}; what follows was not read")
            }
            Self::Unreadable => format!("reading stopped after {first} bytes{detail}; what follows was not read"),
            Self::DamagedEvent => format!("{any} damaged and not read, {text}; {at}"),
            Self::SkippedBytes => format!("{text} in no event, skipped; {at}"),
            Self::RepairedEvent => format!("{any} with broken quoting, read by repair; {at}"),
            Self::LostEvent => {
                format!("{any} without a usable start time or beyond what the tables hold, not read; {at}")
            }
            Self::ForeignNumber => format!("{events} bare NaN or infinity where JSON wants a number; {at}"),
            Self::StrayComma => {
                format!("{} misplaced or missing; {at}", counted(*events, "comma", "commas"))
            }
            Self::RepeatedKey => format!("{any} with one key twice; the last value was taken; {at}"),
            Self::InvalidUtf8 => format!("{names} not in UTF-8; {at}"),
            Self::ControlCharacter => format!("{names} with a raw control character; {at}"),
            Self::InvalidEscape => {
                format!("{names} with an escape that JSON does not know; kept as written; {at}")
            }
            Self::OddCategory => {
                format!("{any} of a category with characters that no category has; what they were is unknown; {at}")
            }
            Self::NoLength => format!("{activities} without a length; counted, adding no time; {at}"),
            Self::BadLength => {
                format!("{activities} with a negative, absurd or unreadable length; counted, adding no time; {at}")
            }
            Self::NoStart => {
                format!("{activities} without a usable start; counted, without a place on the timeline; {at}")
            }
            Self::NoHostLength => {
                format!("{host} without a length; counted, but what began inside is not known to; {at}")
            }
            Self::BadHostLength => format!(
                "{host} with a negative, absurd or unreadable length; counted, but what began inside is not known to; {at}"
            ),
            Self::LostArrow => format!(
                "{} from a launch to its activity without a whole number as id or without a time, not read; {at}",
                counted(*events, "end of an arrow", "ends of arrows")
            ),
            Self::UnpairedBegin => format!(
                "{} without an end, kept without a length; {at}",
                counted(*events, "begin event", "begin events")
            ),
            Self::UnpairedEnd => format!(
                "{} without a begin, not read; {at}",
                counted(*events, "end event", "end events")
            ),
            Self::Trailing if *bytes > 0 => {
                format!("{text} behind the end of the document{detail}, from byte {first}, not read")
            }
            Self::Trailing => {
                format!("the gzip stream does not end well behind the document{detail}; no check sum vouches for what was read")
            }
            Self::NoArray => {
                "the file holds events without the document around them; what the document would say is unknown".to_owned()
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Tally {
    events: u64,
    bytes: u64,
    first: u64,
    detail: String,
}

/// The tallies of one reading.
#[derive(Debug, Default)]
pub(super) struct Losses {
    tallies: [Option<Tally>; KINDS],
}

impl Losses {
    /// Counts `events` events and `bytes` bytes at position `byte`.
    pub(super) fn add(&mut self, kind: Kind, byte: u64, events: u64, bytes: u64) {
        let tally =
            self.tallies[kind as usize].get_or_insert_with(|| Tally { first: byte, ..Tally::default() });
        tally.events += events;
        tally.bytes += bytes;
    }

    /// One event at position `byte`.
    pub(super) fn event(&mut self, kind: Kind, byte: u64) {
        self.add(kind, byte, 1, 0);
    }

    /// A fact with a detail in words.
    pub(super) fn detailed(&mut self, kind: Kind, byte: u64, bytes: u64, detail: String) {
        self.add(kind, byte, 0, bytes);
        if let Some(tally) = &mut self.tallies[kind as usize] {
            tally.detail = detail;
        }
    }

    /// The notes, in a stable order.
    pub(super) fn notes(&self) -> Vec<ReadNote> {
        Kind::ALL
            .iter()
            .zip(&self.tallies)
            .filter_map(|(kind, tally)| {
                let tally = tally.as_ref()?;
                Some(ReadNote {
                    code: kind.code(),
                    message: kind.message(tally),
                    byte: Some(tally.first),
                    events: (tally.events > 0).then_some(tally.events),
                    bytes: (tally.bytes > 0).then_some(tally.bytes),
                })
            })
            .collect()
    }
}
