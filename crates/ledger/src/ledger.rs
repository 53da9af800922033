//! The ledger's front: open it, write down runs, put evidence in, find it again.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use kforge_record::{Audited, Digest, Evidence, JournalEntry, Lesson, PriorRun, Sealed, SubjectEntry};

use crate::atomic::{read_if_there, remove_file, write_file};
use crate::disk::{Disk, RealDisk};
use crate::error::Error;
use crate::history::{self, Filter, History};
use crate::layout::Layout;
use crate::lock::{WriteLock, refuse_links};
use crate::rebuild::{self, Rebuilt};
use crate::recording::{self, Recorded, Recording};
use crate::versions::{self, Version};
use crate::{evidence_store, intent, journal, runs, search};

/// A ledger under one root.
#[derive(Clone)]
pub struct Ledger {
    layout: Layout,
    disk: Arc<dyn Disk>,
}

impl Ledger {
    /// Opens the ledger under this root on the real file system; an empty or missing folder is an empty ledger.
    ///
    /// # Errors
    /// `Error::Io` where an interrupted change cannot be finished, or where `.kforge` or a file of it is a link.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::open_with(root, Arc::new(RealDisk))
    }

    /// As `open`, with effects going through the given disk.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_with(root: impl Into<PathBuf>, disk: Arc<dyn Disk>) -> Result<Self, Error> {
        let ledger = Self { layout: Layout::new(root.into()), disk };
        refuse_links(&ledger.layout)?;
        if intent::is_pending(&ledger.layout) {
            let lock = ledger.lock()?;
            intent::recover(&*ledger.disk, &ledger.layout, &lock)?;
        } else if intent::has_staged(&ledger.layout)
            && let Ok(Some(lock)) = WriteLock::try_take(&*ledger.disk, &ledger.layout)
        {
            // Leftovers take nothing but room: where they cannot be swept, reading goes on.
            intent::recover(&*ledger.disk, &ledger.layout, &lock).ok();
        }
        Ok(ledger)
    }

    /// Where things lie.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Holds the ledger still while something outside it changes together with it; other writers wait.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn hold(&self) -> Result<Held<'_>, Error> {
        Ok(Held { ledger: self, _lock: self.lock()? })
    }

    /// As `hold`, where nobody else holds it; absent where somebody does.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn try_hold(&self) -> Result<Option<Held<'_>>, Error> {
        let lock = WriteLock::try_take(&*self.disk, &self.layout)?;
        Ok(lock.map(|lock| Held { ledger: self, _lock: lock }))
    }

    /// The content of a small file in `.kforge`, if it is there.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn state(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        read_if_there(&self.layout.state().join(name))
    }

    fn lock(&self) -> Result<WriteLock, Error> {
        WriteLock::take(&*self.disk, &self.layout)
    }

    /// Writes one line of the journal and syncs it. A run is journalled before it times anything.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn journal(&self, entry: &JournalEntry) -> Result<(), Error> {
        let lock = self.lock()?;
        journal::append(&*self.disk, &self.layout, &lock, entry)
    }

    /// All earlier runs of a pair that this ledger knows of, from the journal and from evidence, oldest first.
    ///
    /// # Errors
    /// `Error::Io` where the journal or an evidence file cannot be read.
    pub fn prior_runs(&self, op: &str, pair: &Digest) -> Result<Vec<PriorRun>, Error> {
        Ok(runs::runs_of(pair, &self.readable(op)?, self.journalled_runs(pair)?))
    }

    /// The journalled runs of a pair, oldest first.
    ///
    /// # Errors
    /// `Error::Io` where the journal cannot be read.
    pub fn journalled_runs(&self, pair: &Digest) -> Result<Vec<PriorRun>, Error> {
        journal::runs_of(&self.layout, pair)
    }

    /// The pairs of every candidate of an op that was measured against this baseline, as journal and evidence know: wins,
    /// losses, and runs that never finished. A pair names its candidate, since the baseline is one.
    ///
    /// # Errors
    /// `Error::Io` where the journal or the evidence folder cannot be read.
    pub fn rivals(&self, op: &str, baseline: &Digest) -> Result<BTreeSet<Digest>, Error> {
        let mut pairs = self.journalled_rivals(op, baseline)?;
        pairs.extend(runs::rivals_among(&self.readable(op)?, baseline, None));
        Ok(pairs)
    }

    /// As `rivals`, from the journal alone.
    ///
    /// # Errors
    /// `Error::Io` where the journal cannot be read.
    pub fn journalled_rivals(&self, op: &str, baseline: &Digest) -> Result<BTreeSet<Digest>, Error> {
        journal::pairs_against(&self.layout, op, baseline)
    }

    /// All evidence of an op that can be read, sorted by id.
    ///
    /// # Errors
    /// `Error::Io` where the folder cannot be listed.
    pub fn readable(&self, op: &str) -> Result<Vec<(Digest, Evidence)>, Error> {
        let ids = self.evidence_ids(op)?;
        Ok(ids.into_iter().filter_map(|id| Some((id, self.read(op, &id).ok()?))).collect())
    }

    /// Stores sealed evidence; storing it again changes nothing.
    ///
    /// # Errors
    /// `Error::Collision` where a file of that name has other bytes; `Error::Io`.
    pub fn put_evidence(&self, sealed: &Sealed) -> Result<Digest, Error> {
        let lock = self.lock()?;
        intent::recover(&*self.disk, &self.layout, &lock)?;
        evidence_store::put(&*self.disk, &self.layout, &lock, sealed)
    }

    /// The ops that have a folder with evidence, sorted.
    ///
    /// # Errors
    /// `Error::Io` where the folder cannot be listed.
    pub fn ops(&self) -> Result<Vec<String>, Error> {
        evidence_store::ops(&self.layout)
    }

    /// The evidence of an op, sorted by id.
    ///
    /// # Errors
    /// `Error::Io` where the folder cannot be listed; `Error::OpName`.
    pub fn evidence_ids(&self, op: &str) -> Result<Vec<Digest>, Error> {
        evidence_store::ids(&self.layout, op)
    }

    /// The op and id of the one evidence file whose id begins with these digits.
    ///
    /// # Errors
    /// `Error::NoEvidence`, `Error::Ambiguous`.
    pub fn resolve(&self, prefix: &str) -> Result<(String, Digest), Error> {
        let mut fits = BTreeSet::new();
        for op in self.ops()? {
            for id in self.evidence_ids(&op)? {
                if !prefix.is_empty() && id.to_string().starts_with(prefix) {
                    fits.insert((id, op.clone()));
                }
            }
        }
        let count = fits.len();
        match fits.pop_first() {
            Some((id, op)) if count == 1 => Ok((op, id)),
            Some(_) => Err(Error::Ambiguous { prefix: prefix.to_owned(), count }),
            None => Err(Error::NoEvidence { id: prefix.to_owned(), folder: self.layout.kernels() }),
        }
    }

    /// Reads evidence, checking only that its bytes have the digest that its name says.
    ///
    /// # Errors
    /// `Error::NoEvidence`, `Error::Evidence` where the name is not the digest, `Error::Record` where it is no evidence.
    pub fn read(&self, op: &str, id: &Digest) -> Result<Evidence, Error> {
        evidence_store::read(&self.layout, op, id)
    }

    /// Reads evidence and recomputes everything that can be recomputed.
    ///
    /// # Errors
    /// `Error::NoEvidence`, `Error::Evidence` with every broken link.
    pub fn audited(&self, op: &str, id: &Digest) -> Result<Audited, Error> {
        evidence_store::audited(&self.layout, op, id)
    }

    /// The exact bytes of an evidence file.
    ///
    /// # Errors
    /// `Error::NoEvidence`, `Error::Io`.
    pub fn bytes(&self, op: &str, id: &Digest) -> Result<Vec<u8>, Error> {
        evidence_store::bytes_of(&self.layout, op, id)
    }

    /// The signature beside an evidence file, if there is one.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn signature(&self, op: &str, id: &Digest) -> Result<Option<Vec<u8>>, Error> {
        read_if_there(&self.layout.beside(op, id, "sig")?)
    }

    /// What was recorded about this evidence, if anything.
    ///
    /// # Errors
    /// `Error::Record` where the file is no lesson.
    pub fn lesson(&self, op: &str, id: &Digest) -> Result<Option<Lesson>, Error> {
        evidence_store::lesson(&self.layout, op, id)
    }

    /// The evidence of an op whose candidate is exactly these files, where `blob` gives the present entry of a path.
    /// Newest first. Evidence that cannot be read, or that compares with an earlier commit, is left out.
    ///
    /// # Errors
    /// `Error::Io` where the folder cannot be listed.
    pub fn find_by_subject(
        &self,
        op: &str,
        blob: &dyn Fn(&str) -> Option<SubjectEntry>,
    ) -> Result<Vec<(Digest, Evidence)>, Error> {
        let mut found = Vec::new();
        for id in self.evidence_ids(op)? {
            let Ok(evidence) = self.read(op, &id) else { continue };
            if evidence.facts.run.base.is_none() && evidence.first_difference(blob).is_none() {
                found.push((id, evidence));
            }
        }
        found.sort_by(|(_, one), (_, other)| other.facts.run.started_at.cmp(&one.facts.run.started_at));
        Ok(found)
    }

    /// The recorded versions of an op in the order of time, numbered from 1.
    ///
    /// # Errors
    /// As `read`, for evidence that has a lesson.
    pub fn versions(&self, op: &str) -> Result<Vec<Version>, Error> {
        Ok(versions::number(&rebuild::truth_of(&self.layout, op)?))
    }

    /// Records a lesson about evidence: truth files, notes, versions, index, all together. Again changes nothing.
    ///
    /// # Errors
    /// `Error::Evidence` where the evidence does not hold, `Error::NameTaken`, `Error::Tag`, `Error::Io`.
    pub fn record(&self, recording: &Recording) -> Result<Recorded, Error> {
        let lock = self.lock()?;
        intent::recover(&*self.disk, &self.layout, &lock)?;
        recording::record(&*self.disk, &self.layout, &lock, recording)
    }

    /// Derives versions, notes' blocks and the index again, resolving what a merge left.
    ///
    /// # Errors
    /// As `record`.
    pub fn rebuild(&self) -> Result<Rebuilt, Error> {
        let lock = self.lock()?;
        intent::recover(&*self.disk, &self.layout, &lock)?;
        rebuild::rebuild(&*self.disk, &self.layout, &lock)
    }

    /// Derived files that should be there and are not: notes, versions, the index. `rebuild` writes them.
    ///
    /// # Errors
    /// As `record`.
    pub fn missing(&self) -> Result<Vec<PathBuf>, Error> {
        rebuild::missing(&self.layout)
    }

    /// Derived files that do not say what the records give.
    ///
    /// # Errors
    /// `Error::Io`, `Error::Evidence`, `Error::Record`.
    pub fn edited(&self) -> Result<Vec<PathBuf>, Error> {
        rebuild::edited(&self.layout)
    }

    /// Every piece of evidence that fits, newest first, or best match first where words are given. Evidence that does not hold is
    /// `malformed`.
    ///
    /// # Errors
    /// `Error::Query`, `Error::Index`, `Error::Io`.
    pub fn history(&self, filter: &Filter) -> Result<History, Error> {
        Ok(history::fitting(search::ask(&self.layout, filter.words.as_deref())?, filter))
    }

    /// Paragraphs of free text in notes that hold all of these words: (op, line from 1, text).
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn notes_with(&self, words: &str) -> Result<Vec<(String, usize, String)>, Error> {
        search::paragraphs(&self.layout, words)
    }
}

/// The ledger held still; released on drop.
pub struct Held<'a> {
    ledger: &'a Ledger,
    _lock: WriteLock,
}

impl Held<'_> {
    /// Writes a small file in `.kforge` atomically.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn write_state(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let layout = &self.ledger.layout;
        write_file(&*self.ledger.disk, &layout.staging(), &layout.state().join(name), bytes)
    }

    /// Removes a small file in `.kforge`, if it is there.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn remove_state(&self, name: &str) -> Result<(), Error> {
        remove_file(&*self.ledger.disk, &self.ledger.layout.state().join(name))
    }
}
