//! What the evidence of one op says about files: which were measured, which are in use, and which content rests on a win
//! or on a measured baseline.
//!
//! In use is what some evidence measured as the baseline, or what won. A file that only lost was never in use.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use kforge_record::{BlobId, Check, Digest, Evidence, SubjectEntry, VoidCause};

use super::shelf::Volume;
use super::state::{Findings, Look};
use crate::Error;
use crate::gate::BrokenLink;

/// The evidence of one op, newest first.
pub(super) struct Known {
    pub(super) op: String,
    volume: Rc<Volume>,
    /// The positions of the wins that may be committed.
    won: OnceCell<Vec<usize>>,
    before: OnceCell<BTreeSet<Digest>>,
}

/// The candidate's files of one piece of evidence.
pub(super) fn subject(evidence: &Evidence) -> &[SubjectEntry] {
    &evidence.facts.sides.candidate.subject.entries
}

fn baseline(evidence: &Evidence) -> &[SubjectEntry] {
    &evidence.facts.sides.baseline.subject.entries
}

/// Whether a win stands in the tree as a whole, of which one content lies at `place`: each of its files under its own name, or where
/// its baseline lies, whose place it takes. Where it takes that place, nothing of the baseline is left there but what both share.
fn stands_whole(win: &Evidence, place: &SubjectEntry, entries: &BTreeMap<String, SubjectEntry>) -> bool {
    let (won, before) = (subject(win), baseline(win));
    let at = |path: &str, blob: &BlobId| entries.get(path).is_some_and(|now| now.blob == *blob);
    let own = won.iter().any(|entry| entry.path == place.path);
    let there = |entry: &SubjectEntry| {
        entry.blob == place.blob
            || at(&entry.path, &entry.blob)
            || (!own && before.iter().any(|old| at(&old.path, &entry.blob)))
    };
    let adopted = !own && before.iter().any(|old| old.path == place.path);
    let replaced = |old: &SubjectEntry| match entries.get(&old.path) {
        Some(now) => won.iter().any(|entry| entry.blob == now.blob || entry.path == old.path),
        None => true,
    };
    won.iter().all(there) && (!adopted || before.iter().all(replaced))
}

/// Whether the baseline was checked and found right, every time.
fn is_right(evidence: &Evidence) -> bool {
    let facts = &evidence.facts;
    let mut checks = facts.checks.iter().filter(|check| check.side == "baseline").peekable();
    checks.peek().is_some()
        && checks.all(Check::computed_pass)
        && facts.sides.baseline.failure.is_none()
        && !facts.voids.iter().any(|finding| finding.cause == VoidCause::Baseline)
}

impl Known {
    /// All of it, newest first.
    pub(super) fn all(&self) -> &[(Digest, Evidence)] {
        &self.volume.evidence
    }

    /// Reads the evidence; what cannot be read is a broken link.
    pub(super) fn read(look: &Look<'_>, op: &str, findings: &mut Findings) -> Result<Self, Error> {
        let volume = look.shelf.volume(op)?;
        findings.broken.extend(volume.unreadable.iter().map(|error| {
            BrokenLink::new("malformed", error.clone(), "restore the evidence file from version control")
        }));
        Ok(Self { op: op.to_owned(), volume, won: OnceCell::new(), before: OnceCell::new() })
    }

    /// Every path of a candidate or a baseline.
    pub(super) fn files(&self) -> BTreeSet<String> {
        let sides =
            self.all().iter().flat_map(|(_, evidence)| subject(evidence).iter().chain(baseline(evidence)));
        sides.map(|entry| entry.path.clone()).collect()
    }

    /// The mode under which a file's content was measured at its path, where it is another one now.
    pub(super) fn other_mode(&self, entry: &SubjectEntry) -> Option<&str> {
        let sides =
            self.all().iter().flat_map(|(_, evidence)| subject(evidence).iter().chain(baseline(evidence)));
        let mut same = sides.filter(|known| known.path == entry.path && known.blob == entry.blob);
        same.find(|known| known.mode != entry.mode).map(|known| known.mode.as_str())
    }

    /// Every path of a reference.
    pub(super) fn references(&self) -> BTreeSet<&str> {
        let files =
            self.all().iter().flat_map(|(_, evidence)| &evidence.facts.sides.reference.subject.entries);
        files.map(|entry| entry.path.as_str()).collect()
    }

    /// What is or was in use, each with the side that it was measured as: every baseline's files, and every win's.
    pub(super) fn in_use(&self) -> impl Iterator<Item = (&str, &SubjectEntry)> {
        self.all().iter().flat_map(|(_, evidence)| {
            let won = evidence.judgement.verdict.is_faster();
            let wins = subject(evidence).iter().filter(move |_| won);
            let wins = wins.map(|entry| (evidence.facts.candidate.as_str(), entry));
            baseline(evidence).iter().map(|entry| ("baseline", entry)).chain(wins)
        })
    }

    /// Whether a changed file needs no win of its own: it is back at a measured baseline, or holds what a win measured elsewhere. What
    /// was measured is a side as a whole: one file of it among files of another is a mixture that nobody measured. `entries` holds the
    /// tree's file at every path of a side.
    pub(super) fn excuses(
        &self,
        look: &Look<'_>,
        entry: &SubjectEntry,
        entries: &BTreeMap<String, SubjectEntry>,
    ) -> Result<bool, Error> {
        if self.is_baseline(look, entry, entries)? {
            return Ok(true);
        }
        let wins = self.wins(look)?.iter().filter_map(|position| self.all().get(*position));
        Ok(wins.into_iter().any(|(_, win)| {
            subject(win).iter().any(|known| known.blob == entry.blob) && stands_whole(win, entry, entries)
        }))
    }

    /// Whether a file is back at a measured baseline, and the rest of that baseline with it. Evidence that comes along with the file proves nothing about it, or a
    /// slower baseline would bring its own proof; only of a path that was not there before is that evidence all there can be.
    fn is_baseline(
        &self,
        look: &Look<'_>,
        entry: &SubjectEntry,
        entries: &BTreeMap<String, SubjectEntry>,
    ) -> Result<bool, Error> {
        let stands =
            |known: &SubjectEntry| entries.get(&known.path).is_some_and(|now| now.blob == known.blob);
        let here =
            |evidence: &Evidence| baseline(evidence).contains(entry) && baseline(evidence).iter().all(stands);
        if self.was_measured(look, &here, false)? {
            return Ok(true);
        }
        let new = match look.from {
            Some(from) => look.entries_in(from, &BTreeSet::from([entry.path.clone()]))?.is_empty(),
            None => true,
        };
        Ok(new && self.was_measured(look, &here, true)?)
    }

    /// Whether evidence of this kind found its baseline right: before what is looked at, or, where evidence that comes along
    /// counts too, in it and timed.
    pub(super) fn was_measured(
        &self,
        look: &Look<'_>,
        kind: &dyn Fn(&Evidence) -> bool,
        new_counts: bool,
    ) -> Result<bool, Error> {
        for (id, evidence) in self.all().iter().filter(|(_, evidence)| kind(evidence)) {
            let timed = new_counts && evidence.samples.launches > 0;
            if (timed || self.was_known(look, id)?)
                && is_right(evidence)
                && !matches!(&*look.admissible(&self.op, id)?, Err(link) if link.link == "malformed")
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether evidence was there before what is looked at; a ledger elsewhere is not part of what is looked at.
    pub(super) fn was_known(&self, look: &Look<'_>, id: &Digest) -> Result<bool, Error> {
        let Some(folder) = look.evidence_folder(&self.op) else { return Ok(true) };
        Ok(self.before(look, &folder)?.contains(id))
    }

    /// Whether what is looked at brings the op's first evidence.
    pub(super) fn is_new(&self, look: &Look<'_>) -> Result<bool, Error> {
        let Some(folder) = look.evidence_folder(&self.op) else { return Ok(false) };
        Ok(self.before(look, &folder)?.is_empty())
    }

    /// The op's evidence in the tree that is compared with.
    fn before(&self, look: &Look<'_>, folder: &String) -> Result<&BTreeSet<Digest>, Error> {
        if let Some(before) = self.before.get() {
            return Ok(before);
        }
        let files = match look.from {
            Some(from) => look.git.entries(from, std::slice::from_ref(folder))?,
            None => Vec::new(),
        };
        let name = |path: &str| path.strip_prefix(folder)?.strip_suffix(".json")?.parse().ok();
        let before = files.iter().filter_map(|file| name(&file.path)).collect();
        Ok(self.before.get_or_init(|| before))
    }

    /// Whether a content rests on a win that may be committed: a baseline may take a winner's place under its own name.
    pub(super) fn has_won(&self, look: &Look<'_>, blob: &BlobId) -> Result<bool, Error> {
        let mut wins = self.wins(look)?.iter().filter_map(|position| self.all().get(*position));
        Ok(wins.any(|(_, win)| subject(win).iter().any(|entry| entry.blob == *blob)))
    }

    fn wins(&self, look: &Look<'_>) -> Result<&[usize], Error> {
        if let Some(won) = self.won.get() {
            return Ok(won);
        }
        let mut won = Vec::new();
        for (position, (id, evidence)) in self.all().iter().enumerate() {
            if evidence.judgement.verdict.is_faster() && look.admissible(&self.op, id)?.is_ok() {
                won.push(position);
            }
        }
        Ok(self.won.get_or_init(|| won))
    }

    /// Whether a content rests on a win or on a baseline that was measured before, under whatever name.
    pub(super) fn rests(&self, look: &Look<'_>, blob: &BlobId) -> Result<bool, Error> {
        let measured = |evidence: &Evidence| baseline(evidence).iter().any(|entry| entry.blob == *blob);
        Ok(self.was_measured(look, &measured, false)? || self.has_won(look, blob)?)
    }

    /// Whether no baseline and no win of the op ever had this path.
    pub(super) fn was_never_in_use(&self, path: &str) -> bool {
        !self.in_use().any(|(_, used)| used.path == path)
    }

    /// The loss that a file is kept beside: evidence in the looked-at tree for exactly its bytes says that it is no win, and no
    /// baseline and no win of the op ever had its path.
    pub(super) fn kept_attempt(
        &self,
        look: &Look<'_>,
        entry: &SubjectEntry,
    ) -> Result<Option<Digest>, Error> {
        if !self.was_never_in_use(&entry.path) {
            return Ok(None);
        }
        // What could not even be started was not measured.
        let tried = |evidence: &Evidence| !evidence.facts.sides.candidate.never_ran();
        let lost =
            self.all().iter().filter(|(_, evidence)| tried(evidence) && subject(evidence).contains(entry));
        for (id, _) in lost {
            if look.holds_evidence(&self.op, id)? && look.shelf.ledger.audited(&self.op, id).is_ok() {
                return Ok(Some(*id));
            }
        }
        Ok(None)
    }
}
