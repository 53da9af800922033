//! Which files belong to the repository, and their text.
//!
//! Answers from git where the tree is a git work tree, so that build output is never looked at; elsewhere from a
//! walk that leaves out build folders. Invariant: paths are relative to the root, with `/`, sorted, each once.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::de::DeserializeOwned;

use crate::finding::Stop;

/// Folders that a walk without git leaves out.
const UNTRACKED: [&str; 4] = [".git", "target", ".kforge", "__pycache__"];

/// The tree under examination.
#[derive(Debug)]
pub(crate) struct Repository {
    root: PathBuf,
    files: Vec<String>,
}

impl Repository {
    /// The repository that this program was built from.
    pub(crate) fn find() -> Result<Self, Stop> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::at(here.parent().unwrap_or(here))
    }

    /// The tree at `root`.
    pub(crate) fn at(root: &Path) -> Result<Self, Stop> {
        let mut files = match listed_by_git(root) {
            Some(files) => files,
            None => walked(root)?,
        };
        files.retain(|file| root.join(file).is_file());
        files.sort();
        files.dedup();
        Ok(Self { root: root.to_path_buf(), files })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Files whose name ends in `.extension`.
    pub(crate) fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a str> {
        self.files().filter(move |file| Path::new(file).extension().is_some_and(|found| found == extension))
    }

    /// The text of one file, or `None` where it is not UTF-8 or holds a NUL byte.
    pub(crate) fn text(&self, file: &str) -> Result<Option<String>, Stop> {
        let bytes = self.bytes(file)?;
        Ok(if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() })
    }

    pub(crate) fn bytes(&self, file: &str) -> Result<Vec<u8>, Stop> {
        let path = self.root.join(file);
        std::fs::read(&path).map_err(|source| Stop::Read { path, source })
    }

    /// A TOML file of the tree as data.
    pub(crate) fn data<T: DeserializeOwned>(&self, file: &str) -> Result<T, Stop> {
        let text = self.text(file)?.unwrap_or_default();
        toml::from_str(&text).map_err(|what| Stop::Data { path: file.into(), what: what.to_string() })
    }
}

/// Tracked files and new files that are not ignored; `None` where git or its work tree is missing.
///
/// `safe.directory` is given because a build machine often runs as another user than the one who cloned.
fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let files: Vec<String> = text.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect();
    (output.status.success() && !files.is_empty()).then_some(files)
}

fn walked(root: &Path) -> Result<Vec<String>, Stop> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| Stop::Read { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !path.is_symlink() {
                if !UNTRACKED.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if let Ok(relative) = path.strip_prefix(root) {
                files.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
pub(crate) mod scratch {
    //! A small tree in a temporary folder, for tests of steps.

    use super::Repository;

    /// Writes `files` below a fresh folder and opens it.
    pub(crate) fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Repository) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let repository = Repository::at(folder.path()).unwrap();
        (folder, repository)
    }
}

#[cfg(test)]
mod tests {
    use super::{Repository, scratch};

    #[test]
    fn a_tree_without_git_is_walked_and_build_output_left_out() {
        let (_folder, repository) =
            scratch::tree(&[("src/lib.rs", "x"), ("target/debug/out.rs", "x"), ("a/__pycache__/b.pyc", "x")]);
        assert_eq!(repository.files().collect::<Vec<_>>(), ["src/lib.rs"]);
    }

    #[test]
    fn this_repository_lists_its_own_manifest_and_no_build_output() {
        let repository = Repository::find().unwrap();
        assert!(repository.files().any(|file| file == "xtask/Cargo.toml"));
        assert!(!repository.files().any(|file| file.starts_with("target/")));
    }

    #[test]
    fn binary_files_have_no_text() {
        let (_folder, repository) = scratch::tree(&[("a.bin", "a\0b"), ("a.txt", "ab")]);
        assert_eq!(repository.text("a.bin").unwrap(), None);
        assert_eq!(repository.text("a.txt").unwrap().as_deref(), Some("ab"));
    }
}
