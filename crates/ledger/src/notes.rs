//! Generated blocks among free text. Every byte outside a block survives; a block is found by its two marker lines.
//!
//! A line `<!-- kforge:NAME -->` opens a block only where the next marker line of any kind is its own
//! `<!-- /kforge:NAME -->`; everything else is free text and is left alone.

/// A piece of a notes file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// One line of free text with its line end.
    Line(Vec<u8>),
    /// A block: its name, and all of its bytes with both marker lines.
    Block(String, Vec<u8>),
}

impl Piece {
    /// The bytes of the piece.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Line(bytes) | Self::Block(_, bytes) => bytes,
        }
    }
}

enum Marker {
    Open(String),
    Close(String),
}

fn marker(line: &[u8]) -> Option<Marker> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let inner = text.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let plain = |name: &str| {
        (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| name.to_owned())
    };
    match inner.strip_prefix("/kforge:") {
        Some(name) => plain(name).map(Marker::Close),
        None => inner.strip_prefix("kforge:").and_then(plain).map(Marker::Open),
    }
}

/// Takes a file apart; the pieces' bytes in order are the file's bytes.
pub(crate) fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some((name, end)) = block_end(&lines, at) {
            pieces.push(Piece::Block(name, lines.get(at..=end).unwrap_or_default().concat()));
            at = end + 1;
        } else {
            pieces.push(Piece::Line(line.to_vec()));
            at += 1;
        }
    }
    pieces
}

fn block_end(lines: &[&[u8]], start: usize) -> Option<(String, usize)> {
    let Some(Marker::Open(name)) = lines.get(start).and_then(|line| marker(line)) else { return None };
    let mut following = lines.iter().enumerate().skip(start + 1);
    let (end, next) = following.find_map(|(at, line)| marker(line).map(|marker| (at, marker)))?;
    matches!(next, Marker::Close(closed) if closed == name).then_some((name, end))
}

/// The file with each named block's content put in place, new blocks at the end, repetitions dropped.
///
/// The content is between the marker lines and ends in a line end.
pub(crate) fn with_blocks(bytes: &[u8], blocks: &[(String, String)]) -> Vec<u8> {
    let mut current = pass(bytes, blocks);
    // Dropping a repetition can bring stray markers together; each pass that changes anything drops at least one.
    loop {
        let next = pass(&current, blocks);
        if next == current {
            return current;
        }
        current = next;
    }
}

fn pass(bytes: &[u8], blocks: &[(String, String)]) -> Vec<u8> {
    // A marker inside a block would break it, and then every pass would add the block again.
    let wrap = |name: &str, content: &str| {
        let content = content.replace("<!--", "<! --");
        format!("<!-- kforge:{name} -->\n{content}<!-- /kforge:{name} -->\n")
    };
    let mut written = std::collections::BTreeSet::new();
    let mut result = Vec::new();
    for piece in pieces(bytes) {
        match &piece {
            Piece::Line(line) => result.extend_from_slice(line),
            Piece::Block(name, _) if !written.insert(name.clone()) => {}
            Piece::Block(name, old) => match blocks.iter().find(|(wanted, _)| wanted == name) {
                Some((_, content)) => result.extend_from_slice(wrap(name, content).as_bytes()),
                None => result.extend_from_slice(old),
            },
        }
    }
    for (name, content) in blocks.iter().filter(|(name, _)| !written.contains(name)) {
        if !result.is_empty() {
            let ended = result.ends_with(b"\n");
            result.extend_from_slice(if ended { b"\n" } else { b"\n\n" });
        }
        result.extend_from_slice(wrap(name, content).as_bytes());
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

    use super::{Piece, pieces, with_blocks};

    fn block(name: &str, content: &str) -> (String, String) {
        (name.to_owned(), content.to_owned())
    }

    #[test]
    fn free_text_survives_byte_for_byte_around_blocks() {
        let old = b"# op\r\nmine \xff\n<!-- kforge:aa -->\nold\n<!-- /kforge:aa -->\nno line end";
        let new = with_blocks(old, &[block("aa", "new\n"), block("bb", "more\n")]);
        assert_eq!(
            new,
            b"# op\r\nmine \xff\n<!-- kforge:aa -->\nnew\n<!-- /kforge:aa -->\nno line end\n\n<!-- kforge:bb -->\nmore\n<!-- /kforge:bb -->\n"
        );
    }

    #[test]
    fn an_unclosed_or_crossed_marker_is_free_text() {
        let old = b"<!-- kforge:aa -->\n<!-- kforge:bb -->\nx\n<!-- /kforge:aa -->\n";
        assert!(pieces(old).iter().all(|piece| matches!(piece, Piece::Line(_))));
    }

    fn line() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(b"<!-- kforge:aa -->\n".to_vec()),
            Just(b"<!-- /kforge:aa -->\n".to_vec()),
            Just(b"<!-- kforge:bb -->\n".to_vec()),
            Just(b"<!-- /kforge:bb -->\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..8),
        ]
    }

    proptest! {
        #[test]
        fn pieces_together_are_the_file(lines in prop::collection::vec(line(), 0..20)) {
            let bytes = lines.concat();
            let again: Vec<u8> = pieces(&bytes).iter().flat_map(|piece| piece.bytes().to_vec()).collect();
            prop_assert_eq!(again, bytes);
        }

        #[test]
        fn writing_blocks_twice_changes_nothing_whatever_they_hold(
            lines in prop::collection::vec(line(), 0..20),
            content in prop::collection::vec(line(), 0..6),
        ) {
            let content = format!("{}\n", String::from_utf8_lossy(&content.concat()));
            let blocks = [block("aa", &content), block("cc", "other\n"), block("dd", &content)];
            let once = with_blocks(&lines.concat(), &blocks);
            prop_assert_eq!(with_blocks(&once, &blocks), once);
        }
    }
}
