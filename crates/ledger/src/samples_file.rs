//! `ID.samples.zst`: the raw samples, packed. Unpacking stops at a limit, so that a small file cannot fill memory.

use std::io::Read;
use std::path::Path;

use crate::error::Error;

/// 24 launches × 1024 blocks × 64 cases × 3 numbers of 12 digits stay below this.
const LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Packs samples.
pub(crate) fn pack(path: &Path, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    // Level 9: samples are written once and read rarely.
    zstd::encode_all(bytes, 9).map_err(Error::io("pack", path))
}

/// Unpacks samples.
pub(crate) fn unpack(path: &Path, packed: &[u8]) -> Result<Vec<u8>, Error> {
    let decoder = zstd::Decoder::new(packed).map_err(Error::io("unpack", path))?;
    let mut bytes = Vec::new();
    decoder.take(LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(Error::io("unpack", path))?;
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(Error::SamplesTooLong { path: path.to_owned(), limit: LIMIT_BYTES });
    }
    Ok(bytes)
}
