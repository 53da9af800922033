//! Version numbers: the recorded pairs of an op in the order in which they were first measured. Derived, never stored.
//!
//! A confirmation measures the same pair of subjects again: it is more evidence for the same version.

use std::collections::BTreeMap;

use kforge_record::Digest;

use crate::rebuild::Truth;

/// One piece of recorded evidence with its version.
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
    let numbers = numbers(truth.iter().map(|truth| truth.evidence.facts.run.pair));
    let numbered = truth.iter().zip(numbers);
    numbered.map(|(truth, number)| Version { number, tag: truth.lesson.tag.clone(), id: truth.id }).collect()
}

/// The number of each pair, from 1, in the order of first appearance.
pub(crate) fn numbers(pairs: impl Iterator<Item = Digest>) -> Vec<u32> {
    let mut known = BTreeMap::new();
    pairs
        .map(|pair| {
            let next = u32::try_from(known.len() + 1).unwrap_or(u32::MAX);
            *known.entry(pair).or_insert(next)
        })
        .collect()
}
