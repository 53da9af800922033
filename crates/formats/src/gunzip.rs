//! Unpacks gzip and keeps every byte that came out before a defect.
//!
//! The usual decoder throws away what one call produced before it met a broken byte; a capture cut off or damaged in
//! its last member would lose up to a buffer of good events. This one hands that text out first, and the defect after it.
//!
//! Invariant: a stream ends well only at the end of a member whose check sum and length hold.

use flate2::{Decompress, FlushDecompress, Status};
use std::io::{BufRead, Error, ErrorKind, Read};

/// The window size of the format, as a power of two.
const WINDOW_BITS: u8 = 15;
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A reader of one or more gzip members.
pub(crate) struct Gunzip<R> {
    packed: R,
    inflate: Decompress,
    between: bool,
    members: u64,
    /// Bytes of the file that were used.
    taken: u64,
    defect: Option<Error>,
}

impl<R: BufRead> Gunzip<R> {
    /// Unpacks what `packed` holds.
    pub(crate) fn new(packed: R) -> Self {
        Self {
            packed,
            inflate: Decompress::new_gzip(WINDOW_BITS),
            between: true,
            members: 0,
            taken: 0,
            defect: None,
        }
    }

    /// One step: how many bytes came out, or `None` at the good end of the last member.
    fn step(&mut self, out: &mut [u8]) -> Result<Option<usize>, (usize, Error)> {
        let input = self.packed.fill_buf().map_err(|error| (0, error))?;
        if input.is_empty() {
            return if self.between { Ok(None) } else { Err((0, cut())) };
        }
        if self.between {
            let padding = input.iter().position(|byte| *byte != 0).unwrap_or(input.len());
            if self.members > 0 && padding > 0 {
                // Padding behind a member, as tape and block devices leave it; another member may follow.
                self.packed.consume(padding);
                self.taken += padding as u64;
                return Ok(Some(0));
            }
            if self.members > 0 && !input.starts_with(&MAGIC[..input.len().min(2)]) {
                return Err((0, self.trailing()));
            }
            self.inflate.reset(true);
            self.between = false;
        }
        let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(input, out, FlushDecompress::None);
        let used = (self.inflate.total_in() - before_in) as usize;
        let produced = (self.inflate.total_out() - before_out) as usize;
        self.packed.consume(used);
        self.taken += used as u64;
        match status {
            Ok(Status::StreamEnd) => {
                self.between = true;
                self.members += 1;
                Ok(Some(produced))
            }
            Ok(Status::Ok | Status::BufError) if used > 0 || produced > 0 => Ok(Some(produced)),
            Ok(_) => Err((produced, cut())),
            Err(error) => Err((produced, Error::new(ErrorKind::InvalidData, error))),
        }
    }

    /// Counts what is left of the file; it is passed over, not kept.
    fn trailing(&mut self) -> Error {
        let bytes = std::io::copy(&mut self.packed, &mut std::io::sink());
        match bytes {
            Ok(bytes) => Error::new(ErrorKind::InvalidData, Trailing { at: self.taken, bytes }),
            Err(error) => error,
        }
    }
}

fn cut() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "the gzip stream ends in the middle")
}

/// What lies behind the last member and is no gzip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bytes of the packed file, which are no gzip")]
pub(crate) struct Trailing {
    /// Where it begins in the file.
    pub(crate) at: u64,
    /// How long it is.
    pub(crate) bytes: u64,
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if let Some(defect) = self.defect.take() {
            return Err(defect);
        }
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            match self.step(out) {
                Ok(None) => return Ok(0),
                Ok(Some(0)) => {}
                Ok(Some(produced)) => return Ok(produced),
                Err((0, defect)) => return Err(defect),
                Err((produced, defect)) => {
                    self.defect = Some(defect);
                    return Ok(produced);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpack(bytes: &[u8]) -> (Vec<u8>, Option<Error>) {
        let mut text = Vec::new();
        let error = Gunzip::new(bytes).read_to_end(&mut text).err();
        (text, error)
    }

    fn sample() -> Vec<u8> {
        (0..60_000_u32).flat_map(|number| format!("{number},").into_bytes()).collect()
    }

    #[test]
    fn members_follow_each_other_and_padding_is_nothing() {
        let mut bytes = packed(b"one ");
        bytes.extend(packed(b"two"));
        bytes.extend([0; 512]);
        let (text, error) = unpack(&bytes);
        assert_eq!((text.as_slice(), error.is_none()), (&b"one two"[..], true));
    }

    #[test]
    fn a_member_behind_padding_is_read_however_the_file_is_buffered() {
        let mut bytes = packed(b"one ");
        bytes.extend([0; 512]);
        bytes.extend(packed(b"two"));
        for buffer in [16, 64 * 1024] {
            let mut text = Vec::new();
            let read = std::io::BufReader::with_capacity(buffer, bytes.as_slice());
            Gunzip::new(read).read_to_end(&mut text).unwrap();
            assert_eq!(text, b"one two", "a buffer of {buffer} bytes");
        }
    }

    #[test]
    fn a_cut_stream_gives_its_text_before_its_defect() {
        let text = sample();
        let bytes = packed(&text);
        for cut in [12, bytes.len() / 2, bytes.len() - 1] {
            let (got, error) = unpack(&bytes[..cut]);
            assert!(text.starts_with(&got));
            assert_eq!(error.unwrap().kind(), ErrorKind::UnexpectedEof);
        }
        assert_eq!(unpack(&bytes[..bytes.len() - 1]).0.len(), text.len());
    }

    #[test]
    fn a_broken_byte_costs_only_what_follows_it() {
        let text = sample();
        let mut bytes = packed(&text);
        let middle = bytes.len() / 2;
        for byte in &mut bytes[middle..middle + 40] {
            *byte ^= 0x5a;
        }
        let (got, error) = unpack(&bytes);
        assert!(error.is_some());
        let agreed = got.iter().zip(&text).take_while(|(a, b)| a == b).count();
        assert!(agreed > text.len() / 3, "{agreed} of {}", text.len());
    }

    #[test]
    fn a_wrong_check_sum_is_a_defect_and_garbage_behind_a_member_too() {
        let mut bytes = packed(b"text");
        let sum = bytes.len() - 6;
        bytes[sum] ^= 1;
        let (text, error) = unpack(&bytes);
        assert_eq!((text.as_slice(), error.is_some()), (&b"text"[..], true));
        let mut bytes = packed(b"text");
        let member = bytes.len() as u64;
        bytes.extend(b"trailing");
        let (text, error) = unpack(&bytes);
        assert_eq!(text, b"text");
        let error = error.unwrap();
        let found = error.get_ref().and_then(|inner| inner.downcast_ref::<Trailing>());
        assert_eq!(found, Some(&Trailing { at: member, bytes: 8 }));
    }
}
