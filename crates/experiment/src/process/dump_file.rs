//! The file that a runner leaves when it is asked for its outputs.
//!
//! It is written by a process that is not trusted. Invariant: nothing but a plain file is read, and nothing is believed to be longer than it is.

use crate::runner::DumpedOutput;
use nix::fcntl::OFlag;
use serde::Deserialize;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The bytes of a plain file; a pipe would be waited for, and a link could lead to anything.
pub(super) fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let flags = OFlag::O_NOFOLLOW.bits() | OFlag::O_NONBLOCK.bits();
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no plain file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What the bytes of a dump hold: header lines and raw bytes in turn; nothing where they are malformed.
pub(super) fn outputs(bytes: &[u8]) -> Option<Vec<DumpedOutput>> {
    #[derive(Deserialize)]
    struct Header {
        slot: u32,
        name: String,
        dtype: String,
        shape: Vec<u64>,
        bytes: usize,
    }
    let mut outputs = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let header: Header = serde_json::from_slice(rest.get(..end)?).ok()?;
        let data = rest.get(end + 1..)?.get(..header.bytes)?;
        rest = rest.get(end + 1 + header.bytes..)?;
        outputs.push(DumpedOutput {
            slot: header.slot,
            name: header.name,
            dtype: header.dtype,
            shape: header.shape,
            bytes: data.to_vec(),
        });
    }
    Some(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    #[test]
    fn outputs_are_read_as_they_were_written_and_a_cut_file_is_none() {
        let mut file = b"{\"slot\":2,\"name\":\"y\",\"dtype\":\"u8\",\"shape\":[3],\"bytes\":3}\n".to_vec();
        file.extend([7, 10, 9]);
        let read = outputs(&file).unwrap();
        assert_eq!((read.len(), read[0].slot, read[0].bytes.as_slice()), (1, 2, [7, 10, 9].as_slice()));
        assert!(outputs(&file[..file.len() - 1]).is_none());
        let huge =
            b"{\"slot\":0,\"name\":\"y\",\"dtype\":\"u8\",\"shape\":[3],\"bytes\":18446744073709551615}\nabc";
        assert!(outputs(huge).is_none());
    }

    #[test]
    fn a_pipe_is_not_waited_for_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        assert!(bytes(&pipe).is_err() && bytes(&link).is_err());
    }
}
