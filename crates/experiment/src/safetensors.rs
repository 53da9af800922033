//! One tensor out of a .safetensors file: 8 bytes of header length, a JSON header, raw little-endian data.

use crate::dtype::Dtype;
use crate::error::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// A longer header is refused by the format's own readers.
const LONGEST_HEADER: u64 = 100 << 20;

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// The raw bytes of a tensor that must have this element type and shape.
///
/// # Errors
/// Where the file is no .safetensors, has no such tensor, or it differs.
pub(crate) fn tensor(path: &Path, name: &str, dtype: Dtype, shape: &[u64]) -> Result<Vec<u8>, Error> {
    let refuse = |message: String| Error::Spec { path: path.to_owned(), line: 1, message, cure: None };
    let io = |error| Error::io(path, error);
    let mut file = File::open(path).map_err(io)?;
    let mut length = [0_u8; 8];
    file.read_exact(&mut length).map_err(|_| refuse("no .safetensors file".to_owned()))?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_HEADER {
        return Err(refuse("no .safetensors file".to_owned()));
    }
    let mut header = vec![0_u8; length as usize];
    file.read_exact(&mut header).map_err(|_| refuse("the header is cut short".to_owned()))?;
    let entries: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&header)
        .map_err(|error| refuse(format!("the header is not JSON: {error}")))?;
    let entry = entries.get(name).and_then(|value| Entry::deserialize(value).ok()).ok_or_else(|| {
        let known: Vec<&str> =
            entries.keys().filter(|key| *key != "__metadata__").map(String::as_str).take(10).collect();
        refuse(format!("there is no tensor `{name}` (there are {})", known.join(", ")))
    })?;
    let given = entry.dtype.to_ascii_lowercase();
    if given != dtype.name() || entry.shape != shape {
        return Err(refuse(format!(
            "tensor `{name}` is {given} {:?}, the case needs {} {shape:?}",
            entry.shape,
            dtype.name()
        )));
    }
    let [start, end] = entry.data_offsets;
    let bytes = dtype.bytes(shape.iter().product::<u64>() as usize) as u64;
    if end.checked_sub(start) != Some(bytes) {
        return Err(refuse(format!(
            "tensor `{name}` has {} bytes instead of {bytes}",
            end.saturating_sub(start)
        )));
    }
    let at = start.checked_add(8 + length).ok_or_else(|| refuse("an offset is out of range".to_owned()))?;
    file.seek(SeekFrom::Start(at)).map_err(io)?;
    let mut data = vec![0_u8; bytes as usize];
    file.read_exact(&mut data).map_err(|_| refuse(format!("the data of `{name}` is cut short")))?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(header: &str, data: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn a_tensor_is_found_by_name_type_and_shape() {
        let header = r#"{"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}"#;
        let file = written(header, &[9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(tensor(file.path(), "w", Dtype::F32, &[2]).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(tensor(file.path(), "w", Dtype::F16, &[2]).is_err());
        assert!(tensor(file.path(), "w", Dtype::F32, &[3]).is_err());
        assert!(tensor(file.path(), "x", Dtype::F32, &[2]).unwrap_err().to_string().contains("there are w"));
    }

    #[test]
    fn what_is_cut_short_or_something_else_is_refused() {
        let header = r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        assert!(tensor(written(header, &[1, 2]).path(), "w", Dtype::F32, &[2]).is_err());
        assert!(tensor(written("{}", &[]).path(), "w", Dtype::F32, &[2]).is_err());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"<!DOCTYPE html>").unwrap();
        assert!(tensor(file.path(), "w", Dtype::F32, &[2]).is_err());
    }
}
