//! NVIDIA's fat binaries: a header, then entries with PTX or a cubin for one architecture each, plain or compressed.
//!
//! The vendor documents no layout. This is what `fatbinary` of CUDA 11 to 13 writes, as ZLUDA (zluda_fatbin, `FatbinFileHeader`) and
//! cuda_fatbin_decompression by N. Eiling read it; checked here against `cuobjdump --list-elf`.

use crate::Error;
use crate::walk::{State, Walk, step};
use std::io::Read as _;

/// How one begins.
pub(crate) const MAGIC: [u8; 4] = [0x50, 0xED, 0x55, 0xBA];

const PTX: u16 = 1;
const ELF: u16 = 2;
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes_at(bytes, at).map(u64::from_le_bytes)
}

/// Header and entries together, where it says so.
pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(&MAGIC) {
        return None;
    }
    let header = usize::from(u16_at(bytes, 6)?);
    header.checked_add(usize::try_from(u64_at(bytes, 8)?).ok()?)
}

struct Entry {
    kind: u16,
    header: usize,
    /// Of the contents, with padding.
    padded: usize,
    /// Of the compressed contents.
    packed: usize,
    arch: u32,
    flags: u64,
    unpacked: usize,
}

impl Entry {
    fn of(bytes: &[u8]) -> Option<Self> {
        let size = |value: u32| value as usize;
        let header = size(u32_at(bytes, 4)?);
        Some(Self {
            kind: u16_at(bytes, 0)?,
            header,
            padded: usize::try_from(u64_at(bytes, 8)?).ok()?,
            packed: size(u32_at(bytes, 16)?),
            arch: u32_at(bytes, 28)?,
            flags: u64_at(bytes, 40)?,
            unpacked: if header >= 64 { usize::try_from(u64_at(bytes, 56)?).ok()? } else { 0 },
        })
    }

    fn name(&self) -> String {
        match self.kind {
            PTX => format!("compute_{}.ptx", self.arch),
            ELF => format!("sm_{}.cubin", self.arch),
            other => format!("kind {other}, {}", self.arch),
        }
    }
}

/// Opens a fat binary: an entry is a member.
pub(crate) fn open(walk: &mut Walk, path: &str, bytes: &[u8], depth: u32) -> Result<(), Error> {
    let damaged = |at: usize, what: &str| Error::Container {
        container: "fat binary",
        at: at as u64,
        what: what.to_owned(),
    };
    let header = usize::from(u16_at(bytes, 6).ok_or_else(|| damaged(0, "its header is cut off"))?);
    let whole = length(bytes).ok_or_else(|| damaged(0, "its header is cut off"))?;
    let mut at = header.max(16);
    let mut number = 0_u32;
    while at < whole.min(bytes.len()) {
        let rest = bytes.get(at..).unwrap_or_default();
        let entry = Entry::of(rest)
            .filter(|entry| entry.header >= 48)
            .ok_or_else(|| damaged(at, "an entry's header is cut off"))?;
        let name = format!("{number}:{}", entry.name());
        let path = step(path, &name);
        let next = at.checked_add(entry.header).and_then(|begin| begin.checked_add(entry.padded));
        let contents = next.and_then(|next| bytes.get(at + entry.header..next));
        match contents {
            None => {
                walk.add(&path, entry.padded, State::Unread("its contents are cut off".to_owned()));
                return Ok(());
            }
            Some(data) => contents_of(walk, &path, &entry, data, depth),
        }
        at = next.unwrap_or(whole);
        number += 1;
    }
    if bytes.len() < whole {
        return Err(damaged(bytes.len(), &format!("{} of {whole} bytes are there", bytes.len())));
    }
    Ok(())
}

fn contents_of(walk: &mut Walk, path: &str, entry: &Entry, data: &[u8], depth: u32) {
    if entry.kind == PTX {
        return walk.add(
            path,
            data.len(),
            State::Beside("PTX, which the driver compiles when it is loaded".to_owned()),
        );
    }
    if entry.kind != ELF {
        return walk.add(
            path,
            data.len(),
            State::Unread(format!("an entry of kind {} is not known", entry.kind)),
        );
    }
    if entry.flags & (LZ4 | ZSTD) == 0 {
        return walk.open(path, data, depth + 1);
    }
    let packed = data.get(..entry.packed).unwrap_or(data);
    match unpack(packed, entry, walk.room()) {
        Ok(plain) => walk.unpacked(path, &plain, depth + 1),
        Err(why) => walk.add(path, data.len(), State::Unread(why)),
    }
}

fn unpack(packed: &[u8], entry: &Entry, room: usize) -> Result<Vec<u8>, String> {
    if entry.unpacked == 0 || entry.unpacked > room {
        return Err(format!("it says to hold {} bytes, and {room} may be unpacked", entry.unpacked));
    }
    if entry.flags & ZSTD != 0 {
        let mut plain = Vec::new();
        zstd::stream::read::Decoder::new(packed)
            .and_then(|decoder| decoder.take(entry.unpacked as u64).read_to_end(&mut plain))
            .map_err(|error| format!("its zstd stream is damaged: {error}"))?;
        return Ok(plain);
    }
    // A block of LZ4 grows to at most 255 times its length.
    if entry.unpacked / 256 > packed.len() {
        return Err(format!("{} bytes of LZ4 cannot hold {}", packed.len(), entry.unpacked));
    }
    lz4_flex::block::decompress(packed, entry.unpacked)
        .map_err(|error| format!("its LZ4 block is damaged: {error}"))
}
