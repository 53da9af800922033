//! Whether evidence agrees with itself: everything that can be recomputed is recomputed.
//!
//! Answers `Level::Consistent` or the list of what is broken, first broken link first. Refuses nothing silently:
//! a field that nothing recomputes is in `UNBOUND`. Never says more than consistent: a whole forgery with fresh
//! digests is consistent too; only a signature or a measurement made again can say more.

mod experiment;
mod measured;

use std::fmt;

use serde::Serialize;

use crate::basis::Basis;
use crate::claim::Claim;
use crate::conclude::conclude;
use crate::digest::Digest;
use crate::evidence::{EVIDENCE_SCHEMA, Evidence, INLINE_LIMIT_BYTES};
use crate::samples::{Launch, Samples, SamplesFile, blocks_of};

/// How far evidence can be trusted from files alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Everything that can be recomputed agrees.
    Consistent,
}

/// One link that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The field, parts joined by `.`.
    pub path: String,
    /// A lowercase fact.
    pub what: String,
}

impl Broken {
    pub(crate) fn new(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into() }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.what)
    }
}

/// Evidence that holds, with its launches.
#[derive(Clone, Debug, PartialEq)]
pub struct Audited {
    /// The file's name.
    pub id: Digest,
    /// The evidence.
    pub evidence: Evidence,
    /// The raw samples, wherever they were stored.
    pub launches: Vec<Launch>,
    /// What can be said.
    pub level: Level,
}

/// Checks the bytes of an evidence file against its name and then itself.
///
/// `samples` is the uncompressed content of `ID.samples.zst`, where that file exists.
///
/// # Errors
/// Every broken link, the first that was met first.
pub fn audit_bytes(id: &Digest, bytes: &[u8], samples: Option<&[u8]>) -> Result<Audited, Vec<Broken>> {
    let one = |path: &str, what: String| vec![Broken::new(path, what)];
    let actual = Digest::of_bytes(bytes);
    if actual != *id {
        return Err(one(
            "id",
            format!("the bytes have the digest {}, the name says {}", actual.short(), id.short()),
        ));
    }
    if bytes.len() > INLINE_LIMIT_BYTES {
        return Err(one("", format!("{} bytes exceed the limit of {INLINE_LIMIT_BYTES}", bytes.len())));
    }
    let evidence = Evidence::read(bytes).map_err(|error| one("", error.to_string()))?;
    match evidence.to_bytes() {
        Ok(spelling) if spelling == bytes => {}
        Ok(_) => return Err(one("", "the file is not in the one spelling of its content".to_owned())),
        Err(error) => return Err(one("", error.to_string())),
    }
    let launches = launches_of(&evidence.samples, samples).map_err(|broken| vec![broken])?;
    let level = audit(&evidence, &launches)?;
    Ok(Audited { id: *id, evidence, launches, level })
}

/// Checks evidence with its launches against itself.
///
/// # Errors
/// Every broken link, the first that was met first.
pub fn audit(evidence: &Evidence, launches: &[Launch]) -> Result<Level, Vec<Broken>> {
    let mut broken = Vec::new();
    if evidence.schema != EVIDENCE_SCHEMA {
        broken.push(Broken::new("schema", format!("`{}` is not {EVIDENCE_SCHEMA}", evidence.schema)));
    }
    experiment::check(&evidence.facts, &mut broken);
    measured::check(&evidence.facts, launches, &mut broken);
    if evidence.judgement.verdict.is_faster() {
        measured::check_win(&evidence.facts, &mut broken);
    }
    check_samples(&evidence.samples, launches, &mut broken);
    check_basis(evidence, &mut broken);
    // Facts that contradict themselves are not worth judging, and judging is what takes time.
    if broken.is_empty() {
        check_judgement(evidence, launches, &mut broken);
    }
    if broken.is_empty() { Ok(Level::Consistent) } else { Err(broken) }
}

fn launches_of(samples: &Samples, file: Option<&[u8]>) -> Result<Vec<Launch>, Broken> {
    match (&samples.inline, file) {
        (Some(launches), None) => Ok(launches.clone()),
        (Some(_), Some(_)) => Err(Broken::new("samples", "are inline although a samples file exists")),
        (None, None) => Err(Broken::new("samples", "the samples file is missing")),
        (None, Some(bytes)) => {
            if Digest::of_bytes(bytes) != samples.blake3 {
                return Err(Broken::new("samples.blake3", "is not the digest of the samples file"));
            }
            SamplesFile::read(bytes).map_err(|error| Broken::new("samples", error.to_string()))
        }
    }
}

fn check_samples(samples: &Samples, launches: &[Launch], broken: &mut Vec<Broken>) {
    match SamplesFile::of(launches) {
        Ok(file) if file.blake3 == samples.blake3 => {}
        Ok(_) => broken.push(Broken::new("samples.blake3", "is not the digest of the launches")),
        Err(error) => broken.push(Broken::new("samples", error.to_string())),
    }
    if samples.launches as usize != launches.len() {
        broken.push(Broken::new("samples.launches", "is not the number of launches"));
    }
    if samples.blocks != blocks_of(launches) {
        broken.push(Broken::new("samples.blocks", "is not the number of blocks"));
    }
}

fn check_judgement(evidence: &Evidence, launches: &[Launch], broken: &mut Vec<Broken>) {
    let facts = &evidence.facts;
    match conclude(facts, launches) {
        Ok(judgement) if judgement == evidence.judgement => {}
        Ok(judgement) => broken.push(Broken::new(
            "judgement",
            format!(
                "says {}, the samples and checks give {}{}",
                evidence.judgement.verdict.word(),
                judgement.verdict.word(),
                if judgement.verdict.word() == evidence.judgement.verdict.word() {
                    " with other numbers"
                } else {
                    ""
                }
            ),
        )),
        Err(error) => broken.push(Broken::new("judgement", format!("cannot be made again: {error}"))),
    }
    if let Some(claim) = &facts.claim {
        let again = Claim::parse(&claim.text).map(|parsed| parsed.compared(&evidence.judgement));
        if again.ok().as_ref() != Some(claim) {
            broken.push(Broken::new("facts.claim", "does not follow from its text and the judgement"));
        }
    }
    if facts.disallowed_win(&evidence.judgement.verdict) {
        broken.push(Broken::new(
            "facts.cases",
            format!("a win needs {} drawn cases by its own policy", facts.policy.measure.drawn_cases),
        ));
    }
}

fn check_basis(evidence: &Evidence, broken: &mut Vec<Broken>) {
    let facts = &evidence.facts;
    match Basis::of(facts, &evidence.samples) {
        Ok(basis) if basis == evidence.basis => {}
        Ok(_) => broken.push(Broken::new("basis", "is not the digest of the facts beside it")),
        Err(error) => broken.push(Broken::new("basis", error.to_string())),
    }
}
