//! One validate of one candidate: when, with what harness, and which runs of the same pair came before.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::Error;

/// One validate of one candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The digest of every other field except `finished_at`; it is in the journal before anything is timed.
    pub id: Digest,
    /// 32 hexadecimal digits from the operating system's randomness.
    pub nonce: String,
    /// RFC 3339, UTC, whole seconds: when the run was journalled.
    pub started_at: String,
    /// RFC 3339, UTC, whole seconds: when the verdict was reached.
    pub finished_at: String,
    /// The version of kforge.
    pub kforge: String,
    /// The version of the runner protocol.
    pub protocol: u32,
    /// BLAKE3 of the harness files that kforge wrote out for the runners.
    pub harness: Digest,
    /// BLAKE3 of experiment.toml.
    pub experiment: Digest,
    /// The pair: see `Run::pair_of`.
    pub pair: Digest,
    /// How many different candidates had been measured against this baseline, those of this validate included, as journal
    /// and ledger knew when it began; a candidate kept out of several is measured again for its claim.
    pub candidates: u32,
    /// Asked for as a confirmation of an earlier result of the same pair.
    pub confirmation: bool,
    /// The commit that the candidate was compared with, in place of the experiment's baseline; absent where the baseline is the
    /// experiment's own. Such evidence says nothing about the operation's baseline: no version and no commit rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

impl Run {
    /// The digest that names a pair of subjects, whatever their trees and whenever they were measured.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn pair_of(baseline: &Digest, candidate: &Digest) -> Result<Digest, Error> {
        Digest::of_value(&("kforge.pair/1", baseline, candidate))
    }

    /// Sets `id`.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn identified(mut self) -> Result<Self, Error> {
        self.id = self.computed_id()?;
        Ok(self)
    }

    /// What `id` must be.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn computed_id(&self) -> Result<Digest, Error> {
        let run = (
            ("kforge.run/1", &self.nonce, &self.started_at),
            (&self.kforge, &self.protocol, &self.harness),
            (&self.experiment, &self.pair, &self.candidates, &self.confirmation),
        );
        match &self.base {
            None => Digest::of_value(&run),
            Some(base) => Digest::of_value(&(run, base)),
        }
    }
}

/// An earlier journalled run of the same pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorRun {
    /// The run's id.
    pub run: Digest,
    /// When it was journalled.
    pub started_at: String,
    /// The kind of its verdict; absent where it never reached one.
    pub verdict: Option<String>,
    /// Its evidence, where it left some.
    pub evidence: Option<Digest>,
}

/// Something that disturbed the measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disturbance {
    /// The launch's index.
    pub launch: u32,
    /// The case's name; absent where the whole launch was disturbed.
    pub case: Option<String>,
    /// The block's position in its series; absent where the whole series was disturbed.
    pub block: Option<u32>,
    /// One line of what was seen.
    pub cause: String,
    /// Whether the sample was left out of the judgement.
    pub dropped: bool,
}

/// Why a measurement says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidCause {
    /// Something was compiled or rebuilt after sealing, or an artifact is older than its source.
    Rebuilt,
    /// A module or library came from outside the side's tree.
    Shadowed,
    /// The reported time disagrees with the time taken from outside.
    Clock,
    /// The baseline against itself differs: the machine favours a position.
    Biased,
    /// Faster than the device's physical limit.
    Impossible,
    /// The baseline itself is wrong, crashed or did not build.
    Baseline,
    /// The machine or its users changed during the run.
    Environment,
    /// A call whose result is still there leaves work out.
    Skipped,
    /// A process of a side outlived its runner, or worked on while another side was timed.
    LeftProcess,
    /// A side was scheduled otherwise than it had asked for itself: with another priority, or the baseline on other processors.
    Priority,
    /// A side's work went on after its batch was said to be done: it was put where the events do not see it.
    Unfinished,
    /// A case was timed without a passed check of the same build.
    Unchecked,
}

impl VoidCause {
    /// The word used in tables and JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rebuilt => "rebuilt",
            Self::Shadowed => "shadowed",
            Self::Clock => "clock",
            Self::Biased => "biased",
            Self::Impossible => "impossible",
            Self::Baseline => "baseline",
            Self::Environment => "environment",
            Self::Skipped => "skipped",
            Self::LeftProcess => "left_process",
            Self::Priority => "priority",
            Self::Unfinished => "unfinished",
            Self::Unchecked => "unchecked",
        }
    }
}

/// A finding that voids the measurement, seen while building or measuring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VoidFinding {
    /// Why the measurement says nothing.
    pub cause: VoidCause,
    /// One line with the file, process or number.
    pub detail: String,
}
