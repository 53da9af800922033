//! The bytes of JSON, a token at a time, borrowed from the window.
//!
//! It accepts more than JSON does, since profilers write more: control characters and invalid UTF-8 inside strings, bare
//! words such as `inf` where a number stands. Who uses a token decides what that means.
//!
//! Invariant: nothing here recurses; nothing allocates but a text with escapes, where its characters are asked for; every
//! loop moves forward; running out of window is never an error.

use super::unescape::unescape;
use memchr::memchr2;
use std::borrow::Cow;

/// Why a scan stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The window ends inside the token.
    NeedMore,
    /// The byte at this position cannot stand here.
    Bad(usize),
    /// The object contradicts itself: two events ran into each other.
    Merged,
}

/// A scan's answer.
pub(super) type Scan<T> = Result<T, Stop>;

/// The inside of a string literal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Text<'a> {
    /// The bytes between the quotes, as written.
    pub raw: &'a [u8],
    /// True where they hold a backslash.
    pub escaped: bool,
}

impl<'a> Text<'a> {
    /// The characters it stands for.
    #[inline]
    pub(super) fn decoded(&self) -> Cow<'a, [u8]> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let mut characters = Vec::with_capacity(self.raw.len());
        unescape(self.raw, &mut characters);
        Cow::Owned(characters)
    }
}

/// A value, unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A string.
    Text(Text<'a>),
    /// A number, a literal, or a bare word.
    Bare(&'a [u8]),
    /// An array or object with everything in it.
    Nested(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The characters of a number or text, without quotes; `None` for null and nested values.
    pub(super) fn token(self) -> Option<&'a [u8]> {
        match self {
            Self::Text(text) => Some(text.raw),
            Self::Bare(b"null") | Self::Nested(_) => None,
            Self::Bare(bytes) => Some(bytes),
        }
    }

    /// True where a bare word is not one that JSON knows: a NaN or an infinity.
    pub(super) fn is_foreign(self) -> bool {
        match self {
            Self::Bare(word) => !is_standard(word),
            Self::Text(_) | Self::Nested(_) => false,
        }
    }
}

fn is_standard(word: &[u8]) -> bool {
    matches!(word, [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] | b"true" | b"false" | b"null")
}

/// A position in a window.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// The next byte.
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at `at`.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next byte that is not white space.
    #[inline]
    pub(super) fn next_solid(&mut self) -> Scan<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Ok(*byte);
            }
            self.at += 1;
        }
        Err(Stop::NeedMore)
    }

    /// Consumes `wanted` after white space.
    #[inline]
    pub(super) fn expect(&mut self, wanted: u8) -> Scan<()> {
        if self.next_solid()? == wanted {
            self.at += 1;
            Ok(())
        } else {
            Err(Stop::Bad(self.at))
        }
    }

    /// The string literal that begins at the cursor.
    #[inline]
    pub(super) fn string(&mut self) -> Scan<Text<'a>> {
        if self.next_solid()? != b'"' {
            return Err(Stop::Bad(self.at));
        }
        let start = self.at + 1;
        let mut from = start;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(from..).ok_or(Stop::NeedMore)?;
            let found = memchr2(b'"', b'\\', rest).ok_or(Stop::NeedMore)?;
            if rest[found] == b'"' {
                let raw = &self.bytes[start..from + found];
                self.at = from + found + 1;
                return Ok(Text { raw, escaped });
            }
            escaped = true;
            from += found + 2;
        }
    }

    /// The value at the cursor.
    #[inline]
    pub(super) fn value(&mut self) -> Scan<Value<'a>> {
        match self.next_solid()? {
            b'"' => self.string().map(Value::Text),
            b'{' | b'[' => self.nested().map(Value::Nested),
            _ => self.bare().map(Value::Bare),
        }
    }

    /// A number, a literal or a bare word.
    #[inline]
    fn bare(&mut self) -> Scan<&'a [u8]> {
        let start = self.at;
        let mut at = start;
        while let Some(byte) = self.bytes.get(at) {
            if !matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'-' | b'+' | b'_' | b'#') {
                if at == start {
                    return Err(Stop::Bad(at));
                }
                self.at = at;
                return Ok(&self.bytes[start..at]);
            }
            at += 1;
        }
        Err(Stop::NeedMore)
    }

    /// An array or object, skipped as a whole by counting brackets outside strings.
    fn nested(&mut self) -> Scan<&'a [u8]> {
        let start = self.at;
        let mut depth = 0_usize;
        let mut at = start;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'"' => {
                    let mut inside = Cursor { bytes: self.bytes, at };
                    inside.string()?;
                    at = inside.at;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at = at + 1;
                        return Ok(&self.bytes[start..=at]);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Err(Stop::NeedMore)
    }
}

/// Walks the keys of an object that is wholly in `bytes`; stops at the first thing that is no member.
pub(super) fn members(bytes: &[u8], mut visit: impl FnMut(&[u8], Value<'_>)) {
    let mut cursor = Cursor::new(bytes, 0);
    let _ = walk(&mut cursor, &mut visit);
}

fn walk<'a>(cursor: &mut Cursor<'a>, visit: &mut impl FnMut(&[u8], Value<'a>)) -> Scan<()> {
    cursor.expect(b'{')?;
    loop {
        match cursor.next_solid()? {
            b'}' => return Ok(()),
            b',' => cursor.at += 1,
            _ => {
                let key = cursor.string()?;
                cursor.expect(b':')?;
                let value = cursor.value()?;
                visit(key.raw, value);
            }
        }
    }
}

/// Walks the elements of an array that is wholly in `bytes`.
pub(super) fn elements<'a>(bytes: &'a [u8], mut visit: impl FnMut(Value<'a>)) {
    let mut cursor = Cursor::new(bytes, 0);
    if cursor.expect(b'[').is_err() {
        return;
    }
    while let Ok(byte) = cursor.next_solid() {
        match byte {
            b',' => cursor.at += 1,
            b']' => return,
            _ => match cursor.value() {
                Ok(value) => visit(value),
                Err(_) => return,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Scan<Value<'_>> {
        Cursor::new(text.as_bytes(), 0).value()
    }

    #[test]
    fn a_string_ends_at_its_own_quote() {
        let text = Text { raw: br#"a\"b"#, escaped: true };
        assert_eq!(value(r#"  "a\"b", "#), Ok(Value::Text(text)));
        assert_eq!(value(r#""a\""#), Err(Stop::NeedMore));
        assert_eq!(value("\"a"), Err(Stop::NeedMore));
    }

    #[test]
    fn bare_words_are_tokens_and_known_as_foreign() {
        assert!(value("inf}").unwrap().is_foreign());
        assert!(value("-Infinity,").unwrap().is_foreign());
        assert!(!value("-1.5e3,").unwrap().is_foreign());
        assert_eq!(value("null,").unwrap().token(), None);
        assert_eq!(value("}"), Err(Stop::Bad(0)));
    }

    #[test]
    fn nesting_is_skipped_without_recursion() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert!(matches!(value(&deep), Ok(Value::Nested(bytes)) if bytes.len() == 400_000));
        assert!(matches!(value(r#"{"a": "}]"}"#), Ok(Value::Nested(bytes)) if bytes.len() == 11));
    }

    #[test]
    fn members_and_elements_walk_one_level() {
        let mut seen = Vec::new();
        members(br#"{"a": 1, "b": {"c": 2}}"#, |key, _| seen.push(key.to_vec()));
        assert_eq!(seen, [b"a".to_vec(), b"b".to_vec()]);
        let mut count = 0;
        elements(b"[1, [2], \"3\"]", |_| count += 1);
        assert_eq!(count, 3);
    }

    proptest! {
        #[test]
        fn any_prefix_needs_more_or_is_bad_but_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Cursor::new(&bytes, 0).value();
            members(&bytes, |_, _| {});
            elements(&bytes, |_| {});
        }
    }
}
