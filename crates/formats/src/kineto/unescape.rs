//! The characters that a JSON string stands for.

/// Writes the characters of `raw` to `out`; true where an escape was not one of JSON's and was kept as written.
///
/// Half a surrogate pair becomes `U+FFFD`, as a lenient reader of JSON does.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    let mut foreign = false;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &raw[at..]) {
        out.extend_from_slice(&raw[at..at + found]);
        at += found + 1;
        let Some(letter) = raw.get(at) else {
            out.push(b'\\');
            return true;
        };
        at += 1;
        match letter {
            b'"' | b'\\' | b'/' => out.push(*letter),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                if let Some(used) = unicode(&raw[at..], out) {
                    at += used;
                } else {
                    foreign = true;
                    out.extend_from_slice(b"\\u");
                }
            }
            _ => {
                foreign = true;
                out.extend_from_slice(&[b'\\', *letter]);
            }
        }
    }
    out.extend_from_slice(&raw[at..]);
    foreign
}

/// The character of `XXXX` or `XXXX\uXXXX`, and how many bytes it took; `None` where these are no four hex digits.
fn unicode(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let first = hex(rest)?;
    let (code, used) = match first {
        0xd800..=0xdbff => {
            match rest.get(4..6).filter(|mark| *mark == b"\\u").and_then(|_| hex(&rest[6..])) {
                Some(second @ 0xdc00..=0xdfff) => {
                    (0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00), 10)
                }
                _ => (0xfffd, 4),
            }
        }
        other => (other, 4),
    };
    let letter = char::from_u32(code).unwrap_or('\u{fffd}');
    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    Some(used)
}

fn hex(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..4)?;
    let mut value = 0;
    for digit in digits {
        value = value * 16 + char::from(*digit).to_digit(16)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> (String, bool) {
        let mut out = Vec::new();
        let foreign = unescape(raw.as_bytes(), &mut out);
        (String::from_utf8(out).unwrap(), foreign)
    }

    #[test]
    fn json_escapes_are_read() {
        // Expected values by RFC 8259, section 7.
        assert_eq!(text(r#"a\"\\\/\n\u00b5"#), ("a\"\\/\nµ".to_owned(), false));
        assert_eq!(text(r"\ud834\udd1e"), ("\u{1d11e}".to_owned(), false));
        assert_eq!(text(r"\ud834x"), ("\u{fffd}x".to_owned(), false));
    }

    #[test]
    fn a_windows_path_with_single_backslashes_is_kept() {
        assert_eq!(text(r"torch\cuda\__init__.py"), (r"torch\cuda\__init__.py".to_owned(), true));
        assert_eq!(text(r"C:\users"), (r"C:\users".to_owned(), true));
    }
}
