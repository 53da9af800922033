//! Clang's offload bundles, plain and compressed.
//!
//! Source: LLVM, clang/docs/ClangOffloadBundler.rst ("Bundled Binary File Layout", "Compression and Decompression") and
//! clang/lib/Driver/OffloadBundler.cpp.

use crate::Error;
use crate::walk::{State, Walk, step};
use std::io::Read as _;

/// How a plain bundle begins.
pub(crate) const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
/// How a compressed one begins.
pub(crate) const COMPRESSED: &[u8] = b"CCOB";

/// More entries than any compiler writes.
const MOST_ENTRIES: u64 = 4096;

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

struct Entry<'d> {
    target: String,
    offset: usize,
    size: usize,
    data: Option<&'d [u8]>,
}

/// The table of a plain bundle; ends early where the table is cut off.
fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, &'static str> {
    let count = u64_at(bytes, MAGIC.len()).ok_or("its count of entries is missing")?;
    if count > MOST_ENTRIES {
        return Err("it says to have more entries than any compiler writes");
    }
    let mut at = MAGIC.len() + 8;
    let mut found = Vec::new();
    for _ in 0..count {
        let field =
            |index: usize| u64_at(bytes, at + 8 * index).and_then(|value| usize::try_from(value).ok());
        let (Some(offset), Some(size), Some(length)) = (field(0), field(1), field(2)) else {
            return Err("its table of entries is cut off");
        };
        let name = at + 24;
        let target = name.checked_add(length).and_then(|end| bytes.get(name..end));
        let Some(target) = target else { return Err("the name of an entry is cut off") };
        let data = offset.checked_add(size).and_then(|end| bytes.get(offset..end));
        found.push(Entry { target: String::from_utf8_lossy(target).into_owned(), offset, size, data });
        at = name + length;
    }
    Ok(found)
}

/// How many bytes an image of either kind takes, where it says so.
pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(COMPRESSED) {
        return Header::of(bytes)?.total;
    }
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    entries(bytes).ok()?.iter().map(|entry| entry.offset.saturating_add(entry.size)).max()
}

/// Opens a plain bundle: an entry is a member, whatever it holds.
pub(crate) fn open(walk: &mut Walk, path: &str, bytes: &[u8], depth: u32) -> Result<(), Error> {
    let damaged = |what: &str| Error::Container { container: "offload bundle", at: 0, what: what.to_owned() };
    for entry in entries(bytes).map_err(damaged)? {
        let path = step(path, &entry.target);
        match entry.data {
            None => {
                let why = format!(
                    "bytes {} to {} are not there",
                    entry.offset,
                    entry.offset.saturating_add(entry.size)
                );
                walk.add(&path, entry.size, State::Unread(why));
            }
            Some([]) => walk.add(&path, 0, State::Beside("an empty entry, for the host".to_owned())),
            Some(data) if entry.target.starts_with("host") => {
                walk.add(&path, data.len(), State::Beside("the host's part".to_owned()));
            }
            Some(data) => walk.open(&path, data, depth + 1),
        }
    }
    Ok(())
}

/// The header of a compressed bundle.
struct Header {
    zstd: bool,
    /// Bytes of header and contents; version 1 does not say it.
    total: Option<usize>,
    unpacked: usize,
    begins: usize,
}

impl Header {
    fn of(bytes: &[u8]) -> Option<Self> {
        let (version, method) = (u16_at(bytes, 4)?, u16_at(bytes, 6)?);
        let small = |at| u32_at(bytes, at).map(|value| value as usize);
        let wide = |at| u64_at(bytes, at).and_then(|value| usize::try_from(value).ok());
        let zstd = match method {
            0 => false,
            1 => true,
            _ => return None,
        };
        match version {
            1 => Some(Self { zstd, total: None, unpacked: small(8)?, begins: 20 }),
            2 => Some(Self { zstd, total: small(8), unpacked: small(12)?, begins: 24 }),
            3 => Some(Self { zstd, total: wide(8), unpacked: wide(16)?, begins: 32 }),
            _ => None,
        }
    }
}

/// Opens a compressed bundle.
pub(crate) fn open_compressed(walk: &mut Walk, path: &str, bytes: &[u8], depth: u32) -> Result<(), Error> {
    let damaged =
        |what: &str| Error::Container { container: "compressed bundle", at: 0, what: what.to_owned() };
    let header = Header::of(bytes).ok_or_else(|| damaged("its version or method is unknown"))?;
    let end = header.total.unwrap_or(bytes.len()).min(bytes.len());
    let packed = bytes.get(header.begins..end).ok_or_else(|| damaged("its contents are missing"))?;
    let room = walk.room();
    if header.unpacked > room {
        let what = format!("it says to hold {} bytes, and {room} may be unpacked", header.unpacked);
        return Err(Error::Packed { what });
    }
    let limit = header.unpacked as u64;
    let mut data = Vec::new();
    let read = if header.zstd {
        zstd::stream::read::Decoder::new(packed)
            .and_then(|decoder| decoder.take(limit).read_to_end(&mut data))
    } else {
        flate2::read::ZlibDecoder::new(packed).take(limit).read_to_end(&mut data)
    };
    read.map_err(|error| damaged(&error.to_string()))?;
    if data.len() < header.unpacked {
        return Err(damaged(&format!("it holds {} of {} bytes", data.len(), header.unpacked)));
    }
    walk.unpacked(path, &data, depth + 1);
    Ok(())
}
