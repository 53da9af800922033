//! Moves a member's text to a parser in large pieces, unpacking gzip in a thread beside it.
//!
//! Each piece has room in front, where the parser's unfinished tail is put before the next piece is parsed, so that the
//! text itself is never copied. Buffers travel back to be filled again.
//!
//! Invariant: memory is a few buffers, whatever the size of the text; a read error ends the text and is reported with the
//! bytes that came before it.

use crate::Error;
use crate::gunzip::Gunzip;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

/// The size of a piece. Larger pieces leave the cache, smaller ones cost hand-overs.
const PIECE: usize = 512 * 1024;
/// The room in front of a piece; an event is rarely longer.
const ROOM: usize = 64 * 1024;
/// Pieces in flight between the threads.
const DEPTH: usize = 4;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Why the text ended before the file said so.
#[derive(Debug)]
pub(crate) struct Broken {
    /// True where the text was packed.
    pub packed: bool,
    /// What the decoder or the system said.
    pub source: std::io::Error,
}

struct Piece {
    buffer: Vec<u8>,
    filled: usize,
    broken: Option<Broken>,
}

/// The parser's end: a window over the text.
pub(crate) struct Window {
    pieces: Receiver<Piece>,
    spent: SyncSender<Vec<u8>>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
    ended: bool,
    broken: Option<Broken>,
}

impl Window {
    /// The text that is here now.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The position of the window's first byte in the text.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// True where no text follows the window.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Why the text ended early, once it has.
    pub(crate) fn broken(&mut self) -> Option<Broken> {
        self.broken.take()
    }

    /// Drops the first `count` bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Appends the next piece, or marks the end. An unfinished tail larger than the room grows the window instead, by
    /// as much as it already holds, so that a huge value is scanned a few times at most.
    pub(crate) fn refill(&mut self) {
        let tail = self.end - self.start;
        if tail > ROOM {
            let wanted = tail;
            let mut grown = Vec::with_capacity(tail * 2 + PIECE);
            grown.extend_from_slice(self.bytes());
            while grown.len() < tail + wanted && !self.ended {
                let Some(piece) = self.next_piece() else { break };
                grown.extend_from_slice(&piece.buffer[ROOM..ROOM + piece.filled]);
                let _ = self.spent.try_send(piece.buffer);
            }
            self.end = grown.len();
            self.start = 0;
            self.buffer = grown;
            return;
        }
        let Some(mut piece) = self.next_piece() else { return };
        let front = ROOM - tail;
        piece.buffer[front..ROOM].copy_from_slice(&self.buffer[self.start..self.end]);
        let spent = std::mem::replace(&mut self.buffer, piece.buffer);
        if spent.len() == ROOM + PIECE {
            let _ = self.spent.try_send(spent);
        }
        self.start = front;
        self.end = ROOM + piece.filled;
    }

    fn next_piece(&mut self) -> Option<Piece> {
        let Ok(mut piece) = self.pieces.recv() else {
            self.ended = true;
            return None;
        };
        if let Some(broken) = piece.broken.take() {
            self.broken = Some(broken);
        }
        Some(piece)
    }
}

/// Starts reading `source` in a thread of `scope`.
///
/// # Errors
/// Where the thread cannot be started.
pub(crate) fn pump<'scope>(
    scope: &'scope Scope<'scope, '_>,
    source: Box<dyn Read + Send>,
    file: &str,
) -> Result<Window, Error> {
    let (filled, pieces) = sync_channel(DEPTH);
    let (spent, empty) = sync_channel(DEPTH + 2);
    std::thread::Builder::new()
        .name("unpack".to_owned())
        .spawn_scoped(scope, move || fill(source, &filled, &empty))
        .map_err(|source| Error::Io { file: file.to_owned(), source })?;
    Ok(Window { pieces, spent, buffer: Vec::new(), start: 0, end: 0, offset: 0, ended: false, broken: None })
}

fn fill(source: Box<dyn Read + Send>, filled: &SyncSender<Piece>, empty: &Receiver<Vec<u8>>) {
    let mut reader = BufReader::with_capacity(256 * 1024, source);
    let packed = match peek(&mut reader) {
        Ok(head) => head.starts_with(&GZIP_MAGIC),
        Err(source) => {
            let _ = filled.send(Piece {
                buffer: vec![0; ROOM + PIECE],
                filled: 0,
                broken: Some(Broken { packed: false, source }),
            });
            return;
        }
    };
    let mut text: Box<dyn Read> = if packed { Box::new(Gunzip::new(reader)) } else { Box::new(reader) };
    loop {
        let mut buffer = empty.try_recv().unwrap_or_else(|_| vec![0; ROOM + PIECE]);
        let (count, failure) = read_full(&mut *text, &mut buffer[ROOM..]);
        let last = count < PIECE || failure.is_some();
        let broken = failure.map(|source| Broken { packed, source });
        if (count > 0 || broken.is_some()) && filled.send(Piece { buffer, filled: count, broken }).is_err() {
            return;
        }
        if last {
            return;
        }
    }
}

/// The first bytes, without consuming them. A `BufReader` gives at least two where the source has them, but for a
/// source that hands out single bytes; then it is read as plain text, and the magic is recognised as binary later.
fn peek(reader: &mut BufReader<Box<dyn Read + Send>>) -> std::io::Result<&[u8]> {
    reader.fill_buf()
}

/// Reads until the buffer is full, the text ends or fails.
fn read_full(source: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<std::io::Error>) {
    let mut count = 0;
    while count < buffer.len() {
        match source.read(&mut buffer[count..]) {
            Ok(0) => break,
            Ok(read) => count += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return (count, Some(error)),
        }
    }
    (count, None)
}
