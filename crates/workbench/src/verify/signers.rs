//! Whether the list of allowed signers is the one where a range starts: whoever pushes a list would vouch for themselves.
//!
//! What counts is all that leads to the list inside the repository: the file, the links to it, the submodules that hold it. A list outside,
//! or one that git does not know, is the machine's own and is not asked about.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::Error;
use crate::git::{Git, TreeEntry};
use crate::project::Project;

/// Git's modes of what is no content by itself.
const FOLDER: &str = "040000";
const SUBMODULE: &str = "160000";

/// As many links as systems follow.
const MOST_LINKS: usize = 40;

/// The list of a project, as trees of its repository hold it.
pub(super) struct List<'a> {
    git: &'a Git,
    /// All steps that lead to it, from the repository's top; empty where there is no list, or none inside.
    steps: Vec<String>,
}

impl<'a> List<'a> {
    /// The list that the project's settings name.
    pub(super) fn of(project: &Project, git: &'a Git) -> Self {
        // Without a working tree it lies in the repository's own folder, which nobody pushes.
        let named = project.settings.allowed_signers.as_ref().filter(|_| git.top != git.folder);
        let steps = named.map(|named| steps(&project.root.join(named)));
        let inside = |step: PathBuf| Some(step.strip_prefix(&git.top).ok()?.to_string_lossy().into_owned());
        let steps = steps.into_iter().flatten().filter_map(inside).filter(|step| !step.is_empty());
        Self { git, steps: steps.collect() }
    }

    fn at(&self, tree: Option<&str>) -> Result<Vec<TreeEntry>, Error> {
        let Some(tree) = tree.filter(|_| !self.steps.is_empty()) else { return Ok(Vec::new()) };
        let mut found = self.git.entries_at(tree, &self.steps)?;
        found.retain(|entry| entry.mode != FOLDER && self.steps.contains(&entry.path));
        Ok(found)
    }

    /// The path of what differs between a start, where there is one, and an end.
    pub(super) fn brought(&self, start: Option<&str>, end: &str) -> Result<Option<String>, Error> {
        let (before, after) = (self.at(start)?, self.at(Some(end))?);
        let other = |some: &[TreeEntry], others: &[TreeEntry]| {
            some.iter().find(|entry| !others.contains(entry)).map(|entry| entry.path.clone())
        };
        Ok(other(&after, &before).or_else(|| other(&before, &after)))
    }

    /// The path of what is not in the working tree as a tree has it.
    pub(super) fn other_on_disk(&self, tree: &str) -> Result<Option<String>, Error> {
        let mut held = self.at(Some(tree))?;
        held.retain(|entry| entry.mode != SUBMODULE);
        let paths: Vec<String> = held.iter().map(|entry| entry.path.clone()).collect();
        let top = Git { prefix: String::new(), ..self.git.clone() };
        let present = top.present(&self.git.top, &paths)?;
        let mut pairs = held.into_iter().zip(present);
        let other = pairs.find(|(held, found)| found.as_ref().is_none_or(|found| found.blob != held.blob));
        Ok(other.map(|(held, _)| held.path))
    }
}

/// Every name on the way to a file, links followed; and the file's own name, which another tree may have without the links.
fn steps(path: &Path) -> Vec<PathBuf> {
    let parts = |path: &Path| -> Vec<OsString> {
        path.components().rev().map(|part| part.as_os_str().to_owned()).collect()
    };
    let (mut open, mut here, mut links) = (parts(path), PathBuf::new(), 0);
    let mut steps = vec![path.to_owned()];
    while let Some(part) = open.pop() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => {
                here.pop();
            }
            Some(Component::Normal(name)) => {
                let next = here.join(name);
                steps.push(next.clone());
                match std::fs::read_link(&next) {
                    Ok(target) if links < MOST_LINKS => {
                        links += 1;
                        open.extend(parts(&target));
                    }
                    _ => here = next,
                }
            }
            Some(Component::RootDir) => here = PathBuf::from("/"),
            _ => {}
        }
    }
    steps
}
