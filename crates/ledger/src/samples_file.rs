//! `ID.samples.zst`: the raw samples, packed. Unpacking stops at a limit, so that a small file cannot fill memory.

use std::io::Read;
use std::path::Path;

use crate::error::Error;

/// 24 launches × 1024 blocks × 64 cases, each block three numbers of 12 digits with their commas and `"apb",`, are 45 bytes × 1572864
/// = 71 MB and stay below this.
const LIMIT_BYTES: u64 = 96 * 1024 * 1024;

/// Packs samples; refuses what could not be unpacked.
pub(crate) fn pack(path: &Path, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(Error::SamplesTooLong { path: path.to_owned(), limit: LIMIT_BYTES });
    }
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{LIMIT_BYTES, pack, unpack};

    #[test]
    fn what_is_packed_can_be_unpacked_and_what_could_not_be_is_refused() {
        let path = Path::new("ID.samples.zst");
        let most = vec![b'8'; usize::try_from(LIMIT_BYTES).unwrap()];
        assert_eq!(unpack(path, &pack(path, &most).unwrap()).unwrap().len(), most.len());
        assert!(pack(path, &[most, vec![b'8']].concat()).is_err());
    }
}
