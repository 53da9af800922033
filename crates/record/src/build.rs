//! The build: what came out of a subject, with what tools. Checks and timings name the build they were made on.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::Error;

/// A file bound by content: an artifact, a code object, or an input from outside the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// Relative to the side's tree where it lies inside, absolute otherwise.
    pub path: String,
    /// BLAKE3 of the bytes.
    pub blake3: Digest,
    /// Length in bytes.
    pub bytes: u64,
}

/// A tool that took part in the build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The command's name.
    pub name: String,
    /// The first line of its version output.
    pub version: String,
}

/// What an autotuner chose for a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutotuneChoice {
    /// The kernel that was tuned.
    pub kernel: String,
    /// The case's name, where the choice depends on it.
    pub case: Option<String>,
    /// The chosen configuration, as the tuner prints it.
    pub choice: String,
}

/// What came out of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The digest of every other field except the durations.
    pub id: Digest,
    /// The subject's id.
    pub subject: Digest,
    /// The build command, where there is one.
    pub command: Option<String>,
    /// The runner command.
    pub runner: String,
    /// Compiler and interpreter flags that the build saw, in order.
    pub flags: Vec<String>,
    /// Tools and their versions, sorted.
    pub toolchain: Vec<Tool>,
    /// Declared artifacts, sorted by path.
    pub artifacts: Vec<Artifact>,
    /// Inputs from outside the repository (system headers, mapped libraries), sorted by path.
    pub inputs: Vec<Artifact>,
    /// Code objects that came from JIT while warming, sorted by path.
    pub code_objects: Vec<Artifact>,
    /// What autotuners chose, sorted.
    pub autotune: Vec<AutotuneChoice>,
    /// How long the build command ran; absent where there is none.
    pub build_ns: Option<u64>,
    /// From starting the runner to its hello, the first process.
    pub startup_ns: Option<u64>,
    /// Warming every case, JIT included.
    pub warm_ns: Option<u64>,
}

impl Build {
    /// Sorts the lists and sets `id`.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn identified(mut self) -> Result<Self, Error> {
        self.toolchain.sort();
        self.artifacts.sort();
        self.inputs.sort();
        self.code_objects.sort();
        self.autotune.sort();
        self.id = self.computed_id()?;
        Ok(self)
    }

    /// What `id` must be.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn computed_id(&self) -> Result<Digest, Error> {
        Digest::of_value(&(
            "kforge.build/1",
            &self.subject,
            (&self.command, &self.runner, &self.flags),
            &self.toolchain,
            (&self.artifacts, &self.inputs, &self.code_objects),
            &self.autotune,
        ))
    }

    /// Whether every list is sorted without repetition.
    pub fn is_normal(&self) -> bool {
        ascending(&self.toolchain)
            && ascending(&self.artifacts)
            && ascending(&self.inputs)
            && ascending(&self.code_objects)
            && ascending(&self.autotune)
    }
}

fn ascending<T: Ord>(items: &[T]) -> bool {
    items.windows(2).all(|pair| matches!(pair, [first, second] if first < second))
}
