//! Over exactly which facts a judgement was made: one digest a section.
//!
//! The basis is no protection against a careful forger, who can refresh it; it makes an edit of any single
//! field visible, and lets two people compare what they judged without comparing files.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::Error;
use crate::evidence::Facts;
use crate::samples::Samples;

/// The digests of the facts that were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// Of the op, the candidate's name and the run.
    pub run: Digest,
    /// Of reference, baseline and candidate.
    pub sides: Digest,
    /// Of the environment.
    pub environment: Digest,
    /// Of the cases.
    pub cases: Digest,
    /// Of the checks.
    pub checks: Digest,
    /// Of clock checks, physical limits, findings and disturbances.
    pub measurement: Digest,
    /// Of the launches: the digest that `samples` names.
    pub samples: Digest,
    /// Of the policy.
    pub policy: Digest,
    /// Of the claim and the earlier runs.
    pub history: Digest,
}

impl Basis {
    /// The basis of these facts.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn of(facts: &Facts, samples: &Samples) -> Result<Self, Error> {
        Ok(Self {
            run: Digest::of_value(&(&facts.op, &facts.candidate, &facts.run))?,
            sides: Digest::of_value(&facts.sides)?,
            environment: Digest::of_value(&facts.environment)?,
            cases: Digest::of_value(&facts.cases)?,
            checks: Digest::of_value(&facts.checks)?,
            measurement: Digest::of_value(&(&facts.clock, &facts.floor, &facts.voids, &facts.disturbances))?,
            samples: samples.blake3,
            policy: Digest::of_value(&facts.policy)?,
            history: Digest::of_value(&(&facts.claim, &facts.prior))?,
        })
    }
}
