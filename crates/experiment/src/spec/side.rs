//! One side of an experiment: where its tree comes from, how it is built and run.

use super::document::{SideDoc, Text};
use super::locate::Source;
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use toml::Spanned;

/// Where a side's files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A commit of the repository.
    Git(String),
    /// The files as they are now: tracked ones, and untracked ones that are not ignored.
    Worktree,
    /// A folder outside version control; relative to the project's root.
    Path(PathBuf),
}

impl Tree {
    /// The spelling of experiment.toml.
    pub fn text(&self) -> String {
        match self {
            Self::Git(revision) => format!("git:{revision}"),
            Self::Worktree => "worktree".to_owned(),
            Self::Path(path) => format!("path:{}", path.display()),
        }
    }
}

/// One side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideSpec {
    /// `reference`, `baseline`, or the candidate's name.
    pub name: String,
    /// The kernel class (`cpu`, `triton`, `hip`, …).
    pub class: String,
    /// Where its files come from.
    pub tree: Tree,
    /// A shell command, run in the tree's root.
    pub build: Option<String>,
    /// A shell command, run in the tree's root, that speaks the runner protocol.
    pub runner: String,
    /// Files and folders that the side is made of, relative to the tree's root.
    pub sources: Vec<String>,
    /// Files that the build makes.
    pub artifacts: Vec<String>,
    /// How long the build may take.
    pub build_deadline: Duration,
    /// How long the runner may take for one answer.
    pub deadline: Duration,
    /// Variables for build and runner.
    pub env: BTreeMap<String, String>,
}

/// Deadlines where the file names none: a large extension builds in half an hour, a call answers in a minute.
const BUILD_DEADLINE: Duration = Duration::from_mins(30);
const CALL_DEADLINE: Duration = Duration::from_mins(1);

pub(super) fn side(
    source: &Source<'_>,
    name: &str,
    class: &str,
    doc: &Spanned<SideDoc>,
) -> Result<SideSpec, Error> {
    let span = doc.span();
    let doc = doc.get_ref();
    if doc.runner.trim().is_empty() {
        return Err(source.wrong(&span, format!("the runner of `{name}` is empty"), None));
    }
    if doc.sources.is_empty() {
        return Err(source.wrong(
            &span,
            format!("`{name}` declares no sources"),
            "name the files that make this side, as `sources = [\"kernels/op/candidate.cpp\"]`: evidence binds exactly them".to_owned(),
        ));
    }
    if doc.build.is_none() && !doc.artifacts.is_empty() {
        return Err(source.wrong(
            &span,
            format!("`{name}` declares artifacts but no build"),
            "add `build = \"…\"`, or list files that are not built under sources".to_owned(),
        ));
    }
    Ok(SideSpec {
        name: name.to_owned(),
        class: doc.class.as_ref().map_or_else(|| class.to_owned(), |class| class.get_ref().clone()),
        tree: tree(source, &doc.tree)?,
        build: doc.build.clone(),
        runner: doc.runner.clone(),
        sources: inside(source, &doc.sources)?,
        artifacts: inside(source, &doc.artifacts)?,
        build_deadline: deadline(source, doc.build_deadline_s.as_ref(), BUILD_DEADLINE)?,
        deadline: deadline(source, doc.deadline_s.as_ref(), CALL_DEADLINE)?,
        env: doc.env.clone(),
    })
}

fn tree(source: &Source<'_>, text: &Text) -> Result<Tree, Error> {
    let value = text.get_ref();
    match value.split_once(':') {
        None if value == "worktree" => Ok(Tree::Worktree),
        // A revision that begins with a dash would be read as an option.
        Some(("git", revision)) if !revision.is_empty() && !revision.starts_with('-') => {
            Ok(Tree::Git(revision.to_owned()))
        }
        Some(("path", path)) if !path.is_empty() => Ok(Tree::Path(PathBuf::from(path))),
        _ => Err(source.wrong(
            &text.span(),
            format!("`{value}` names no tree"),
            "write \"git:REVISION\", \"worktree\" or \"path:FOLDER\"".to_owned(),
        )),
    }
}

/// Paths that stay inside the tree, without `.` and doubled separators.
fn inside(source: &Source<'_>, paths: &[Text]) -> Result<Vec<String>, Error> {
    paths
        .iter()
        .map(|path| {
            let value = path.get_ref();
            let parts: Vec<&str> = value.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
            if value.starts_with('/') || parts.is_empty() || parts.contains(&"..") {
                return Err(source.wrong(
                    &path.span(),
                    format!("`{value}` is not a path inside the tree"),
                    "write it relative to the tree's root, without `..`".to_owned(),
                ));
            }
            Ok(parts.join("/"))
        })
        .collect()
}

fn deadline(
    source: &Source<'_>,
    seconds: Option<&Spanned<i64>>,
    default: Duration,
) -> Result<Duration, Error> {
    let Some(seconds) = seconds else { return Ok(default) };
    match u64::try_from(*seconds.get_ref()) {
        Ok(value) if (1..=86_400).contains(&value) => Ok(Duration::from_secs(value)),
        _ => Err(source.wrong(&seconds.span(), "a deadline is 1 to 86400 seconds", None)),
    }
}
