//! The subject: which files, at which bytes, one side of an experiment is.
//!
//! Evidence binds these blobs and nothing else of a tree, so that rebase, cherry-pick and squash keep it valid
//! and an edit of one of these files voids it. Files outside the repository are inputs of the build, not subject.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::blob::BlobId;
use crate::build::Build;
use crate::digest::Digest;
use crate::error::Error;

/// One file of a subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectEntry {
    /// Relative to the repository's root, `/` between parts, without `.`, `..` or empty parts.
    #[serde(deserialize_with = "normal_path")]
    pub path: String,
    /// Git's file mode: `100644`, `100755` or `120000`.
    pub mode: String,
    /// The id of the file's blob.
    pub blob: BlobId,
}

/// The files that one side of an experiment is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The digest of `op`, `class` and `entries`.
    pub id: Digest,
    /// The op that the experiment is about.
    pub op: String,
    /// `reference`, `baseline`, or the candidate's name.
    pub side: String,
    /// The kernel class: `asm`, `ck`, `triton`, `hip`, `cuda`, `cpu`, or another library's name.
    pub class: String,
    /// Where the tree came from, as the experiment names it: `git:REV`, `worktree` or `path:…`.
    pub tree: String,
    /// The commit that the tree was at, where it has one.
    pub rev: Option<String>,
    /// Declared and observed inputs inside the repository, sorted by path, each path once.
    pub entries: Vec<SubjectEntry>,
}

impl Subject {
    /// A subject with its entries sorted, duplicates removed, and its id computed.
    ///
    /// # Errors
    /// `Error::Path` where a path is not in normal form; `Error::Unwritable` never in practice.
    pub fn new(
        op: &str,
        side: &str,
        class: &str,
        tree: &str,
        rev: Option<String>,
        mut entries: Vec<SubjectEntry>,
    ) -> Result<Self, Error> {
        entries.sort();
        entries.dedup();
        if let Some(entry) = entries.iter().find(|entry| !is_normal(&entry.path)) {
            return Err(Error::Path { path: entry.path.clone() });
        }
        let mut subject = Self {
            id: Digest::of_bytes(b""),
            op: op.to_owned(),
            side: side.to_owned(),
            class: class.to_owned(),
            tree: tree.to_owned(),
            rev,
            entries,
        };
        subject.id = subject.computed_id()?;
        Ok(subject)
    }

    /// What `id` must be.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn computed_id(&self) -> Result<Digest, Error> {
        Digest::of_value(&("kforge.subject/1", &self.op, &self.class, &self.entries))
    }

    /// Whether the entries are sorted, unique by path, and all paths and modes are in normal form.
    pub fn is_normal(&self) -> bool {
        self.entries.windows(2).all(|pair| matches!(pair, [first, second] if first.path < second.path))
            && self.entries.iter().all(|entry| {
                is_normal(&entry.path) && matches!(entry.mode.as_str(), "100644" | "100755" | "120000")
            })
    }
}

/// A path that stays inside its tree and has one spelling.
fn is_normal(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && part != ".git")
}

/// Whoever reads a path joins it to a folder: one that leaves its tree is never read at all.
fn normal_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let path = String::deserialize(deserializer)?;
    if is_normal(&path) { Ok(path) } else { Err(D::Error::custom(Error::Path { path })) }
}

/// Why a side gave no usable answer: its build failed, its runner crashed, hung, or spoke garbage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The stage: `build`, `warm`, `check` or `time`; `environment` where what should run the side was not there.
    pub stage: String,
    /// One line of what happened.
    pub what: String,
}

/// One side of an experiment: what it is, how it was built, or why there is no build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// The side's files.
    pub subject: Subject,
    /// The build; absent where `failure` says why.
    pub build: Option<Build>,
    /// What went wrong on this side, if anything did.
    pub failure: Option<Failure>,
}

impl Side {
    /// True where nothing of the side ran, because what should run it was not there.
    pub fn never_ran(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.stage == "environment")
    }
}
