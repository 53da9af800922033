//! Whether the files that change rest on evidence: every changed file that some evidence is about must be part of a win for
//! exactly the tree's blobs, hold what a win measured elsewhere, be a measured baseline, or be a loss kept beside its evidence.
//!
//! A file that is gone passes where nothing took its place that rests on nothing; see `replaced`.

use std::collections::{BTreeMap, BTreeSet};

use kforge_record::{Digest, SubjectEntry};

use super::known::{Known, subject};
use super::replaced::experiment_path;
use super::state::{Findings, Look, first_difference};
use crate::gate::{self, BrokenLink};
use crate::git::TreeEntry;
use crate::{Error, Note};

impl Look<'_> {
    /// Checks every op of which a file is among the changed ones (relative to the repository's top).
    pub(super) fn changed(&self, changed: &[String], findings: &mut Findings) -> Result<(), Error> {
        let inside: BTreeSet<&str> =
            changed.iter().filter_map(|path| path.strip_prefix(self.git.prefix.as_str())).collect();
        let before = match self.from {
            Some(from) => self.git.before(from, self.tree)?,
            None => Vec::new(),
        };
        for op in self.shelf.ledger.ops()? {
            let known = Known::read(self, &op, findings)?;
            let files = known.files();
            let mut open: BTreeSet<String> =
                files.iter().filter(|path| inside.contains(path.as_str())).cloned().collect();
            let moved = known.moved_before(self, &before)?;
            findings.notes.extend(self.judged_otherwise(&known, &before));
            let comes = self.evidence_folder(&op);
            let comes = comes.is_some_and(|folder| changed.iter().any(|path| path.starts_with(&folder)));
            let needed = comes || !open.is_empty() || !moved.is_empty();
            let entries = if needed { self.entries(&files)? } else { BTreeMap::new() };
            if !open.is_empty() || !moved.is_empty() {
                findings.files += open.len() + moved.len();
                self.changed_op(&known, &entries, &mut open, &moved, findings)?;
            }
            if inside.contains(experiment_path(&op).as_str())
                && let Some(entry) = known.unproven_baseline(self)?
            {
                findings.broken.push(not_in_use(&op, &entry));
            }
            if comes {
                self.added(&known, &entries, changed, findings)?;
            }
        }
        Ok(())
    }

    fn changed_op(
        &self,
        known: &Known,
        entries: &BTreeMap<String, SubjectEntry>,
        open: &mut BTreeSet<String>,
        moved: &[(String, String)],
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let op = &known.op;
        let mut first_link = None;
        for (id, evidence) in
            known.all().iter().filter(|(_, evidence)| first_difference(evidence, entries).is_none())
        {
            if !subject(evidence).iter().any(|entry| open.contains(&entry.path)) {
                continue;
            }
            match &*self.admissible(op, id)? {
                Ok(audited) => {
                    self.add(op, audited, "blobs", findings)?;
                    open.retain(|path| !subject(evidence).iter().any(|entry| entry.path == *path));
                }
                Err(link) => first_link = first_link.or_else(|| Some(link.clone())),
            }
        }
        for path in open.iter().filter(|path| !entries.contains_key(*path)) {
            self.gone(known, path, path, findings)?;
        }
        self.moved(known, moved, findings)?;
        let mut unproven = None;
        for path in open.iter() {
            let Some(entry) = entries.get(path) else { continue };
            if known.excuses(self, entry, entries)? {
                continue;
            }
            match known.kept_attempt(self, entry)? {
                Some(id) => findings.notes.push(kept(path, &id)),
                None => unproven = unproven.or(Some(path)),
            }
        }
        let Some(path) = unproven else { return Ok(()) };
        let lookup = |path: &str| entries.get(path).cloned();
        let mut link = match first_link {
            Some(link) => link,
            None => match gate::evidence_for(self.shelf.ledger, op, None, &lookup)? {
                Err(link) => link,
                Ok(_) => BrokenLink::new(
                    "no-evidence",
                    match entries.get(path).and_then(|entry| Some((known.other_mode(entry)?, entry))) {
                        Some((mode, entry)) => {
                            format!("{path} is mode {}, evidence of op {op} is for mode {mode}", entry.mode)
                        }
                        None => format!("no evidence of op {op} is for {path} as it is"),
                    },
                    "measure it with `kforge validate`, or restore what was measured",
                ),
            },
        };
        if link.link == "not-faster" && known.was_never_in_use(path) {
            let hint = format!(
                "keep a losing attempt beside its evidence: `git add kernels/{op}/evidence` in the same tree"
            );
            link.hint = Some(hint);
        }
        findings.broken.push(if link.file.is_some() { link } else { link.about(path) });
        Ok(())
    }

    /// What decides what is right and what is measured, where it is not what it was. No evidence can prove such a change, so
    /// that a person has to look at it.
    fn judged_otherwise(&self, known: &Known, before: &[TreeEntry]) -> Option<Note> {
        let experiment = experiment_path(&known.op);
        let references = known.references();
        let inside = before.iter().filter_map(|entry| entry.path.strip_prefix(self.git.prefix.as_str()));
        let named: Vec<String> = inside
            .filter_map(|path| match path {
                _ if path == experiment => Some(format!("{path} (the experiment)")),
                _ if references.contains(path) => Some(format!("{path} (of the reference)")),
                _ => None,
            })
            .collect();
        let message =
            format!("op {} is judged otherwise from here on: {} changed", known.op, named.join(", "));
        (!named.is_empty()).then(|| Note::new("verify.judged-otherwise", message))
    }

    /// A file of an op that is no longer there: a note, unless something unproven stands in its place.
    fn gone(&self, known: &Known, path: &str, measured: &str, findings: &mut Findings) -> Result<(), Error> {
        let op = &known.op;
        let Some(replacement) = known.replacement(self, path, measured)? else {
            let message = format!("{path}, which evidence of op {op} is about, is no longer there");
            findings.notes.push(Note::new("verify.subject-removed", message));
            return Ok(());
        };
        let message = format!(
            "{path}, which evidence of op {op} is about, is gone, and {} {}: nothing proves it",
            replacement.path, replacement.how
        );
        let hint = "measure what took its place with `kforge validate` and `kforge commit`, or keep the measured file";
        findings.broken.push(BrokenLink::new("subject-removed", message, hint).about(&replacement.path));
        Ok(())
    }

    /// Files to which something measured was moved before what is looked at.
    fn moved(&self, known: &Known, moved: &[(String, String)], findings: &mut Findings) -> Result<(), Error> {
        let paths = moved.iter().map(|(path, _)| path.clone()).collect();
        let entries = self.entries(&paths)?;
        for (path, measured) in moved {
            match entries.get(path) {
                None => self.gone(known, path, measured, findings)?,
                Some(entry) if known.rests(self, &entry.blob)? => {}
                Some(entry) => {
                    let message = format!(
                        "{path} held what was measured as {measured}, and is blob {} now, which nothing proves",
                        entry.blob.short()
                    );
                    let hint = "measure it with `kforge validate`, or restore what was measured";
                    findings.broken.push(BrokenLink::new("subject-differs", message, hint).about(path));
                }
            }
        }
        Ok(())
    }

    /// Wins whose evidence comes after their files: the files are there already, and evidence makes them proven.
    fn added(
        &self,
        known: &Known,
        entries: &BTreeMap<String, SubjectEntry>,
        changed: &[String],
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let Some(folder) = self.evidence_folder(&known.op) else { return Ok(()) };
        for (id, evidence) in known.all() {
            let fits =
                evidence.judgement.verdict.is_faster() && first_difference(evidence, entries).is_none();
            if !fits
                || !changed.contains(&format!("{folder}{id}.json"))
                || !self.holds_evidence(&known.op, id)?
            {
                continue;
            }
            match &*self.admissible(&known.op, id)? {
                Ok(audited) => self.add(&known.op, audited, "blobs", findings)?,
                Err(link) => findings.unproven = findings.unproven.take().or_else(|| Some(link.clone())),
            }
        }
        Ok(())
    }
}

fn kept(path: &str, id: &Digest) -> Note {
    let message =
        format!("{path} is no win, as evidence {} says, and was never in use: a kept attempt", id.short());
    Note::new("verify.kept-attempt", message)
}

fn not_in_use(op: &str, entry: &SubjectEntry) -> BrokenLink {
    let message = format!(
        "experiment.toml of op {op} declares {} as the baseline, and nothing measured it as one or calls it faster",
        entry.path
    );
    let hint = "measure against it with `kforge validate`, or declare what was measured";
    BrokenLink::new("no-evidence", message, hint).about(&entry.path)
}
