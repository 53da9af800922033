//! What `inspect` answers. Invariant: every code object that was found is in it, with its kernels or with the reason why there are none.

use super::changes::Changes;
use crate::{ExitClass, Note};
use kforge_codeobject::Kernel;
use kforge_hardware::{Limiter, Occupancy};
use serde::Serialize;

/// The whole answer.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The file or folder.
    pub path: String,
    /// Its kernels, file by file.
    pub kernels: Vec<KernelAnswer>,
    /// Files that hold code objects.
    pub files: Vec<FileAnswer>,
    /// Code objects that could not be read.
    pub unread: Vec<UnreadAnswer>,
    /// Files of a folder that are nothing of the kind.
    pub other_files: u64,
    /// The second build, and what it takes more or less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Box<Changes>>,
    /// What the user should know beside.
    pub notes: Vec<Note>,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelAnswer {
    /// The file, where a folder was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// How it is reached inside the file; empty for the file itself.
    pub member: String,
    /// Name, processor and figures.
    #[serde(flatten)]
    pub kernel: Kernel,
    /// How many waves run side by side.
    pub occupancy: OccupancyAnswer,
}

/// Occupancy, or why it is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OccupancyAnswer {
    /// By the rules of the processor's vendor.
    Known(Occupancy),
    /// A figure or a rule is missing.
    Missing {
        /// Which.
        missing: String,
    },
}

impl OccupancyAnswer {
    /// `3 of 8, registers`.
    pub fn words(&self) -> String {
        match self {
            Self::Known(Occupancy { waves: 0, limiter, block, .. }) => {
                format!("none: a block of {block} does not fit ({})", limiter.words())
            }
            Self::Known(Occupancy { waves, most, limiter: Limiter::Waves, .. }) => {
                format!("{waves} of {most}")
            }
            Self::Known(Occupancy { waves, most, limiter, .. }) => {
                format!("{waves} of {most}, {}", limiter.words())
            }
            Self::Missing { missing } => format!("unknown: {missing}"),
        }
    }
}

/// One file with code objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileAnswer {
    /// Its path.
    pub path: String,
    /// Its bytes.
    pub bytes: u64,
    /// Code objects that were read.
    pub code_objects: u64,
    /// Members that are no code objects and were not meant to be: hosts' parts, PTX.
    pub beside: u64,
}

/// A code object that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreadAnswer {
    /// The file.
    pub path: String,
    /// How it is reached inside the file.
    pub member: String,
    /// Why not.
    pub why: String,
}

impl Response {
    /// What the answer means for a script: a part that could not be read is a no.
    pub fn class(&self) -> ExitClass {
        let second = self.against.as_ref().is_some_and(|against| !against.second.unread.is_empty());
        if self.unread.is_empty() && !second { ExitClass::Yes } else { ExitClass::No }
    }
}
