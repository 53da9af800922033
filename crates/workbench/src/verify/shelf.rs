//! The evidence of a ledger, read and judged once, however many files and commits ask for it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use kforge_ledger::Ledger;
use kforge_record::{Audited, Digest, Evidence};

use crate::Error;
use crate::gate::{self, BrokenLink, Runs};

/// Whether a commit may rest on one piece of evidence.
pub(super) type Answer = Rc<Result<Audited, BrokenLink>>;

/// The op, the evidence, and the later runs that count beside it.
type Question = (String, Digest, Vec<Digest>);

/// The evidence of one op, newest first, and why some of it cannot be read.
pub(super) struct Volume {
    pub(super) evidence: Vec<(Digest, Evidence)>,
    pub(super) unreadable: Vec<String>,
}

/// What was read and judged.
pub(super) struct Shelf<'a> {
    pub(super) ledger: &'a Ledger,
    volumes: RefCell<BTreeMap<String, Rc<Volume>>>,
    answers: RefCell<BTreeMap<Question, Answer>>,
}

impl<'a> Shelf<'a> {
    pub(super) const fn new(ledger: &'a Ledger) -> Self {
        Self { ledger, volumes: RefCell::new(BTreeMap::new()), answers: RefCell::new(BTreeMap::new()) }
    }

    /// The evidence of an op.
    pub(super) fn volume(&self, op: &str) -> Result<Rc<Volume>, Error> {
        if let Some(volume) = self.volumes.borrow().get(op) {
            return Ok(Rc::clone(volume));
        }
        let mut volume = Volume { evidence: Vec::new(), unreadable: Vec::new() };
        for id in self.ledger.evidence_ids(op)? {
            match self.ledger.read(op, &id) {
                // What was compared with an earlier commit says nothing about what a commit may rest on.
                Ok(evidence) if evidence.facts.run.base.is_some() => {}
                Ok(evidence) => volume.evidence.push((id, evidence)),
                Err(error) => volume.unreadable.push(error.to_string()),
            }
        }
        volume
            .evidence
            .sort_by(|(_, one), (_, other)| other.facts.run.started_at.cmp(&one.facts.run.started_at));
        let volume = Rc::new(volume);
        self.volumes.borrow_mut().insert(op.to_owned(), Rc::clone(&volume));
        Ok(volume)
    }

    /// Whether a commit may rest on this evidence, as files alone show it; candidates of the later runs `together` count too.
    pub(super) fn admissible(&self, op: &str, id: &Digest, together: Vec<Digest>) -> Result<Answer, Error> {
        let key = (op.to_owned(), *id, together);
        if let Some(answer) = self.answers.borrow().get(&key) {
            return Ok(Rc::clone(answer));
        }
        let volume = self.volume(op)?;
        let runs = Runs::Shown { evidence: &volume.evidence, together: &key.2 };
        let answer = Rc::new(gate::admissible(self.ledger, op, id, runs)?);
        self.answers.borrow_mut().insert(key, Rc::clone(&answer));
        Ok(answer)
    }

    /// Evidence of other candidates that were measured against the same baseline after this one.
    pub(super) fn later_rivals(&self, op: &str, id: &Digest) -> Result<Vec<Digest>, Error> {
        let volume = self.volume(op)?;
        let Some((_, this)) = volume.evidence.iter().find(|(known, _)| known == id) else {
            return Ok(Vec::new());
        };
        let rival = |other: &Evidence| {
            other.facts.sides.baseline.subject.id == this.facts.sides.baseline.subject.id
                && other.facts.run.pair != this.facts.run.pair
                && other.facts.run.started_at > this.facts.run.started_at
        };
        Ok(volume.evidence.iter().filter(|(_, other)| rival(other)).map(|(id, _)| *id).collect())
    }
}
