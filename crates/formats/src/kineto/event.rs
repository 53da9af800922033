//! One trace event, as slices of the window.
//!
//! Keys may come in any order. A key of the event itself that is written twice with different values means that two
//! events ran into each other, and the event is not believed; inside `args` the last one wins.

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
    pub category: &'a [u8],
    pub name: Option<Text<'a>>,
    pub pid: Option<&'a [u8]>,
    pub tid: Option<&'a [u8]>,
    pub ts: Option<&'a [u8]>,
    pub dur: Option<&'a [u8]>,
    pub id: Option<&'a [u8]>,
    pub arguments: Arguments<'a>,
    /// Bare words that JSON does not know (`inf`, `NaN`).
    pub foreign: u32,
    /// Commas where none may stand.
    pub commas: u32,
}

impl<'a> RawEvent<'a> {
    /// Reads the event whose `{` is at the cursor, and leaves the cursor behind its `}`.
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Scan<Self> {
        let mut event = Self::default();
        cursor.expect(b'{')?;
        if cursor.next_solid()? == b'}' {
            cursor.at += 1;
            return Ok(event);
        }
        loop {
            let at = cursor.at;
            let key = cursor.string()?;
            cursor.expect(b':')?;
            if key.raw == b"args" && cursor.next_solid()? == b'{' {
                event.read_arguments(cursor)?;
            } else {
                let value = cursor.value()?;
                event.foreign += u32::from(value.is_foreign());
                event.member(key.raw, value).map_err(|()| Stop::Bad(at))?;
            }
            match cursor.next_solid()? {
                b',' => {
                    cursor.at += 1;
                    if cursor.next_solid()? == b'}' {
                        cursor.at += 1;
                        event.commas += 1;
                        return Ok(event);
                    }
                }
                b'}' => {
                    cursor.at += 1;
                    return Ok(event);
                }
                _ => return Err(Stop::Bad(cursor.at)),
            }
        }
    }

    /// Takes a member of the event; an error means that it contradicts one that was there.
    pub(super) fn member(&mut self, key: &[u8], value: Value<'a>) -> Result<(), ()> {
        fn once<'a>(slot: &mut Option<&'a [u8]>, token: Option<&'a [u8]>) -> Result<(), ()> {
            if slot.is_some() && *slot != token {
                return Err(());
            }
            *slot = token;
            Ok(())
        }
        match key {
            b"ph" => {
                let phase = match value.token() {
                    Some([letter]) => *letter,
                    _ => 0,
                };
                if self.phase != 0 && self.phase != phase {
                    return Err(());
                }
                self.phase = phase;
            }
            b"cat" => self.category = value.token().unwrap_or_default(),
            b"name" => {
                let Value::Text(name) = value else { return Ok(()) };
                if self.name.is_some_and(|known| known != name) {
                    return Err(());
                }
                self.name = Some(name);
            }
            b"pid" => return once(&mut self.pid, value.token()),
            b"tid" => return once(&mut self.tid, value.token()),
            b"ts" => return once(&mut self.ts, value.token()),
            b"dur" => return once(&mut self.dur, value.token()),
            b"id" => self.id = value.token(),
            _ => {}
        }
        Ok(())
    }

    fn read_arguments(&mut self, cursor: &mut Cursor<'a>) -> Scan<()> {
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
            self.argument(key.raw, value);
            match cursor.next_solid()? {
                b',' => {
                    cursor.at += 1;
                    if cursor.next_solid()? == b'}' {
                        cursor.at += 1;
                        self.commas += 1;
                        return Ok(());
                    }
                }
                b'}' => {
                    cursor.at += 1;
                    return Ok(());
                }
                _ => return Err(Stop::Bad(cursor.at)),
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
    fn a_contradicting_key_means_two_events_ran_into_each_other() {
        assert!(matches!(read(r#"{"ph": "X", "ts": 1, "ts": 2}"#), Err(Stop::Bad(_))));
        assert!(read(r#"{"ph": "X", "ts": 1, "ts": 1}"#).is_ok());
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
