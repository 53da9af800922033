//! Files bound by content, and whether they are what the build made.

use kforge_record::{Artifact, Digest};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A file's length and BLAKE3, read once.
pub(super) fn hash_file(path: &Path) -> std::io::Result<(u64, Digest)> {
    let mut file = std::fs::File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0_u8; 1 << 20];
    let mut length = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        length += count as u64;
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
    let text = hasher.finalize().to_hex().to_string();
    let digest = text.parse().map_err(|error| std::io::Error::other(format!("{error}")))?;
    Ok((length, digest))
}

/// The artifact at a path, under the name that the record uses.
pub(super) fn artifact(path: &Path, name: &str) -> std::io::Result<Artifact> {
    let (bytes, blake3) = hash_file(path)?;
    Ok(Artifact { path: name.to_owned(), blake3, bytes })
}

/// Every regular file below a folder, sorted.
pub(super) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => found.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    found.sort();
    found
}

/// The first source that is newer than an artifact which the build should have made from it.
pub(super) fn newer_source(tree: &Path, artifact: &str, sources: &[String]) -> Option<String> {
    let changed = |name: &str| tree.join(name).metadata().and_then(|meta| meta.modified()).ok();
    let made = changed(artifact)?;
    sources.iter().find(|source| changed(source).is_some_and(|time| time > made)).cloned()
}
