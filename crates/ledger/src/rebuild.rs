//! From truth to everything derived: numbers, version files, notes' blocks, the index.
//!
//! Refuses to touch what kforge did not write: a version file is replaced or removed only where its content is a
//! known patch or source of the op, or a merge left conflict markers in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use kforge_record::{Digest, Evidence, Lesson};

use crate::atomic::read_if_there;
use crate::disk::Disk;
use crate::error::Error;
use crate::intent::{self, Change};
use crate::layout::Layout;
use crate::lock::WriteLock;
use crate::{block, evidence_store, merged, notes, readme, versions};

/// Recorded evidence with everything that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Truth {
    pub(crate) id: Digest,
    pub(crate) evidence: Evidence,
    pub(crate) lesson: Lesson,
    pub(crate) patch: Option<Vec<u8>>,
    pub(crate) source: Option<(String, Vec<u8>)>,
    /// Kernel runs in one sample of each case, where that is known.
    pub(crate) runs: BTreeMap<String, u32>,
}

/// What a rebuild did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Files written or removed.
    pub changed: Vec<PathBuf>,
    /// Ops looked at.
    pub ops: usize,
    /// Recorded versions.
    pub versions: usize,
}

/// The recorded evidence of an op in the order of time.
pub(crate) fn truth_of(layout: &Layout, op: &str) -> Result<Vec<Truth>, Error> {
    let mut all = Vec::new();
    for id in evidence_store::ids(layout, op)? {
        let Some(lesson) = evidence_store::lesson(layout, op, &id)? else { continue };
        let evidence = evidence_store::read(layout, op, &id)?;
        let patch = read_if_there(&layout.beside(op, &id, "patch")?)?;
        let source = match &lesson.source_ext {
            None => None,
            Some(extension) => {
                read_if_there(&layout.beside(op, &id, extension)?)?.map(|bytes| (extension.clone(), bytes))
            }
        };
        let runs = evidence_store::runs(layout, op, &id, &evidence);
        all.push(Truth { id, evidence, lesson, patch, source, runs });
    }
    sort(&mut all);
    Ok(all)
}

/// The order of time; the id decides between equal times, so that every clone numbers alike.
pub(crate) fn sort(truth: &mut [Truth]) {
    truth.sort_by(|one, other| {
        (&one.evidence.facts.run.started_at, &one.id).cmp(&(&other.evidence.facts.run.started_at, &other.id))
    });
}

/// Everything derived for the ops given, and the index over all.
pub(crate) fn derived(layout: &Layout, all: &[(String, Vec<Truth>)]) -> Result<Vec<Change>, Error> {
    let mut changes = Vec::new();
    for (op, truth) in all {
        version_files(layout, op, truth, &mut changes)?;
        changes.extend(notes_of(layout, op, truth)?);
    }
    let path = layout.readme();
    let old = read_if_there(&path)?;
    if old.is_some() || all.iter().any(|(_, truth)| !truth.is_empty()) {
        let start = old.map_or_else(|| b"# Kernels\n".to_vec(), merged::resolved);
        let index = vec![("index".to_owned(), readme::index(all))];
        changes.push(Change { path, content: Some(notes::with_blocks(&start, &index)) });
    }
    Ok(changes)
}

/// An op's notes with the blocks of what is recorded.
fn notes_of(layout: &Layout, op: &str, truth: &[Truth]) -> Result<Option<Change>, Error> {
    let path = layout.notes(op)?;
    let old = merged::resolved(read_if_there(&path)?.unwrap_or_default());
    let numbered = versions::number(truth);
    let blocks: Vec<(String, String)> = truth
        .iter()
        .zip(&numbered)
        .map(|(truth, version)| (truth.id.to_string(), block::text(truth, version)))
        .collect();
    let fresh = old.is_empty().then(|| format!("# {op}: what was tried\n"));
    let start = fresh.map_or(old, String::into_bytes);
    let content = (!blocks.is_empty()).then(|| notes::with_blocks(&start, &blocks));
    Ok(content.map(|content| Change { path, content: Some(content) }))
}

fn version_files(layout: &Layout, op: &str, truth: &[Truth], changes: &mut Vec<Change>) -> Result<(), Error> {
    let known: BTreeSet<Digest> = truth
        .iter()
        .flat_map(|truth| truth.patch.iter().chain(truth.source.iter().map(|(_, bytes)| bytes)))
        .map(|bytes| Digest::of_bytes(bytes))
        .collect();
    let ours = |bytes: &[u8]| known.contains(&Digest::of_bytes(bytes)) || merged::has_conflicts(bytes);
    let mut wanted = Vec::new();
    for (truth, version) in truth.iter().zip(versions::number(truth)) {
        let path = |suffix: &str| layout.version(op, version.number, &version.tag, suffix);
        if let Some(patch) = &truth.patch {
            wanted.push((path("patch")?, patch));
        }
        if let Some((extension, source)) = &truth.source {
            wanted.push((path(extension)?, source));
        }
    }
    // Evidence of one pair shares its version's files; the newest tells what they hold.
    wanted.reverse();
    let mut seen = BTreeSet::new();
    wanted.retain(|(path, _)| seen.insert(path.clone()));
    for name in evidence_store::names(&layout.op(op)?)? {
        let path = layout.op(op)?.join(&name);
        let stale = Layout::is_version_name(&name) && !wanted.iter().any(|(target, _)| *target == path);
        if stale && read_if_there(&path)?.is_some_and(|bytes| ours(&bytes)) {
            changes.push(Change { path, content: None });
        }
    }
    for (path, bytes) in wanted {
        match read_if_there(&path)? {
            Some(present) if present != *bytes && !ours(&present) => return Err(Error::NameTaken { path }),
            _ => changes.push(Change { path, content: Some(bytes.clone()) }),
        }
    }
    Ok(())
}

/// All recorded evidence, op by op.
pub(crate) fn all_truth(layout: &Layout) -> Result<Vec<(String, Vec<Truth>)>, Error> {
    evidence_store::ops(layout)?
        .into_iter()
        .map(|op| truth_of(layout, &op).map(|truth| (op, truth)))
        .collect()
}

/// Files that a rebuild would write and that are not there.
pub(crate) fn missing(layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let changes = derived(layout, &all_truth(layout)?)?;
    let gone = changes.into_iter().filter(|change| change.content.is_some() && !change.path.exists());
    Ok(gone.map(|change| change.path).collect())
}

/// Derived files that are there and do not say what the records beside them give. What they say of records that are not there is left
/// alone: the index may know more than one branch has.
pub(crate) fn edited(layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let all = all_truth(layout)?;
    let mut edited = Vec::new();
    for (op, truth) in &all {
        let mut changes = Vec::new();
        match version_files(layout, op, truth, &mut changes) {
            Err(Error::NameTaken { path }) => edited.push(path),
            other => other?,
        }
        changes.extend(notes_of(layout, op, truth)?);
        for change in changes {
            let present = read_if_there(&change.path)?;
            if present.is_some() && change.content.is_some() && present != change.content {
                edited.push(change.path);
            }
        }
    }
    let path = layout.readme();
    if read_if_there(&path)?.is_some_and(|present| readme::differs(&present, &all)) {
        edited.push(path);
    }
    Ok(edited)
}

/// Derives everything again.
pub(crate) fn rebuild(disk: &dyn Disk, layout: &Layout, lock: &WriteLock) -> Result<Rebuilt, Error> {
    let all = all_truth(layout)?;
    let changed = intent::apply(disk, layout, lock, derived(layout, &all)?)?;
    let versions = all.iter().map(|(_, truth)| truth.len()).sum();
    Ok(Rebuilt { changed, ops: all.len(), versions })
}
