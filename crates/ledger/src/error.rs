//! Why the ledger cannot do what it was asked to.

use std::io;
use std::path::{Path, PathBuf};

use kforge_record::{Broken, Digest};

/// What the ledger refuses, and why.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused.
    #[error("{doing} {} failed", path.display())]
    Io {
        /// `read`, `write`, `rename`, …
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// An op's name cannot be a folder's name.
    #[error("`{name}` cannot be the name of an op")]
    OpName {
        /// The name.
        name: String,
    },
    /// A tag cannot be part of a file's name.
    #[error("`{tag}` cannot be a tag")]
    Tag {
        /// The tag.
        tag: String,
    },
    /// There is no such evidence.
    #[error("there is no evidence {id} in {}", folder.display())]
    NoEvidence {
        /// What was looked for: an id, perhaps a prefix of one, or `of OP`.
        id: String,
        /// Where.
        folder: PathBuf,
    },
    /// A prefix fits more than one evidence file.
    #[error("`{prefix}` fits {count} evidence files")]
    Ambiguous {
        /// The prefix.
        prefix: String,
        /// How many fit.
        count: usize,
    },
    /// An evidence file does not hold.
    #[error("evidence {} does not hold: {}", id.short(), first(broken))]
    Evidence {
        /// The file's name.
        id: Digest,
        /// Every broken link, first met first.
        broken: Vec<Broken>,
    },
    /// Evidence of this name exists with other bytes.
    #[error("{} exists with other bytes", path.display())]
    Collision {
        /// The file.
        path: PathBuf,
    },
    /// A derived file would replace one that kforge did not write.
    #[error("{} exists and was not written by kforge", path.display())]
    NameTaken {
        /// The file.
        path: PathBuf,
    },
    /// A file changed while kforge was about to replace it.
    #[error("{} changed while it was about to be replaced", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A durable value cannot be read or written.
    #[error("{}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: kforge_record::Error,
    },
    /// Samples are longer than can be read safely.
    #[error("{} unpacks to more than {limit} bytes", path.display())]
    SamplesTooLong {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// The search index cannot be made or asked.
    #[error("the search index failed")]
    Index(#[from] rusqlite::Error),
    /// A search query is not one the index understands.
    #[error("`{query}` cannot be searched for")]
    Query {
        /// The words.
        query: String,
    },
}

fn first(broken: &[Broken]) -> String {
    let more = broken.len().saturating_sub(1);
    let head = broken.first().map_or_else(String::new, Broken::to_string);
    if more == 0 { head } else { format!("{head} (and {more} more)") }
}

impl Error {
    /// Wraps an answer of the file system.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// The stable dotted code of this error.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "ledger.io",
            Self::OpName { .. } => "ledger.op-name",
            Self::Tag { .. } => "ledger.tag",
            Self::NoEvidence { .. } => "ledger.no-evidence",
            Self::Ambiguous { .. } => "ledger.ambiguous",
            Self::Evidence { .. } => "ledger.evidence",
            Self::Collision { .. } => "ledger.collision",
            Self::NameTaken { .. } => "ledger.name-taken",
            Self::Changed { .. } => "ledger.changed",
            Self::Record { .. } => "ledger.record",
            Self::SamplesTooLong { .. } => "ledger.samples-too-long",
            Self::Index(_) => "ledger.index",
            Self::Query { .. } => "ledger.query",
        }
    }

    /// What to do about it, where something can be done.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull => {
                    Some("free some space and repeat; nothing was left half done".to_owned())
                }
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Some(
                    "make the ledger's folder writable, or set `[ledger] root` in kforge.toml".to_owned(),
                ),
                _ => None,
            },
            Self::OpName { .. } => {
                Some("use letters, digits, `.`, `_` and `-`, not starting with `.`".to_owned())
            }
            Self::Tag { .. } => Some("use lowercase letters, digits, `_` and `-`, at most 40".to_owned()),
            Self::NoEvidence { .. } => {
                Some("`kforge history` lists what there is; `kforge validate` makes more".to_owned())
            }
            Self::Ambiguous { .. } => Some("give more digits".to_owned()),
            Self::Evidence { .. } => Some(
                "restore the file from version control, or measure again with `kforge validate`".to_owned(),
            ),
            Self::NameTaken { .. } => Some("choose another `--tag`, or move that file".to_owned()),
            Self::Changed { .. } => Some(
                "look at that file, and repeat the command; `kforge record --rebuild` derives the rest again"
                    .to_owned(),
            ),
            Self::Record { source, .. } => source.hint(),
            Self::Index(_) => {
                Some("remove `.kforge/index.sqlite`; it is made again from the evidence".to_owned())
            }
            Self::Query { .. } => Some("search for plain words".to_owned()),
            Self::Collision { .. } => {
                Some("restore that file from version control; evidence is named by its content".to_owned())
            }
            Self::SamplesTooLong { .. } => Some(
                "restore the file from version control, or declare fewer cases: kforge writes none that long"
                    .to_owned(),
            ),
        }
    }
}
