//! Writes a finished document where the user asked for it.
//!
//! The bytes go to a new file beside the target and take its place in one step: a reader sees the old document or the
//! new one, and an interrupted run leaves the old one.

use crate::Error;
use std::io::Write as _;
use std::path::Path;

/// Writes `bytes` to `path`.
///
/// # Errors
/// Where the folder does not exist or cannot be written.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    // The system names the temporary file; the user asked for this one.
    let failed = |error: std::io::Error| Error::Write {
        path: path.to_owned(),
        source: error.raw_os_error().map_or_else(|| error.kind().into(), std::io::Error::from_raw_os_error),
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let missing = std::io::Error::new(
            std::io::ErrorKind::NotFound,
            format!("the folder {} does not exist", folder.display()),
        );
        return Err(Error::Write { path: path.to_owned(), source: missing });
    }
    let mut file = tempfile::Builder::new().permissions(ordinary()).tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// True where both names lead to one file, however they are spelled or linked.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => one.dev() == other.dev() && one.ino() == other.ino(),
        _ => one == other,
    }
}

/// What a document gets that a program writes: the user's mask decides, where a temporary file would be private.
fn ordinary() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::Permissions::from_mode(0o666)
}

#[cfg(test)]
mod tests {
    use super::{is_same_file, save};

    #[test]
    fn a_document_replaces_the_one_before_it_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.xlsx");
        save(&path, b"old").unwrap();
        save(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_file_under_two_names_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&path, b"x").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(is_same_file(&path, &link));
        assert!(is_same_file(
            &path,
            &folder.path().join("../").join(folder.path().file_name().unwrap()).join("a")
        ));
        assert!(!is_same_file(&path, &folder.path().join("c")));
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = save(std::path::Path::new("/nonexistent/report.xlsx"), b"x").unwrap_err();
        assert_eq!(error.to_string(), "/nonexistent/report.xlsx: the folder /nonexistent does not exist");
    }
}
