//! One tree as verify looks at it: what is in it, what the ledger says of it, and whether one piece of evidence holds for it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use kforge_ledger::{Layout, Ledger};
use kforge_record::{Audited, BlobId, Digest, Evidence, SubjectEntry};

use super::answer::Checked;
use super::shelf::{Answer, Shelf};
use crate::gate::{BrokenLink, how};
use crate::git::Git;
use crate::project::Project;
use crate::signing::{self, Signer, SignersFile};
use crate::{Error, Note};

/// What is collected while looking.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) checked: Vec<Checked>,
    pub(super) broken: Vec<BrokenLink>,
    pub(super) notes: Vec<Note>,
    /// How many changed files some evidence is about, whether they needed a proof or not.
    pub(super) files: usize,
    /// Why evidence that came along does not carry the files that were there before it: an answer only where nothing else is.
    pub(super) unproven: Option<BrokenLink>,
}

/// One tree to look at.
pub(super) struct Look<'a> {
    pub(super) shelf: &'a Shelf<'a>,
    pub(super) git: &'a Git,
    pub(super) tree: &'a str,
    /// The tree that it is compared with; absent where there was nothing before it.
    pub(super) from: Option<&'a str>,
    /// The commit's name in answers; absent for the index.
    pub(super) commit: Option<&'a str>,
    allowed_signers: Option<&'a SignersFile>,
    /// The ledger's folder `kernels/` from the repository's top; absent where the ledger lies elsewhere.
    ledger_prefix: Option<String>,
    moves: OnceCell<Vec<(String, String)>>,
}

impl<'a> Look<'a> {
    /// A look at a tree, compared with nothing.
    pub(super) fn new(project: &'a Project, git: &'a Git, shelf: &'a Shelf<'a>, tree: &'a str) -> Self {
        Self {
            shelf,
            git,
            tree,
            from: None,
            commit: None,
            allowed_signers: project.allowed_signers.as_ref(),
            ledger_prefix: project.ledger_prefix(),
            moves: OnceCell::new(),
        }
    }

    /// Of this commit, by whose name answers call it.
    pub(super) const fn of_commit(mut self, commit: &'a str) -> Self {
        self.commit = Some(commit);
        self
    }

    /// With nobody's signature counting, where the list of allowed signers is not to be gone by.
    pub(super) fn trusting(mut self, list: bool) -> Self {
        self.allowed_signers = self.allowed_signers.filter(|_| list);
        self
    }

    /// Compared with this tree.
    pub(super) const fn since(mut self, from: Option<&'a str>) -> Self {
        self.from = from;
        self
    }

    /// The tree's entries at these paths, files or folders, with paths relative to the project's root.
    pub(super) fn entries(&self, paths: &BTreeSet<String>) -> Result<BTreeMap<String, SubjectEntry>, Error> {
        self.entries_in(self.tree, paths)
    }

    /// As `entries`, of another tree.
    pub(super) fn entries_in(
        &self,
        tree: &str,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, SubjectEntry>, Error> {
        let whole: Vec<String> = paths.iter().map(|path| format!("{}{path}", self.git.prefix)).collect();
        let mut entries = BTreeMap::new();
        for entry in self.git.entries(tree, &whole)? {
            if let Some(path) = entry.path.strip_prefix(&self.git.prefix) {
                let subject = SubjectEntry { path: path.to_owned(), mode: entry.mode, blob: entry.blob };
                entries.insert(path.to_owned(), subject);
            }
        }
        Ok(entries)
    }

    /// The folder of an op's evidence from the repository's top, where the ledger lies in it.
    pub(super) fn evidence_folder(&self, op: &str) -> Option<String> {
        self.ledger_prefix.as_ref().map(|prefix| format!("{prefix}{op}/evidence/"))
    }

    /// Whether the tree holds this evidence; evidence of a ledger elsewhere is wherever the ledger is.
    pub(super) fn holds_evidence(&self, op: &str, id: &Digest) -> Result<bool, Error> {
        let Some(folder) = self.evidence_folder(op) else { return Ok(true) };
        Ok(!self.git.entries(self.tree, &[format!("{folder}{id}.json")])?.is_empty())
    }

    /// The blobs that the tree keeps beside an op's evidence.
    pub(super) fn evidence_blobs(&self, op: &str) -> Result<BTreeSet<BlobId>, Error> {
        let Some(folder) = self.evidence_folder(op) else { return Ok(BTreeSet::new()) };
        Ok(self.git.entries(self.tree, &[folder])?.into_iter().map(|entry| entry.blob).collect())
    }

    /// Whether a path from the repository's top is one where the ledger keeps copies: beside evidence, or `vN_TAG.EXT`.
    pub(super) fn is_ledger_s(&self, op: &str, path: &str) -> bool {
        let Some(prefix) = &self.ledger_prefix else { return false };
        let Some(inner) = path.strip_prefix(&format!("{prefix}{op}/")) else { return false };
        inner.starts_with("evidence/") || (Layout::is_version_name(inner) && !inner.contains('/'))
    }

    /// Where git finds a file renamed or copied to since the tree that is compared with; paths from the repository's top.
    pub(super) fn moved_to(&self, path: &str) -> Result<Vec<String>, Error> {
        let Some(from) = self.from else { return Ok(Vec::new()) };
        if self.moves.get().is_none() {
            let found = self.git.moves(from, self.tree)?;
            self.moves.get_or_init(|| found);
        }
        let source = format!("{}{path}", self.git.prefix);
        let moves = self.moves.get().into_iter().flatten();
        Ok(moves.filter(|(from, _)| *from == source).map(|(_, to)| to.clone()).collect())
    }

    /// Whether a commit may rest on evidence. What was measured later counts where its evidence came along: whoever keeps one
    /// of many commits them together, and whoever tries another one after a commit does not call that commit in question.
    pub(super) fn admissible(&self, op: &str, id: &Digest) -> Result<Answer, Error> {
        let answer = self.shelf.admissible(op, id, Vec::new())?;
        let mut later = if answer.is_ok() { self.shelf.later_rivals(op, id)? } else { Vec::new() };
        if later.is_empty() {
            return Ok(answer);
        }
        let Some(folder) = self.evidence_folder(op) else { return Ok(answer) };
        let tree = self.where_added(&format!("{folder}{id}.json"))?;
        let beside = self.git.entries(&tree, std::slice::from_ref(&folder))?;
        later.retain(|id| beside.iter().any(|entry| entry.path == format!("{folder}{id}.json")));
        self.shelf.admissible(op, id, later)
    }

    /// The commit that brought a file since the tree that is compared with, or the tree where it was before.
    fn where_added(&self, path: &str) -> Result<String, Error> {
        let (Some(from), Some(commit)) = (self.from, self.commit) else { return Ok(self.tree.to_owned()) };
        let span = match self.git.commit(from)? {
            Some(from) => format!("{from}..{commit}"),
            None => commit.to_owned(),
        };
        let words = ["--literal-pathspecs", "log", "--diff-filter=A", "--max-count=1", "--format=%H"];
        let added = self.git.call(words.into_iter().chain([span.as_str(), "--", path])).text()?;
        if !added.is_empty() {
            return Ok(added);
        }
        let before = !self.git.entries(from, std::slice::from_ref(&path.to_owned()))?.is_empty();
        Ok(if before { from } else { self.tree }.to_owned())
    }

    /// Checks that one piece of evidence holds for this tree.
    pub(super) fn claim(
        &self,
        op: &str,
        id: &Digest,
        found_by: &'static str,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let evidence = match self.shelf.ledger.read(op, id) {
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
            let (found, measured) = how(entries.get(&entry.path), Some(entry));
            let message = format!("{} is {found}, evidence {} is for {measured}", entry.path, id.short());
            findings.broken.push(
                BrokenLink::new("subject-differs", message, "measure the files as they are")
                    .about(&entry.path),
            );
            return Ok(());
        }
        match &*self.admissible(op, id)? {
            Ok(audited) => self.add(op, audited, found_by, findings),
            Err(link) => {
                findings.broken.push(link.clone());
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
        let level = match level(self.shelf.ledger, op, &audited.id, self.allowed_signers)? {
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
}

/// The first file of the candidate that is not as it was measured.
pub(super) fn first_difference<'e>(
    evidence: &'e Evidence,
    entries: &BTreeMap<String, SubjectEntry>,
) -> Option<&'e SubjectEntry> {
    evidence.first_difference(&|path| entries.get(path).cloned())
}

/// What can be said about evidence that holds.
pub(super) fn level(
    ledger: &Ledger,
    op: &str,
    id: &Digest,
    allowed: Option<&SignersFile>,
) -> Result<Result<String, BrokenLink>, Error> {
    let Some(signature) = ledger.signature(op, id)? else { return Ok(Ok("consistent, unsigned".to_owned())) };
    Ok(match signing::check(&ledger.bytes(op, id)?, &signature, allowed)? {
        Signer::Allowed(name, list) => Ok(format!("consistent, signed by {name} (listed in {list})")),
        Signer::Unlisted(print) => Ok(format!("consistent, signed by unlisted key {print}")),
        Signer::Bad(said) => Err(BrokenLink::new(
            "bad-signature",
            format!("the signature beside evidence {} is not of its bytes: {said}", id.short()),
            "remove it, or sign again with `kforge record --sign KEY`",
        )),
    })
}
