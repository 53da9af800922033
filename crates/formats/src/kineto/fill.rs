//! From an unread event to a row of the trace.
//!
//! Invariant: a time or a length that the text does not give, or gives as nonsense, becomes `None` and is counted, never 0;
//! other numbers become `None`. The lengths of activities that are kept add up to less than 2^63 ns, and so do those of host
//! calls, so that every sum of them is exact.

use super::event::RawEvent;
use super::losses::{Kind, Losses};
use super::scan::{Cursor, Text, elements};
use super::unescape::unescape;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use kforge_trace::{
    Activity, ActivityKind, Arrow, HostEvent, Lane, LaneId, LaunchShape, NameId, Thread, ThreadId, Trace,
    TraceBuilder,
};
use kforge_units::{Instant, Nanos, nanos_from_micros};

/// A longer event is absurd: no capture spans a week.
const LONGEST: Nanos = Nanos(7 * 86_400_000_000_000);

/// What an event is to the product, by its category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Activity(ActivityKind),
    Call,
    Op,
    Range,
    Frame,
    Other,
}

fn class(category: &[u8]) -> Class {
    match category {
        b"kernel" => Class::Activity(ActivityKind::Kernel),
        b"gpu_memcpy" | b"memcpy" => Class::Activity(ActivityKind::Copy),
        b"gpu_memset" | b"memset" => Class::Activity(ActivityKind::Fill),
        b"cuda_runtime"
        | b"cuda_driver"
        | b"hip_runtime"
        | b"runtime"
        | b"driver"
        | b"privateuse1_runtime"
        | b"privateuse1_driver"
        | b"mtia_runtime"
        | b"xpu_runtime" => Class::Call,
        b"cpu_op" | b"operator" => Class::Op,
        b"user_annotation" => Class::Range,
        b"python_function" => Class::Frame,
        _ if category.iter().any(u8::is_ascii_uppercase) => class(&category.to_ascii_lowercase()),
        _ => Class::Other,
    }
}

fn is_arrow(category: &[u8]) -> bool {
    matches!(category, b"ac2g" | b"async_cpu_to_gpu" | b"async")
}

/// Labels of a thread or lane as last seen, so that most events need no look-up.
#[derive(Debug)]
struct Last<Id> {
    labels: (Vec<u8>, Vec<u8>),
    id: Option<Id>,
}

impl<Id> Default for Last<Id> {
    fn default() -> Self {
        Self { labels: Default::default(), id: None }
    }
}

impl<Id: Copy> Last<Id> {
    fn hit(&self, first: &[u8], second: &[u8]) -> Option<Id> {
        self.id.filter(|_| self.labels.1 == second && self.labels.0 == first)
    }

    fn keep(&mut self, first: &[u8], second: &[u8], id: Id) {
        self.labels.0.clear();
        self.labels.0.extend_from_slice(first);
        self.labels.1.clear();
        self.labels.1.extend_from_slice(second);
        self.id = Some(id);
    }
}

/// Fills a trace with events.
#[derive(Debug, Default)]
pub(super) struct Filler {
    builder: TraceBuilder,
    /// What was lost so far.
    pub losses: Losses,
    scratch: Vec<u8>,
    last_thread: Last<ThreadId>,
    last_lane: Last<LaneId>,
    open: HashMap<ThreadId, Vec<Open>, FixedState>,
    /// The length of all activities so far.
    device_total: i64,
    /// The length of all host calls so far.
    call_total: i64,
}

/// A begin event that waits for its end: its own text, since the window moves on. An event that no row comes of keeps none.
#[derive(Debug)]
struct Open {
    text: Vec<u8>,
    start: Option<i64>,
    byte: u64,
}

impl Filler {
    /// The trace builder, for what the document says beside its events.
    pub(super) fn builder(&mut self) -> &mut TraceBuilder {
        &mut self.builder
    }

    /// The finished trace and the losses.
    pub(super) fn finish(mut self) -> (Trace, Losses) {
        let mut unpaired: Vec<Open> = std::mem::take(&mut self.open).into_values().flatten().collect();
        unpaired.sort_by_key(|open| open.byte);
        for open in unpaired.into_iter().filter(|open| !open.text.is_empty()) {
            self.losses.event(Kind::UnpairedBegin, open.byte);
            if let Ok(begin) = RawEvent::read(&mut Cursor::new(&open.text, 0)) {
                self.complete(&begin, None, open.byte);
            }
        }
        (self.builder.finish(), self.losses)
    }

    /// Takes one event whose text is `text` at position `byte`.
    pub(super) fn take(&mut self, event: &RawEvent<'_>, text: &[u8], byte: u64) {
        if event.foreign > 0 {
            self.losses.add(Kind::ForeignNumber, byte, u64::from(event.foreign), 0);
        }
        if event.commas > 0 {
            let at = byte + event.comma_at.map_or(0, u64::from);
            self.losses.add(Kind::StrayComma, at, u64::from(event.commas), 0);
        }
        if event.repeated > 0 {
            self.losses.event(Kind::RepeatedKey, byte);
        }
        let arrow = || is_arrow(&event.category.decoded());
        match event.phase {
            b'X' => {
                let length = event.dur.map(nanos_from_micros);
                self.complete(event, length, byte);
            }
            b's' if arrow() => self.arrow_start(event, byte),
            b'f' if arrow() => self.arrow_end(event, byte),
            b'B' => self.begin(event, text, byte),
            b'E' => self.end(event, byte),
            _ => {}
        }
    }

    fn complete(
        &mut self,
        event: &RawEvent<'_>,
        length: Option<Result<Nanos, kforge_units::DecimalError>>,
        byte: u64,
    ) {
        let category = event.category.decoded();
        let class = class(&category);
        if class == Class::Other {
            return self.nothing(&category, byte);
        }
        let start = event.ts.and_then(|text| nanos_from_micros(text).ok()).map(|ns| Instant(ns.get()));
        let usable = match (length, class) {
            (Some(Ok(length)), Class::Activity(_)) => summed(length, &mut self.device_total),
            (Some(Ok(length)), Class::Call) => summed(length, &mut self.call_total),
            (Some(Ok(length)), _) => usable(length),
            _ => None,
        };
        let Some(name) = self.name(event.name.unwrap_or_default(), byte) else {
            return self.losses.event(Kind::LostEvent, byte);
        };
        if let Class::Activity(kind) = class {
            if usable.is_none() {
                let kind = if length.is_none() { Kind::NoLength } else { Kind::BadLength };
                self.losses.event(kind, byte);
            }
            if start.is_none() {
                self.losses.event(Kind::NoStart, byte);
            }
            return self.activity(event, kind, name, start, usable, byte);
        }
        let (Some(start), Some(thread)) = (start, self.thread(event)) else {
            return self.losses.event(Kind::LostEvent, byte);
        };
        if usable.is_none() {
            let kind = if length.is_none() { Kind::NoHostLength } else { Kind::BadHostLength };
            self.losses.event(kind, byte);
        }
        let mut row =
            HostEvent { name, thread, start, length: usable, correlation: None, external: None, stack: None };
        let held = match class {
            Class::Call => {
                row.correlation = integer(event.arguments.correlation);
                row.external = integer(event.arguments.external);
                self.builder.call(row)
            }
            Class::Op => {
                row.external = integer(event.arguments.external);
                row.stack = event.arguments.stack.and_then(|text| self.stack(text));
                self.builder.op(row)
            }
            Class::Range => self.builder.range(row),
            Class::Frame => self.builder.frame(row),
            Class::Activity(_) | Class::Other => true,
        };
        if !held {
            self.losses.event(Kind::LostEvent, byte);
        }
    }

    fn activity(
        &mut self,
        event: &RawEvent<'_>,
        kind: ActivityKind,
        name: NameId,
        start: Option<Instant>,
        length: Option<Nanos>,
        byte: u64,
    ) {
        let arguments = &event.arguments;
        let device = arguments.device.or(event.pid).unwrap_or_default();
        let stream = arguments.stream.or(event.tid).unwrap_or_default();
        let Some(lane) = self.lane(device, stream) else {
            return self.losses.event(Kind::LostEvent, byte);
        };
        let shape = self.builder.shape(LaunchShape {
            grid: arguments.grid.and_then(triple),
            block: arguments.block.and_then(triple),
            registers: integer(arguments.registers).and_then(|value| u32::try_from(value).ok()),
            shared_bytes: integer(arguments.shared).and_then(|value| u32::try_from(value).ok()),
        });
        let held = self.builder.activity(Activity {
            kind,
            name,
            lane,
            start,
            length,
            correlation: integer(arguments.correlation),
            external: integer(arguments.external),
            shape,
            bytes: integer(arguments.bytes).and_then(|value| u64::try_from(value).ok()),
        });
        if !held {
            self.losses.event(Kind::LostEvent, byte);
        }
    }

    /// An event that no row comes of.
    fn nothing(&mut self, category: &[u8], byte: u64) {
        if category.iter().any(|byte| !(0x20..0x7f).contains(byte)) {
            self.losses.event(Kind::OddCategory, byte);
        }
    }

    fn begin(&mut self, event: &RawEvent<'_>, text: &[u8], byte: u64) {
        let category = event.category.decoded();
        let text = if class(&category) == Class::Other {
            self.nothing(&category, byte);
            &[]
        } else {
            text
        };
        let Some(thread) = self.thread(event) else {
            return self.losses.event(Kind::UnpairedBegin, byte);
        };
        let start = event.ts.and_then(|ts| nanos_from_micros(ts).ok()).map(Nanos::get);
        self.open.entry(thread).or_default().push(Open { text: text.to_vec(), start, byte });
    }

    fn end(&mut self, event: &RawEvent<'_>, byte: u64) {
        let opened = self.thread(event).and_then(|thread| self.open.get_mut(&thread)?.pop());
        let Some(opened) = opened else {
            return self.losses.event(Kind::UnpairedEnd, byte);
        };
        let end = event.ts.and_then(|ts| nanos_from_micros(ts).ok()).map(Nanos::get);
        let length = match (opened.start, end) {
            (Some(start), Some(end)) => Some(Ok(Nanos(end.saturating_sub(start)))),
            _ => None,
        };
        // The begin event was read once already, so it reads again.
        if let Ok(begin) = RawEvent::read(&mut Cursor::new(&opened.text, 0)) {
            self.complete(&begin, length, opened.byte);
        }
    }

    fn arrow_start(&mut self, event: &RawEvent<'_>, byte: u64) {
        match (integer(event.id), self.thread(event), instant(event)) {
            (Some(id), Some(place), Some(at)) => self.builder.arrow_start(Arrow { id, place, at }),
            _ => self.losses.event(Kind::LostArrow, byte),
        }
    }

    fn arrow_end(&mut self, event: &RawEvent<'_>, byte: u64) {
        let place = self.lane(event.pid.unwrap_or_default(), event.tid.unwrap_or_default());
        match (integer(event.id), place, instant(event)) {
            (Some(id), Some(place), Some(at)) => self.builder.arrow_end(Arrow { id, place, at }),
            _ => self.losses.event(Kind::LostArrow, byte),
        }
    }

    fn thread(&mut self, event: &RawEvent<'_>) -> Option<ThreadId> {
        let (pid, tid) = (event.pid.unwrap_or_default(), event.tid.unwrap_or_default());
        if let Some(known) = self.last_thread.hit(pid, tid) {
            return Some(known);
        }
        let process = self.label(pid)?;
        let thread = self.label(tid)?;
        let id = self.builder.thread(Thread { process, thread })?;
        self.last_thread.keep(pid, tid, id);
        Some(id)
    }

    fn lane(&mut self, device: &[u8], stream: &[u8]) -> Option<LaneId> {
        if let Some(known) = self.last_lane.hit(device, stream) {
            return Some(known);
        }
        let row = Lane { device: self.label(device)?, stream: self.label(stream)? };
        let id = self.builder.lane(row)?;
        self.last_lane.keep(device, stream, id);
        Some(id)
    }

    /// A label of a process, thread, device or stream: `7`, `"7"` and `"stream 7"` are one.
    fn label(&mut self, raw: &[u8]) -> Option<NameId> {
        let text = raw.strip_prefix(b"stream ").unwrap_or(raw).trim_ascii();
        self.builder.name(text).map(|(id, _)| id)
    }

    fn name(&mut self, text: Text<'_>, byte: u64) -> Option<NameId> {
        if !text.escaped {
            let (id, new) = self.builder.name(text.raw)?;
            if new {
                inspect(text.raw, byte, &mut self.losses);
            }
            return Some(id);
        }
        let foreign = unescape(text.raw, &mut self.scratch);
        let (id, new) = self.builder.name(&self.scratch)?;
        if new {
            inspect(text.raw, byte, &mut self.losses);
            if foreign {
                self.losses.event(Kind::InvalidEscape, byte);
            }
        }
        Some(id)
    }

    fn stack(&mut self, text: Text<'_>) -> Option<kforge_trace::StackId> {
        if text.raw.is_empty() {
            return None;
        }
        if !text.escaped {
            return self.builder.stack(text.raw);
        }
        unescape(text.raw, &mut self.scratch);
        self.builder.stack(&self.scratch)
    }
}

/// Counts what JSON does not allow inside a name. Called for distinct names only.
fn inspect(raw: &[u8], byte: u64, losses: &mut Losses) {
    if raw.iter().any(|byte| *byte < 0x20) {
        losses.event(Kind::ControlCharacter, byte);
    }
    if std::str::from_utf8(raw).is_err() {
        losses.event(Kind::InvalidUtf8, byte);
    }
}

/// A length that an event can have.
fn usable(length: Nanos) -> Option<Nanos> {
    (Nanos::ZERO..=LONGEST).contains(&length).then_some(length)
}

/// A length that an event can have and that the sum of all can still take.
fn summed(length: Nanos, total: &mut i64) -> Option<Nanos> {
    let length = usable(length)?;
    *total = total.checked_add(length.get())?;
    Some(length)
}

fn instant(event: &RawEvent<'_>) -> Option<Instant> {
    event.ts.and_then(|text| nanos_from_micros(text).ok()).map(|ns| Instant(ns.get()))
}

/// A whole number; what has a fraction, an exponent or too many digits is none.
fn integer(token: Option<&[u8]>) -> Option<i64> {
    let token = token?;
    let (negative, digits) = match token {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, token),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut value: i64 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    Some(if negative { -value } else { value })
}

/// `[x, y, z]` of whole numbers.
fn triple(array: &[u8]) -> Option<[u32; 3]> {
    let mut parts = [None; 3];
    let mut index = 0;
    elements(array, |value| {
        if let Some(slot) = parts.get_mut(index) {
            *slot = integer(value.token()).and_then(|number| u32::try_from(number).ok());
        }
        index += 1;
    });
    if index != 3 {
        return None;
    }
    Some([parts[0]?, parts[1]?, parts[2]?])
}
