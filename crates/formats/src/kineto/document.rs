//! The document around the events: finds the event array, steps over what is broken, and knows when the text ends early.

use super::ahead::Ahead;
use super::commas::Commas;
use super::event::RawEvent;
use super::fill::Filler;
use super::lenient::{self, list, nested_events};
use super::losses::Kind;
use super::metadata;
use super::patience::{LONGEST, Patience};
use super::scan::{Cursor, Stop};
use super::skip::Skip;
use crate::gunzip::Trailing;
use crate::pump::{Window, pump};
use crate::recognise::{Likeness, foreign_array, foreign_object, foreign_text};
use crate::{Bundle, Error, Observer, ReadNote};
use kforge_trace::Trace;

/// How much of the beginning is kept to say what a file looks like.
const HEAD: usize = 4096;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads one member of a bundle as a capture.
///
/// # Errors
/// [`Error::NotACapture`] where the content is something else, [`Error::Io`] where nothing can be read,
/// [`Error::Interrupted`] where the observer asked to stop. Damage is not an error but a note.
pub fn read(
    bundle: &dyn Bundle,
    member: usize,
    observer: &dyn Observer,
) -> Result<(Trace, Vec<ReadNote>), Error> {
    let file = bundle.members().get(member).map(|member| member.name.clone()).unwrap_or_default();
    let pass = |state: State| {
        let source = bundle.open(member).map_err(|source| Error::Io { file: file.clone(), source })?;
        std::thread::scope(|scope| {
            Document::new(file.clone(), pump(scope, source, &file)?, state).run(observer)
        })
    };
    match pass(State::Head) {
        // Damage before the events can hide them from a reader that follows the grammar: look for them by their key.
        Err(error @ Error::NotACapture { .. }) => match pass(State::Search) {
            Err(Error::NotACapture { .. }) => Err(error),
            other => other,
        },
        other => other,
    }
}

/// Where in the document the window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first byte that says what it is.
    Head,
    /// Before the key of the events, after a first pass that the grammar led astray.
    Search,
    /// Inside the top-level object, before a key or its end.
    Keys,
    /// Before a top-level value that is skipped as it streams by.
    Skip(Skip),
    /// Among the events; `array` tells whether a `]` ends them, `object` whether keys follow it.
    Events { array: bool, object: bool },
    /// Behind the document.
    Done,
}

/// Whether a step used the window up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Go,
    NeedMore,
}

struct Document {
    file: String,
    window: Window,
    state: State,
    filler: Filler,
    head: Vec<u8>,
    keys: Vec<String>,
    phased: u64,
    shape: Shape,
    commas: Commas,
    has_events: bool,
    foreign_elements: bool,
    patience: Patience,
    next_event: Ahead,
    next_list: Ahead,
}

/// What the outermost JSON value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Unknown,
    Object,
    Array,
    Fragment,
    NoJson,
}

impl Document {
    fn new(file: String, window: Window, state: State) -> Self {
        Self {
            file,
            window,
            state,
            filler: Filler::default(),
            head: Vec::new(),
            keys: Vec::new(),
            phased: 0,
            shape: Shape::Unknown,
            commas: Commas::default(),
            has_events: false,
            foreign_elements: false,
            patience: Patience::default(),
            next_event: Ahead::default(),
            next_list: Ahead::default(),
        }
    }

    fn run(mut self, observer: &dyn Observer) -> Result<(Trace, Vec<ReadNote>), Error> {
        loop {
            let step = match self.state {
                State::Head => self.head(),
                State::Search => self.search(),
                State::Keys => self.keys(),
                State::Skip(skip) => self.skip(skip),
                State::Events { array, object } => self.events(array, object),
                State::Done => self.trailing(),
            };
            if self.shape == Shape::NoJson {
                break;
            }
            if step == Step::NeedMore {
                if self.window.ended() {
                    break;
                }
                self.window.refill();
                observer.bytes_read(self.window.offset());
                if observer.cancelled() {
                    return Err(Error::Interrupted { file: self.file });
                }
            }
        }
        self.finish()
    }

    fn finish(mut self) -> Result<(Trace, Vec<ReadNote>), Error> {
        let broken = self.window.broken();
        let empty = self.head.is_empty() && self.window.bytes().is_empty();
        if let Some(broken) = broken {
            if empty && !broken.packed {
                return Err(Error::Io { file: self.file, source: broken.source });
            }
            let end = self.window.offset() + self.window.bytes().len() as u64;
            let kind = if broken.packed { Kind::BrokenGzip } else { Kind::Unreadable };
            let whole = self.state == State::Done && broken.packed;
            let kind = if whole { Kind::Trailing } else { kind };
            let junk = broken.source.get_ref().and_then(|inner| inner.downcast_ref::<Trailing>());
            let (at, bytes) = match junk {
                Some(junk) if whole => (junk.at, junk.bytes),
                _ => (end, 0),
            };
            self.filler.losses.detailed(kind, at, bytes, broken.source.to_string());
        }
        if let Some(likeness) = self.not_a_capture() {
            return Err(Error::NotACapture {
                file: self.file,
                looks_like: likeness.looks_like,
                cure: likeness.cure,
            });
        }
        let rest = self.window.bytes().trim_ascii().len() as u64;
        let early = match self.state {
            State::Done => false,
            State::Events { array, .. } => array || rest > 0,
            State::Head | State::Search | State::Keys | State::Skip(_) => true,
        };
        if early {
            self.filler.losses.add(Kind::TruncatedText, self.window.offset(), 0, rest);
        }
        if self.shape == Shape::Fragment {
            self.filler.losses.add(Kind::NoArray, 0, 0, 0);
        }
        let (trace, losses) = self.filler.finish();
        Ok((trace, losses.notes()))
    }

    /// What the content is instead of a capture, where it is none.
    fn not_a_capture(&self) -> Option<Likeness> {
        match self.shape {
            Shape::Unknown | Shape::NoJson => Some(foreign_text(&self.head)),
            _ if self.phased > 0 => None,
            Shape::Object if self.has_events && !self.foreign_elements => None,
            Shape::Array => Some(foreign_array(&self.head)),
            Shape::Object | Shape::Fragment => Some(foreign_object(&self.keys)),
        }
    }

    fn head(&mut self) -> Step {
        if self.window.bytes().len() < HEAD && !self.window.ended() {
            return Step::NeedMore;
        }
        let bytes = self.window.bytes();
        self.head = bytes[..bytes.len().min(HEAD)].to_vec();
        let bom = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let mut cursor = Cursor::new(bytes, bom);
        let Ok(first) = cursor.next_solid() else {
            // Nothing but white space so far: that is an empty file, unless more follows.
            let blank = bytes.len();
            self.window.consume(blank);
            return Step::NeedMore;
        };
        let at = cursor.at;
        match first {
            b'[' => {
                self.shape = Shape::Array;
                self.state = State::Events { array: true, object: false };
                self.window.consume(at + 1);
            }
            b'{' if lenient::next_event(bytes, at) == Some(at) && is_whole_event(bytes, at) => {
                self.shape = Shape::Fragment;
                self.state = State::Events { array: false, object: false };
                self.window.consume(at);
            }
            b'{' => {
                self.shape = Shape::Object;
                self.state = State::Keys;
                self.window.consume(at + 1);
            }
            _ => self.shape = Shape::NoJson,
        }
        Step::Go
    }

    /// Looks for `"traceEvents": [` wherever it stands.
    fn search(&mut self) -> Step {
        let bytes = self.window.bytes();
        if let Some(events) = nested_events(bytes) {
            self.filler.losses.add(Kind::SkippedBytes, 0, 0, self.window.offset() + events as u64);
            self.window.consume(events);
            self.shape = Shape::Object;
            self.has_events = true;
            self.state = State::Events { array: true, object: true };
            return Step::Go;
        }
        // The key, its colon and its bracket may straddle two windows.
        let keep = if self.window.ended() { 0 } else { 256.min(bytes.len()) };
        let searched = bytes.len() - keep;
        self.window.consume(searched);
        Step::NeedMore
    }

    fn keys(&mut self) -> Step {
        let bytes = self.window.bytes();
        let mut cursor = Cursor::new(bytes, 0);
        let Ok(first) = cursor.next_solid() else { return Step::NeedMore };
        match first {
            b',' => {
                let at = cursor.at + 1;
                self.window.consume(at);
                return Step::Go;
            }
            b'}' => {
                let at = cursor.at + 1;
                self.window.consume(at);
                self.state = State::Done;
                return Step::Go;
            }
            _ => {}
        }
        let member = cursor.string().and_then(|key| {
            cursor.expect(b':')?;
            Ok((key.raw, cursor.next_solid()?, cursor.at))
        });
        let (key, opening, value_at) = match member {
            Ok(member) => member,
            Err(Stop::NeedMore) if bytes.len() < LONGEST && !self.window.ended() => return Step::NeedMore,
            Err(_) => return self.hunt(),
        };
        let held = self.keys.len();
        if held < 64 {
            self.keys.push(String::from_utf8_lossy(&key[..key.len().min(80)]).into_owned());
        }
        if key == b"traceEvents" && opening == b'[' {
            self.state = State::Events { array: true, object: true };
            self.commas = Commas::default();
            self.has_events = true;
            self.window.consume(value_at + 1);
            return Step::Go;
        }
        if metadata::wants(key) && bytes.len() < LONGEST {
            match cursor.value() {
                Ok(value) => {
                    metadata::take(self.filler.builder().facts(), key, value);
                    let at = cursor.at;
                    self.window.consume(at);
                    return Step::Go;
                }
                Err(Stop::NeedMore) if !self.window.ended() => {
                    self.keys.truncate(held);
                    return Step::NeedMore;
                }
                Err(_) => {}
            }
        }
        self.state = State::Skip(Skip::default());
        self.window.consume(value_at);
        Step::Go
    }

    /// Skips a value as it streams by.
    fn skip(&mut self, mut skip: Skip) -> Step {
        if let Some(end) = skip.advance(self.window.bytes()) {
            self.window.consume(end);
            self.state = State::Keys;
            return Step::Go;
        }
        let all = self.window.bytes().len();
        self.window.consume(all);
        self.state = State::Skip(skip);
        Step::NeedMore
    }

    fn events(&mut self, array: bool, object: bool) -> Step {
        let bytes = self.window.bytes();
        let offset = self.window.offset();
        let patience = self.patience.at(offset);
        let mut at = 0;
        loop {
            let near = &bytes[..bytes.len().min(at + patience)];
            let mut cursor = Cursor::new(near, at);
            let Ok(first) = cursor.next_solid() else {
                self.window.consume(cursor.at);
                return Step::NeedMore;
            };
            let start = cursor.at;
            match first {
                b'{' => match RawEvent::read(&mut cursor) {
                    Ok(event) if event.phase == 0 && nested_events(&bytes[start..cursor.at]).is_some() => {
                        self.patience.in_vain(cursor.at - start);
                        self.window.consume(start);
                        return self.descend();
                    }
                    Ok(event) => {
                        self.foreign_elements |= event.phase == 0;
                        self.phased += u64::from(event.phase != 0);
                        // Events without an array around them need no commas: they may be lines.
                        if self.commas.event() && array {
                            self.filler.losses.event(Kind::StrayComma, offset + start as u64);
                        }
                        self.filler.take(&event, &bytes[start..cursor.at], offset + start as u64);
                        at = cursor.at;
                    }
                    Err(stop) => {
                        let scanned = match stop {
                            Stop::Bad(at) => at - start,
                            Stop::NeedMore => near.len() - start,
                            Stop::Merged => 0,
                        };
                        self.window.consume(start);
                        return self.recover(stop, scanned);
                    }
                },
                b',' => {
                    if self.commas.comma() {
                        self.filler.losses.event(Kind::StrayComma, offset + start as u64);
                    }
                    at = start + 1;
                }
                b']' if array => {
                    if self.commas.closing() {
                        self.filler.losses.event(Kind::StrayComma, offset + start as u64);
                    }
                    self.window.consume(start + 1);
                    self.state = if object { State::Keys } else { State::Done };
                    return Step::Go;
                }
                _ => {
                    self.window.consume(start);
                    self.foreign_elements = true;
                    return self.hunt();
                }
            }
        }
    }

    /// The window begins with an event that could not be read: repairs it, steps over it, or asks for the rest of it.
    /// `scanned` bytes of it were read to find that out.
    fn recover(&mut self, stop: Stop, scanned: usize) -> Step {
        let bytes = self.window.bytes();
        let offset = self.window.offset();
        let patience = self.patience.at(offset);
        let near = &bytes[..bytes.len().min(patience)];
        let mut whole = Cursor::new(near, 0);
        if stop == Stop::Merged && whole.value().is_ok() {
            // The object is complete, so nothing inside it is taken for another event.
            let length = whole.at;
            self.filler.losses.add(Kind::DamagedEvent, offset, 1, length as u64);
            self.window.consume(length);
            self.commas.damage();
            return Step::Go;
        }
        if !lenient::begins_event(bytes, 0)
            && self
                .next_list
                .find(bytes, offset, 0, |text, from| Some(from + list(&text[from..])?.0))
                .is_some()
        {
            self.patience.in_vain(scanned);
            return self.descend();
        }
        let last_chance = self.window.ended() || bytes.len() >= patience;
        if stop == Stop::NeedMore && !last_chance {
            return Step::NeedMore;
        }
        self.patience.in_vain(if stop == Stop::Merged { near.len() } else { scanned });
        let next = self.next_event.find(bytes, offset, 1, lenient::next_event);
        let all_seen = self.window.ended() && near.len() == bytes.len();
        let end = match next {
            Some(next) => next,
            None if !last_chance => return Step::NeedMore,
            // The last event of a text that ends early; a quote too many makes a whole one look like that.
            None if stop == Stop::NeedMore && all_seen && lenient::read(bytes).is_none() => {
                return Step::NeedMore;
            }
            None => bytes.len(),
        };
        if let Some((event, used)) = lenient::read(&bytes[..end]) {
            self.phased += u64::from(event.phase != 0);
            self.filler.losses.event(Kind::RepairedEvent, offset);
            self.filler.take(&event, &bytes[..used], offset);
            self.window.consume(used);
        } else {
            self.filler.losses.add(Kind::DamagedEvent, offset, 1, end as u64);
            self.window.consume(end);
        }
        self.commas.damage();
        Step::Go
    }

    /// The window begins with a whole document among the events, as a second writer leaves it: goes on with its events.
    fn descend(&mut self) -> Step {
        if let Some(events) = nested_events(self.window.bytes()) {
            self.filler.losses.add(Kind::SkippedBytes, self.window.offset(), 0, events as u64);
            self.window.consume(events);
            self.commas = Commas::default();
        }
        Step::Go
    }

    /// The window begins with something that belongs nowhere: steps to the next event.
    fn hunt(&mut self) -> Step {
        let bytes = self.window.bytes();
        let offset = self.window.offset();
        if let Some(next) = lenient::next_event(bytes, 0) {
            if next > 0 {
                self.filler.losses.add(Kind::SkippedBytes, offset, 0, next as u64);
            }
            self.window.consume(next);
            self.commas.damage();
            let object = self.shape == Shape::Object;
            self.state = State::Events { array: self.shape != Shape::Fragment, object };
            return Step::Go;
        }
        // A brace near the end may begin an event whose first key is not here yet.
        let keep = if self.window.ended() { 0 } else { 256.min(bytes.len()) };
        let skipped = bytes.len() - keep;
        if skipped > 0 {
            self.filler.losses.add(Kind::SkippedBytes, offset, 0, skipped as u64);
            self.window.consume(skipped);
        }
        Step::NeedMore
    }

    fn trailing(&mut self) -> Step {
        let bytes = self.window.bytes();
        let solid = bytes.trim_ascii().len() as u64;
        if solid > 0 && bytes.iter().any(|byte| *byte != 0) {
            if self.shape == Shape::Object && lenient::next_event(bytes, 0).is_some() {
                // A second document, or one run into the first: its events are worth reading.
                return self.hunt();
            }
            self.filler.losses.add(Kind::Trailing, self.window.offset(), 0, solid);
        }
        let all = bytes.len();
        self.window.consume(all);
        Step::NeedMore
    }
}

/// True where the event at `at` reads as a whole and has a phase, so that it is an event and not a document.
fn is_whole_event(bytes: &[u8], at: usize) -> bool {
    RawEvent::read(&mut Cursor::new(bytes, at)).is_ok_and(|event| event.phase != 0)
}
