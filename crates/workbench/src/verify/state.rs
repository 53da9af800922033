//! Whether a tree's subject files rest on evidence: every changed file of a candidate or a baseline must be part of a win for
//! exactly the tree's blobs, hold what a win measured elsewhere, or be a measured baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kforge_ledger::Ledger;
use kforge_record::{Audited, Digest, Evidence, SubjectEntry};

use super::answer::Checked;
use crate::gate::{self, BrokenLink, Runs};
use crate::git::Git;
use crate::signing::{self, Signer};
use crate::{Error, Note};

/// What is collected while looking.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) checked: Vec<Checked>,
    pub(super) broken: Vec<BrokenLink>,
    pub(super) notes: Vec<Note>,
}

/// One tree to look at.
pub(super) struct Look<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) git: &'a Git,
    pub(super) tree: &'a str,
    /// The commit's name in answers; absent for the index.
    pub(super) commit: Option<&'a str>,
    pub(super) allowed_signers: Option<&'a Path>,
}

impl Look<'_> {
    /// The tree's entries at a subject's paths, with paths relative to the project's root.
    fn entries(&self, paths: &BTreeSet<String>) -> Result<BTreeMap<String, SubjectEntry>, Error> {
        let whole: Vec<String> = paths.iter().map(|path| format!("{}{path}", self.git.prefix)).collect();
        let found = self.git.entries(self.tree, &whole)?;
        let mut entries = BTreeMap::new();
        for entry in found {
            if let Some(path) = entry.path.strip_prefix(&self.git.prefix) {
                let subject = SubjectEntry { path: path.to_owned(), mode: entry.mode, blob: entry.blob };
                entries.insert(path.to_owned(), subject);
            }
        }
        Ok(entries)
    }

    /// Checks that one piece of evidence holds for this tree.
    pub(super) fn claim(
        &self,
        op: &str,
        id: &Digest,
        found_by: &'static str,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let evidence = match self.ledger.read(op, id) {
            Ok(evidence) => evidence,
            Err(error) => {
                let message = format!("the {found_by} names evidence {}: {error}", id.short());
                findings.broken.push(BrokenLink::new(
                    "no-evidence",
                    message,
                    "restore the ledger's evidence files",
                ));
                return Ok(());
            }
        };
        let paths =
            evidence.facts.sides.candidate.subject.entries.iter().map(|entry| entry.path.clone()).collect();
        let entries = self.entries(&paths)?;
        if let Some(entry) = first_difference(&evidence, &entries) {
            let found = entries
                .get(&entry.path)
                .map_or("absent".to_owned(), |found| format!("blob {}", found.blob.short()));
            let message = format!(
                "{} is {found}, evidence {} is for blob {}",
                entry.path,
                id.short(),
                entry.blob.short()
            );
            findings.broken.push(
                BrokenLink::new("subject-differs", message, "measure the files as they are")
                    .about(&entry.path),
            );
            return Ok(());
        }
        match gate::admissible(self.ledger, op, id, Runs::Shown)? {
            Ok(audited) => self.add(op, &audited, found_by, findings),
            Err(link) => {
                findings.broken.push(link);
                Ok(())
            }
        }
    }

    /// Adds evidence that holds, with its level; a bad signature breaks it.
    pub(super) fn add(
        &self,
        op: &str,
        audited: &Audited,
        found_by: &'static str,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        if findings
            .checked
            .iter()
            .any(|known| known.evidence == audited.id && known.commit.as_deref() == self.commit)
        {
            return Ok(());
        }
        let level = match level(self.ledger, op, &audited.id, self.allowed_signers)? {
            Ok(level) => level,
            Err(link) => {
                findings.broken.push(link);
                return Ok(());
            }
        };
        findings.checked.push(Checked {
            commit: self.commit.map(str::to_owned),
            op: op.to_owned(),
            candidate: audited.evidence.facts.candidate.clone(),
            evidence: audited.id,
            answer: kforge_ledger::headline(&audited.evidence.judgement.verdict),
            found_by,
            level,
        });
        Ok(())
    }

    /// Checks every op of which a subject file is among the changed ones (relative to the repository's top).
    pub(super) fn changed(&self, changed: &[String], findings: &mut Findings) -> Result<(), Error> {
        let changed: BTreeSet<&str> =
            changed.iter().filter_map(|path| path.strip_prefix(self.git.prefix.as_str())).collect();
        for op in self.ledger.ops()? {
            self.changed_op(&op, &changed, findings)?;
        }
        Ok(())
    }

    fn changed_op(&self, op: &str, changed: &BTreeSet<&str>, findings: &mut Findings) -> Result<(), Error> {
        let mut known = Vec::new();
        for id in self.ledger.evidence_ids(op)? {
            match self.ledger.read(op, &id) {
                Ok(evidence) => known.push((id, evidence)),
                Err(error) => findings.broken.push(BrokenLink::new(
                    "malformed",
                    error.to_string(),
                    "restore the evidence file",
                )),
            }
        }
        known.sort_by(|(_, one), (_, other)| other.facts.run.started_at.cmp(&one.facts.run.started_at));
        let subject = |evidence: &Evidence| evidence.facts.sides.candidate.subject.entries.clone();
        let baseline = |evidence: &Evidence| evidence.facts.sides.baseline.subject.entries.clone();
        let paths: BTreeSet<String> = known
            .iter()
            .flat_map(|(_, evidence)| subject(evidence).into_iter().chain(baseline(evidence)))
            .map(|entry| entry.path)
            .collect();
        let mut open: BTreeSet<&String> =
            paths.iter().filter(|path| changed.contains(path.as_str())).collect();
        if open.is_empty() {
            return Ok(());
        }
        let entries = self.entries(&paths)?;
        let mut first_link = None;
        for (id, evidence) in
            known.iter().filter(|(_, evidence)| first_difference(evidence, &entries).is_none())
        {
            let covers: Vec<String> = subject(evidence).into_iter().map(|entry| entry.path).collect();
            if !covers.iter().any(|path| open.contains(path)) {
                continue;
            }
            match gate::admissible(self.ledger, op, id, Runs::Shown)? {
                Ok(audited) => {
                    self.add(op, &audited, "blobs", findings)?;
                    open.retain(|path| !covers.contains(path));
                }
                Err(link) => first_link = first_link.or(Some(link)),
            }
        }
        for path in open.iter().filter(|path| !entries.contains_key(path.as_str())) {
            let message = format!("{path}, which evidence of op {op} is about, is no longer there");
            findings.notes.push(Note::new("verify.subject-removed", message));
        }
        open.retain(|path| !is_baseline(&known, entries.get(path.as_str()), path));
        if !open.is_empty() {
            let won = self.won(op, &known)?;
            open.retain(|path| {
                !entries.get(path.as_str()).is_some_and(|entry| won.contains(&entry.blob.to_string()))
            });
        }
        let Some(path) = open.first() else { return Ok(()) };
        let lookup = |path: &str| entries.get(path).cloned();
        let link = match first_link {
            Some(link) => link,
            None => match gate::evidence_for(self.ledger, op, None, &lookup)? {
                Err(link) => link,
                Ok(_) => BrokenLink::new(
                    "no-evidence",
                    format!("no evidence of op {op} is for {path} as it is"),
                    "",
                ),
            },
        };
        findings.broken.push(if link.file.is_some() { link } else { link.about(path) });
        Ok(())
    }
}

impl Look<'_> {
    /// The contents that wins measured: a baseline may take a winner's place under its own name.
    fn won(&self, op: &str, known: &[(Digest, Evidence)]) -> Result<BTreeSet<String>, Error> {
        let mut blobs = BTreeSet::new();
        for (id, evidence) in known {
            if gate::admissible(self.ledger, op, id, Runs::Shown)?.is_ok() {
                blobs.extend(
                    evidence.facts.sides.candidate.subject.entries.iter().map(|entry| entry.blob.to_string()),
                );
            }
        }
        Ok(blobs)
    }
}

/// Whether a file is back at what some evidence measured as the baseline; a revert needs no new proof.
fn is_baseline(known: &[(Digest, Evidence)], entry: Option<&SubjectEntry>, path: &str) -> bool {
    known.iter().any(|(_, evidence)| {
        let baseline = &evidence.facts.sides.baseline.subject.entries;
        match entry {
            Some(entry) => baseline.contains(entry),
            None => !baseline.iter().any(|known| known.path == path),
        }
    })
}

fn first_difference<'e>(
    evidence: &'e Evidence,
    entries: &BTreeMap<String, SubjectEntry>,
) -> Option<&'e SubjectEntry> {
    let subject = &evidence.facts.sides.candidate.subject.entries;
    subject.iter().find(|entry| entries.get(&entry.path) != Some(entry))
}

/// What can be said about evidence that holds.
pub(super) fn level(
    ledger: &Ledger,
    op: &str,
    id: &Digest,
    allowed: Option<&Path>,
) -> Result<Result<String, BrokenLink>, Error> {
    let Some(signature) = ledger.signature(op, id)? else { return Ok(Ok("consistent, unsigned".to_owned())) };
    Ok(match signing::check(&ledger.bytes(op, id)?, &signature, allowed)? {
        Signer::Allowed(name) => Ok(format!("consistent, signed by {name}")),
        Signer::Unlisted(print) => Ok(format!("consistent, signed by unlisted key {print}")),
        Signer::Bad(said) => Err(BrokenLink::new(
            "bad-signature",
            format!("the signature beside evidence {} is not of its bytes: {said}", id.short()),
            "remove it, or sign again with `kforge record --sign KEY`",
        )),
    })
}
