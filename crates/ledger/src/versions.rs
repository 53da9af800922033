//! Version numbers: the recorded evidence of an op in the order of time. Derived, never stored.

use kforge_record::Digest;

use crate::rebuild::Truth;

/// One recorded version of an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// From 1.
    pub number: u32,
    /// The lesson's tag.
    pub tag: String,
    /// The evidence.
    pub id: Digest,
}

/// Numbers truth that is already in the order of time.
pub(crate) fn number(truth: &[Truth]) -> Vec<Version> {
    let numbered = truth.iter().zip(1_u32..);
    numbered.map(|(truth, number)| Version { number, tag: truth.lesson.tag.clone(), id: truth.id }).collect()
}
