//! Reads an event whose quoting is broken: an unescaped quote inside a name, a quote that is missing.
//!
//! A quote ends a string only where what follows looks like JSON going on: `,` and another key, or the end of the
//! object. The grammar is otherwise that of an event. What still does not fit, or names a key twice with different
//! values, is refused: a guess must not become a measurement.

use super::event::RawEvent;
use super::scan::{Cursor, Text, Value};

/// Keys with which an event may begin.
const FIRST_KEYS: [&[u8]; 11] =
    [b"ph", b"cat", b"name", b"pid", b"tid", b"ts", b"dur", b"id", b"s", b"bp", b"args"];

/// The key of the list of events.
const LIST: &[u8] = b"\"traceEvents\"";

/// Where the first `"traceEvents": [` of a text is, and where the list behind it begins.
pub(super) fn list(text: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(text, LIST).find_map(|key| {
        let mut cursor = Cursor::new(text, key + LIST.len());
        cursor.expect(b':').and_then(|()| cursor.expect(b'[')).ok().map(|()| (key, cursor.at))
    })
}

/// Where in a text the list behind its first `"traceEvents": [` begins.
pub(super) fn nested_events(text: &[u8]) -> Option<usize> {
    list(text).map(|(_, events)| events)
}

/// Where in `text`, from `from`, an event plausibly begins: a brace, then one of an event's keys, and not as the value
/// of a key.
pub(super) fn next_event(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr::memchr(b'{', text.get(at..)?) {
        let brace = at + found;
        if begins_event(text, brace) && !follows_key(text, brace) {
            return Some(brace);
        }
        at = brace + 1;
    }
    None
}

/// True where the brace is followed by one of an event's keys.
pub(super) fn begins_event(text: &[u8], brace: usize) -> bool {
    let mut cursor = Cursor::new(text, brace + 1);
    let Ok(key) = cursor.string() else { return false };
    cursor.expect(b':').is_ok() && FIRST_KEYS.contains(&key.raw)
}

fn follows_key(text: &[u8], brace: usize) -> bool {
    text[..brace].iter().rev().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Reads the event in `text`, which begins with its brace and ends before the next event; the answer says how many
/// bytes it took.
pub(super) fn read(text: &[u8]) -> Option<(RawEvent<'_>, usize)> {
    let mut event = RawEvent::default();
    let used = object(text, 1, 0, &mut |key, value| {
        if key == b"args"
            && let Value::Nested(inside) = value
        {
            return object(inside, 1, 1, &mut |key, value| {
                event.argument(key, value);
                true
            })
            .is_some();
        }
        event.member(key, value);
        event.repeated == 0
    })?;
    (event.phase != 0).then_some((event, used))
}

/// Walks the members of the object whose brace is before `at`; the answer is the position behind its closing brace.
fn object<'a>(
    text: &'a [u8],
    at: usize,
    depth: u8,
    visit: &mut dyn FnMut(&'a [u8], Value<'a>) -> bool,
) -> Option<usize> {
    let mut cursor = Cursor::new(text, at);
    loop {
        match cursor.next_solid().ok()? {
            b'}' => return Some(cursor.at + 1),
            b',' => cursor.at += 1,
            b'"' => {
                let key = cursor.string().ok()?;
                cursor.expect(b':').ok()?;
                let value = value(text, &mut cursor, depth)?;
                if !visit(key.raw, value) {
                    return None;
                }
            }
            _ => return None,
        }
    }
}

/// The value at the cursor. Only the arguments (depth 0) are walked with lenient quotes; deeper nesting is skipped whole.
fn value<'a>(text: &'a [u8], cursor: &mut Cursor<'a>, depth: u8) -> Option<Value<'a>> {
    match cursor.next_solid().ok()? {
        b'"' => {
            let start = cursor.at + 1;
            let end = closing_quote(text, start)?;
            cursor.at = end + 1;
            let raw = &text[start..end];
            Some(Value::Text(Text { raw, escaped: raw.contains(&b'\\') }))
        }
        b'{' if depth == 0 => {
            let start = cursor.at;
            let end = object(text, start + 1, 1, &mut |_, _| true)?;
            cursor.at = end;
            Some(Value::Nested(&text[start..end]))
        }
        _ => {
            let value = cursor.value().ok()?;
            // `0"` is a number whose opening quote is missing.
            if matches!(value, Value::Bare(_)) && text.get(cursor.at) == Some(&b'"') {
                cursor.at += 1;
            }
            Some(value)
        }
    }
}

/// The first quote from `from` after which the text goes on as JSON does.
fn closing_quote(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let quote = at + memchr::memchr(b'"', text.get(at..)?)?;
        let escaped = text[from..quote].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
        if !escaped && goes_on(text, quote + 1) {
            return Some(quote);
        }
        at = quote + 1;
    }
}

fn goes_on(text: &[u8], at: usize) -> bool {
    let mut cursor = Cursor::new(text, at);
    match cursor.next_solid() {
        Ok(b'}') => true,
        Ok(b',') => {
            cursor.at += 1;
            if cursor.next_solid() == Ok(b'}') {
                return true;
            }
            cursor.string().is_ok_and(|key| !key.raw.contains(&b'\n')) && cursor.expect(b':').is_ok()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unescaped_quote_and_a_newline_stay_in_the_name() {
        let text = b"{\"ph\": \"X\", \"name\": \"print(\"a, b\")\n\", \"ts\": 5, \"args\": {\"stream\": 7}}";
        let (event, used) = read(text).unwrap();
        assert_eq!(event.name.unwrap().raw, b"print(\"a, b\")\n");
        assert_eq!((event.ts, event.arguments.stream), (Some(&b"5"[..]), Some(&b"7"[..])));
        assert_eq!(used, text.len());
    }

    #[test]
    fn a_missing_opening_quote_is_read_as_the_number() {
        let (event, _) = read(b"{\"ph\": \"X\", \"tid\": 0\", \"ts\": 1}").unwrap();
        assert_eq!((event.tid, event.ts), (Some(&b"0"[..]), Some(&b"1"[..])));
    }

    #[test]
    fn two_events_run_together_are_refused() {
        assert!(read(b"{\"ph\": \"X\", \"ts\": 1, \"ph\": \"X\", \"ts\": 2}").is_none());
        assert!(read(b"{\"ph\": \"X\", \"na{\"ph\": \"X\", \"ts\": 2}").is_none());
    }

    #[test]
    fn an_event_begins_at_a_brace_with_an_event_key_that_is_no_value() {
        let text = b"xx\"args\": {\"name\": \"t\"}}, {\"cat\": \"kernel\"}";
        let at = next_event(text, 0).unwrap();
        assert!(text[at..].starts_with(b"{\"cat\""));
        assert_eq!(next_event(b"{\"other\": 1}", 0), None);
    }
}
