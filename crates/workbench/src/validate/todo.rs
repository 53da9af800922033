//! What nobody has finished yet: lines marked TODO(kforge) in an experiment and its sources.
//!
//! A mark stands where a value only holds a place; what is measured with it would be about nothing.

use crate::Error;
use kforge_experiment::{Experiment, Tree};
use std::path::Path;

/// What a line begins with that has to be finished.
pub(crate) const MARK: &str = "TODO(kforge)";

/// Refuses an experiment with marks, by file and line: in experiment.toml and in the sources that sides take from the working tree.
pub(super) fn refuse(experiment: &Experiment, text: &str, root: &Path) -> Result<(), Error> {
    let shown = experiment.path.strip_prefix(root).unwrap_or(&experiment.path).display().to_string();
    let mut marks = marked(&shown, text);
    let sides = [&experiment.reference, &experiment.baseline].into_iter().chain(&experiment.candidates);
    let mut seen: Vec<&str> = Vec::new();
    for side in sides.filter(|side| side.tree == Tree::Worktree) {
        for source in &side.sources {
            if seen.contains(&source.as_str()) {
                continue;
            }
            seen.push(source);
            for file in files(root, source) {
                // What cannot be read as a file is found missing, by name, when the side is materialised.
                if let Ok(bytes) = std::fs::read(root.join(&file)) {
                    marks.extend(marked(&file, &String::from_utf8_lossy(&bytes)));
                }
            }
        }
    }
    let count = marks.len();
    match marks.into_iter().next() {
        None => Ok(()),
        Some((file, line, what)) => Err(Error::Unfinished { file, line, what, count }),
    }
}

/// A source itself, or the files of a source that is a folder, by name.
fn files(root: &Path, source: &str) -> Vec<String> {
    let (mut folders, mut files) = (vec![source.to_owned()], Vec::new());
    while let Some(next) = folders.pop() {
        let is_folder = root.join(&next).symlink_metadata().is_ok_and(|meta| meta.is_dir());
        if !is_folder {
            files.push(next);
            continue;
        }
        let inside = std::fs::read_dir(root.join(&next)).into_iter().flatten().flatten();
        folders.extend(inside.map(|entry| format!("{next}/{}", entry.file_name().to_string_lossy())));
    }
    files.sort_unstable();
    files
}

fn marked(file: &str, text: &str) -> Vec<(String, usize, String)> {
    let found = text.lines().enumerate().filter_map(|(at, line)| {
        // Only a comment is a mark, so that code may speak of them.
        let start = line.find(MARK)?;
        if !["#", "//", "/*", ";"].iter().any(|opening| line[..start].contains(opening)) {
            return None;
        }
        let what = line[start + MARK.len()..].trim_start_matches(':').trim().to_owned();
        Some((file.to_owned(), at + 1, what))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_source_that_is_a_folder_are_looked_at_too() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("csrc/deep")).unwrap();
        for file in ["csrc/b.cu", "csrc/deep/a.cuh"] {
            std::fs::write(root.path().join(file), "// TODO(kforge): write it\n").unwrap();
        }
        assert_eq!(files(root.path(), "csrc"), ["csrc/b.cu", "csrc/deep/a.cuh"]);
        assert_eq!(files(root.path(), "csrc/b.cu"), ["csrc/b.cu"]);
    }

    #[test]
    fn a_mark_is_found_with_its_line_and_words_and_only_in_a_comment() {
        let text = "a = 1\nb = [1]  # TODO(kforge): say the shape\nprint('TODO(kforge)')\n// TODO(kforge) write it\n";
        let marks = marked("f", text);
        let lines: Vec<(usize, &str)> = marks.iter().map(|(_, line, what)| (*line, what.as_str())).collect();
        assert_eq!(lines, [(2, "say the shape"), (4, "write it")]);
    }
}
