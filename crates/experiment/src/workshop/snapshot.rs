//! Did the user's own files change while sides were built and run?
//!
//! Sides work on copies, but nothing keeps a program from writing to an absolute path. Answers with names, and blames nobody: the user may
//! have edited a file in the meantime. Sizes and times are compared, not contents.

use super::git::Repository;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// The project's files at one moment: tracked ones, and untracked ones that are not ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, (u64, Option<SystemTime>)>);

impl Snapshot {
    /// The files as they are now; none where git does not know the project.
    pub fn of(repository: &Repository) -> Self {
        let paths = repository.git_dir.as_ref().and_then(|_| repository.present().ok()).unwrap_or_default();
        let seen = paths.into_iter().filter_map(|path| {
            let meta = repository.root.join(&path).symlink_metadata().ok().filter(|meta| !meta.is_dir())?;
            Some((path, (meta.len(), meta.modified().ok())))
        });
        Self(seen.collect())
    }

    /// Files that are new, gone or written since an earlier moment, sorted.
    pub fn changed_since(&self, earlier: &Self) -> Vec<String> {
        let mut changed: Vec<String> = self
            .0
            .iter()
            .filter(|(path, now)| earlier.0.get(*path) != Some(*now))
            .map(|(path, _)| path.clone())
            .collect();
        changed.extend(earlier.0.keys().filter(|path| !self.0.contains_key(*path)).cloned());
        changed.sort();
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_written_and_removed_files_are_named_and_others_are_not() {
        let moment = |second: u64| Some(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(second));
        let files = |list: &[(&str, u64, u64)]| {
            Snapshot(list.iter().map(|(path, len, at)| ((*path).to_owned(), (*len, moment(*at)))).collect())
        };
        let before = files(&[("a", 1, 1), ("b", 1, 1), ("c", 1, 1), ("d", 1, 1)]);
        let after = files(&[("a", 1, 1), ("b", 2, 1), ("d", 1, 2), ("e", 1, 1)]);
        assert_eq!(after.changed_since(&before), ["b", "c", "d", "e"]);
        assert!(before.changed_since(&before).is_empty());
    }
}
