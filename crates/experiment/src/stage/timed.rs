//! The last stage: samples are there. What follows from them is the record's to conclude.

use super::checked::{Checked, Correct};
use super::facts::{Measured, RunContext, seal_evidence};
use super::timing::Timing;
use crate::draw::Entropy;
use crate::error::Error;
use kforge_record::Sealed as SealedEvidence;

/// A candidate with its samples.
pub struct Timed<'c, 'a> {
    checked: &'c Checked<'a>,
    candidate: String,
    measured: Measured,
}

impl<'c, 'a> Correct<'c, 'a> {
    /// Times the candidate beside two processes of the baseline, launch after launch, until a look decides.
    ///
    /// # Errors
    /// An interrupt, or a baseline that no longer answers; whatever the candidate does is part of the answer.
    pub fn time(self, entropy: &mut dyn Entropy) -> Result<Timed<'c, 'a>, Error> {
        let measured = Timing::new(self.checked, &self.candidate, entropy)?.measure()?;
        Ok(Timed { checked: self.checked, candidate: self.candidate, measured })
    }
}

impl Timed<'_, '_> {
    /// The evidence, with every sample.
    ///
    /// # Errors
    /// Where the record refuses the facts, which is a bug.
    pub fn evidence(self, context: &RunContext) -> Result<SealedEvidence, Error> {
        seal_evidence(self.checked, &self.candidate, context, self.measured)
    }
}
