//! The evidence file: what was seen, what follows from it, and over exactly what it was judged.
//!
//! Invariant: `Evidence::seal` is the only maker; it judges with `conclude`, and the bytes it gives are the one
//! spelling of their content. The file's name is the BLAKE3 of its exact bytes.

use kforge_stats::{Judgement, Verdict};
use serde::{Deserialize, Serialize};

use crate::basis::Basis;
use crate::case::{Case, CaseOrigin};
use crate::check::Check;
use crate::claim::Claim;
use crate::conclude::conclude;
use crate::cross_check::{ClockCheck, FloorCheck};
use crate::digest::Digest;
use crate::environment::Environment;
use crate::error::Error;
use crate::policy::Policy;
use crate::run::{Disturbance, PriorRun, Run, VoidFinding};
use crate::samples::{Launch, Samples, SamplesFile};
use crate::subject::{Side, SubjectEntry};

/// The schema of an evidence file.
pub const EVIDENCE_SCHEMA: &str = "kforge.evidence/1";

/// An evidence file is at most this long; longer samples go to `ID.samples.zst`.
pub const INLINE_LIMIT_BYTES: usize = 256 * 1024;

/// The three sides of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sides {
    /// Gives the right answers.
    pub reference: Side,
    /// What is in use today.
    pub baseline: Side,
    /// What shall replace it.
    pub candidate: Side,
}

/// What was seen, before any judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The op.
    pub op: String,
    /// The candidate's name in experiment.toml.
    pub candidate: String,
    /// When, and with what harness.
    pub run: Run,
    /// What was compared.
    pub sides: Sides,
    /// Where.
    pub environment: Environment,
    /// Declared cases first, then drawn ones.
    pub cases: Vec<Case>,
    /// Every check of baseline and candidate.
    pub checks: Vec<Check>,
    /// The runner's clock against the time from outside.
    pub clock: Vec<ClockCheck>,
    /// The physical limit of each timed case.
    pub floor: Vec<FloorCheck>,
    /// What voids the measurement, as seen while building and measuring.
    pub voids: Vec<VoidFinding>,
    /// What disturbed it.
    pub disturbances: Vec<Disturbance>,
    /// The thresholds used.
    pub policy: Policy,
    /// What was claimed before measuring, beside what was measured.
    pub claim: Option<Claim>,
    /// All earlier journalled runs of the same pair, oldest first.
    pub prior: Vec<PriorRun>,
}

impl Facts {
    /// Whether this verdict is a win that fewer drawn cases support than the policy asks for.
    pub fn disallowed_win(&self, verdict: &Verdict) -> bool {
        let drawn = self.cases.iter().filter(|case| case.origin == CaseOrigin::Drawn).count();
        verdict.is_faster() && drawn < self.policy.measure.drawn_cases as usize
    }
}

/// One evidence file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// `EVIDENCE_SCHEMA`.
    pub schema: String,
    /// What was seen.
    pub facts: Facts,
    /// The raw samples, or the digest of the file that holds them.
    pub samples: Samples,
    /// What follows.
    pub judgement: Judgement,
    /// Over what it was judged.
    pub basis: Basis,
}

/// Evidence with the bytes that are stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Sealed {
    /// BLAKE3 of `bytes`: the file's name.
    pub id: Digest,
    /// The content of `ID.json`.
    pub bytes: Vec<u8>,
    /// The uncompressed content of `ID.samples.zst`, where the samples are too long to be inline.
    pub samples: Option<SamplesFile>,
    /// The evidence itself.
    pub evidence: Evidence,
}

impl Evidence {
    /// Judges the facts and the samples, compares the claim, and gives the bytes to store.
    ///
    /// # Errors
    /// `Error::Judge` where the samples are no times, `Error::TooLarge` where even without samples the file is
    /// over the limit.
    pub fn seal(mut facts: Facts, launches: Vec<Launch>) -> Result<Sealed, Error> {
        let judgement = conclude(&facts, &launches)?;
        facts.claim = facts.claim.map(|claim| claim.compared(&judgement));
        let file = SamplesFile::of(&launches)?;
        let samples = Samples::of(launches)?;
        let basis = Basis::of(&facts, &samples)?;
        let mut evidence = Self { schema: EVIDENCE_SCHEMA.to_owned(), facts, samples, judgement, basis };
        let mut bytes = evidence.to_bytes()?;
        let apart = bytes.len() > INLINE_LIMIT_BYTES;
        if apart {
            evidence.samples.inline = None;
            bytes = evidence.to_bytes()?;
        }
        if bytes.len() > INLINE_LIMIT_BYTES {
            return Err(Error::TooLarge { bytes: bytes.len(), limit: INLINE_LIMIT_BYTES });
        }
        Ok(Sealed { id: Digest::of_bytes(&bytes), bytes, samples: apart.then_some(file), evidence })
    }

    /// The one spelling of this evidence: compact JSON in the declared order of fields, and a final line end.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = serde_json::to_vec(self)
            .map_err(|error| Error::Unwritable { what: "evidence", reason: error.to_string() })?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The first file of the candidate that is not as it was measured, where `present` gives the entry of a path now.
    pub fn first_difference(&self, present: &dyn Fn(&str) -> Option<SubjectEntry>) -> Option<&SubjectEntry> {
        let mut entries = self.facts.sides.candidate.subject.entries.iter();
        entries.find(|entry| present(&entry.path).as_ref() != Some(*entry))
    }

    /// Reads an evidence file; does not check it (see `audit`).
    ///
    /// # Errors
    /// `Error::Malformed` where the bytes are not JSON of this schema.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(bytes)
            .map_err(|error| Error::Malformed { what: "evidence", reason: error.to_string() })
    }
}
