//! One trace event, as slices of the window.
//!
//! Keys may come in any order, and of a key written twice the last one counts, as JSON readers have it. Where two keys of
//! the event itself contradict earlier ones, two events ran into each other, and neither is believed.

use super::scan::{Cursor, Scan, Stop, Text, Value};

/// The arguments that the product reads; everything else is skipped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arguments<'a> {
    pub device: Option<&'a [u8]>,
    pub stream: Option<&'a [u8]>,
    pub correlation: Option<&'a [u8]>,
    pub external: Option<&'a [u8]>,
    pub grid: Option<&'a [u8]>,
    pub block: Option<&'a [u8]>,
    pub registers: Option<&'a [u8]>,
    pub shared: Option<&'a [u8]>,
    pub bytes: Option<&'a [u8]>,
    pub stack: Option<Text<'a>>,
}

/// One event, unread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RawEvent<'a> {
    /// The phase letter; 0 where there is none.
    pub phase: u8,
    pub category: Text<'a>,
    pub name: Option<Text<'a>>,
    pub pid: Option<&'a [u8]>,
    pub tid: Option<&'a [u8]>,
    pub ts: Option<&'a [u8]>,
    pub dur: Option<&'a [u8]>,
    pub id: Option<&'a [u8]>,
    pub arguments: Arguments<'a>,
    /// Bare words that JSON does not know (`inf`, `NaN`).
    pub foreign: u32,
    /// Commas where none may stand, and places without the one that must.
    pub commas: u32,
    /// Where in the event the first of those is.
    pub comma_at: Option<u32>,
    /// Keys of the event itself that contradict an earlier one.
    pub repeated: u32,
}

impl<'a> RawEvent<'a> {
    /// Reads the event whose `{` is at the cursor, and leaves the cursor behind its `}`.
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Scan<Self> {
        let mut event = Self::default();
        let start = cursor.at;
        cursor.expect(b'{')?;
        if cursor.next_solid()? == b'}' {
            cursor.at += 1;
            return Ok(event);
        }
        loop {
            let key = cursor.string()?;
            cursor.expect(b':')?;
            let decoded = key.decoded();
            if decoded.as_ref() == b"args" && cursor.next_solid()? == b'{' {
                event.read_arguments(cursor, start)?;
            } else {
                let value = cursor.value()?;
                event.foreign += u32::from(value.is_foreign());
                event.member(&decoded, value);
                if event.repeated > 1 {
                    return Err(Stop::Merged);
                }
            }
            if event.ends(cursor, start)? {
                return Ok(event);
            }
        }
    }

    /// Takes a member of the event.
    pub(super) fn member(&mut self, key: &[u8], value: Value<'a>) {
        let contradicts = match key {
            b"ph" => {
                let phase = match value {
                    Value::Text(text) if text.decoded().len() == 1 => text.decoded()[0],
                    Value::Text(_) | Value::Bare(_) | Value::Nested(_) => 0,
                };
                let before = std::mem::replace(&mut self.phase, phase);
                before != 0 && before != phase
            }
            b"cat" => {
                let Value::Text(category) = value else { return };
                let before = std::mem::replace(&mut self.category, category);
                !before.raw.is_empty() && before != category
            }
            b"name" => match value {
                Value::Text(name) => self.name.replace(name).is_some_and(|before| before != name),
                Value::Bare(_) | Value::Nested(_) => return,
            },
            b"pid" => replace(&mut self.pid, value),
            b"tid" => replace(&mut self.tid, value),
            b"ts" => replace(&mut self.ts, value),
            b"dur" => replace(&mut self.dur, value),
            b"id" => replace(&mut self.id, value),
            _ => return,
        };
        self.repeated += u32::from(contradicts);
    }

    /// Goes past what follows a member: true where it is the end of the object. A missing comma is one only where the next
    /// member's key follows; everything else is no JSON, and repaired or refused elsewhere.
    #[inline]
    fn ends(&mut self, cursor: &mut Cursor<'a>, start: usize) -> Scan<bool> {
        match cursor.next_solid()? {
            b',' => {
                let comma = cursor.at;
                cursor.at += 1;
                if cursor.next_solid()? != b'}' {
                    return Ok(false);
                }
                cursor.at += 1;
                self.odd_comma(comma - start);
                Ok(true)
            }
            b'}' => {
                cursor.at += 1;
                Ok(true)
            }
            b'"' => {
                self.odd_comma(cursor.at - start);
                Ok(false)
            }
            _ => Err(Stop::Bad(cursor.at)),
        }
    }

    #[cold]
    fn odd_comma(&mut self, inside: usize) {
        self.commas += 1;
        self.comma_at.get_or_insert(u32::try_from(inside).unwrap_or(u32::MAX));
    }

    fn read_arguments(&mut self, cursor: &mut Cursor<'a>, start: usize) -> Scan<()> {
        cursor.expect(b'{')?;
        if cursor.next_solid()? == b'}' {
            cursor.at += 1;
            return Ok(());
        }
        loop {
            let key = cursor.string()?;
            cursor.expect(b':')?;
            let value = cursor.value()?;
            self.foreign += u32::from(value.is_foreign());
            self.argument(&key.decoded(), value);
            if self.ends(cursor, start)? {
                return Ok(());
            }
        }
    }

    /// Takes an argument that the product reads.
    pub(super) fn argument(&mut self, key: &[u8], value: Value<'a>) {
        let arguments = &mut self.arguments;
        match key {
            b"device" => arguments.device = value.token(),
            b"stream" => arguments.stream = value.token(),
            b"correlation" => arguments.correlation = value.token(),
            b"External id" | b"external id" => arguments.external = value.token(),
            b"grid" => arguments.grid = nested(value),
            b"block" => arguments.block = nested(value),
            b"registers per thread" => arguments.registers = value.token(),
            b"shared memory" => arguments.shared = value.token(),
            b"bytes" => arguments.bytes = value.token(),
            b"Call stack" => {
                if let Value::Text(text) = value {
                    arguments.stack = Some(text);
                }
            }
            _ => {}
        }
    }
}

/// Puts the value's token in; true where another one was there.
fn replace<'a>(slot: &mut Option<&'a [u8]>, value: Value<'a>) -> bool {
    let before = std::mem::replace(slot, value.token());
    before.is_some() && before != *slot
}

fn nested(value: Value<'_>) -> Option<&[u8]> {
    match value {
        Value::Nested(bytes) => Some(bytes),
        Value::Text(_) | Value::Bare(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Scan<RawEvent<'_>> {
        RawEvent::read(&mut Cursor::new(text.as_bytes(), 0))
    }

    #[test]
    fn keys_may_come_in_any_order() {
        let event =
            read(r#"{"args": {"stream": 7, "x": {"stream": 9}}, "dur": "3", "ts": 1.5, "ph": "X"}"#).unwrap();
        assert_eq!((event.phase, event.ts, event.dur), (b'X', Some(&b"1.5"[..]), Some(&b"3"[..])));
        assert_eq!(event.arguments.stream, Some(&b"7"[..]));
    }

    #[test]
    fn of_a_key_written_twice_the_last_counts_and_two_mean_two_events() {
        let event = read(r#"{"ph": "X", "ts": 1, "ts": 2}"#).unwrap();
        assert_eq!((event.ts, event.repeated), (Some(&b"2"[..]), 1));
        assert_eq!(read(r#"{"ph": "X", "ts": 1, "dur": 4, "ts": 2, "dur": 3}"#).unwrap_err(), Stop::Merged);
        assert_eq!(read(r#"{"ph": "X", "ts": 1, "ts": 1}"#).unwrap().repeated, 0);
    }

    #[test]
    fn keys_and_categories_may_be_escaped() {
        let event = read(r#"{"\u0070h": "X", "c\u0061t": "k\u0065rnel"}"#).unwrap();
        assert_eq!((event.phase, event.category.decoded().as_ref()), (b'X', &b"kernel"[..]));
    }

    #[test]
    fn bare_infinity_and_trailing_commas_are_counted() {
        let event = read(r#"{"ph": "X", "args": {"memory bandwidth (GB/s)": inf,},}"#).unwrap();
        assert_eq!((event.foreign, event.commas), (1, 2));
    }

    #[test]
    fn an_unescaped_quote_is_not_read_past() {
        assert!(matches!(read(r#"{"name": "print("x")", "ph": "X"}"#), Err(Stop::Bad(_))));
    }
}
