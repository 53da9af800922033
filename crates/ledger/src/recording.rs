//! Recording: a lesson about evidence becomes truth, and everything derived follows in the same change.

use std::path::PathBuf;

use kforge_record::{Digest, Lesson};

use crate::disk::Disk;
use crate::error::Error;
use crate::evidence_store;
use crate::intent::{self, Change};
use crate::layout::{Layout, check_tag};
use crate::lock::WriteLock;
use crate::rebuild::{self, Truth};
use crate::versions::{self, Version};

/// What to record.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The op.
    pub op: String,
    /// The words.
    pub lesson: Lesson,
    /// The change from baseline to candidate, where it could be made.
    pub patch: Option<Vec<u8>>,
    /// The candidate's source, where the change is one file; its extension is `lesson.source_ext`.
    pub source: Option<Vec<u8>>,
    /// An SSH signature of the evidence file's exact bytes.
    pub signature: Option<Vec<u8>>,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its version.
    pub version: Version,
    /// Files that changed; empty where everything was recorded before.
    pub changed: Vec<PathBuf>,
    /// Every file of the ledger that belongs to this record, changed or not.
    pub files: Vec<PathBuf>,
}

pub(crate) fn record(
    disk: &dyn Disk,
    layout: &Layout,
    lock: &WriteLock,
    recording: &Recording,
) -> Result<Recorded, Error> {
    let (op, lesson) = (&recording.op, &recording.lesson);
    check_tag(&lesson.tag)?;
    let id = lesson.evidence;
    let audited = evidence_store::audited(layout, op, &id)?;
    let mut all = rebuild::all_truth(layout)?;
    let kept = all.iter().flat_map(|(_, truth)| truth).find(|truth| truth.id == id);
    let patch = recording.patch.clone().or_else(|| kept.and_then(|truth| truth.patch.clone()));
    let source = lesson.source_ext.clone().zip(recording.source.clone());
    let source = source.or_else(|| kept.and_then(|truth| truth.source.clone()));
    let mut lesson = lesson.clone();
    lesson.source_ext = source.as_ref().map(|(extension, _)| extension.clone());
    let runs = evidence_store::runs(layout, op, &id, &audited.evidence);
    let truth = Truth { id, evidence: audited.evidence, lesson, patch, source, runs };
    let mut changes = truth_files(layout, op, &truth)?;
    if let Some(signature) = &recording.signature {
        changes.push(Change { path: layout.beside(op, &id, "sig")?, content: Some(signature.clone()) });
    }
    insert(&mut all, op, truth);
    changes.extend(rebuild::derived(layout, &all)?);
    let written = intent::apply(disk, layout, lock, changes)?;
    let version = version_of(&all, op, &id)
        .ok_or_else(|| Error::NoEvidence { id: id.to_string(), folder: layout.kernels().join(op) })?;
    let files = files_of(layout, op, &all, &version)?;
    Ok(Recorded { version, changed: written, files })
}

fn truth_files(layout: &Layout, op: &str, truth: &Truth) -> Result<Vec<Change>, Error> {
    let path = layout.beside(op, &truth.id, "lesson.json")?;
    let mut bytes =
        serde_json::to_vec_pretty(&truth.lesson).map_err(|error| Error::io("write", &path)(error.into()))?;
    bytes.push(b'\n');
    let mut changes = vec![Change { path, content: Some(bytes) }];
    if let Some(patch) = &truth.patch {
        changes.push(Change { path: layout.beside(op, &truth.id, "patch")?, content: Some(patch.clone()) });
    }
    if let Some((extension, source)) = &truth.source {
        changes
            .push(Change { path: layout.beside(op, &truth.id, extension)?, content: Some(source.clone()) });
    }
    Ok(changes)
}

fn insert(all: &mut Vec<(String, Vec<Truth>)>, op: &str, truth: Truth) {
    let position = all.iter().position(|(name, _)| name == op).unwrap_or_else(|| {
        all.push((op.to_owned(), Vec::new()));
        all.len() - 1
    });
    if let Some((_, known)) = all.get_mut(position) {
        known.retain(|other| other.id != truth.id);
        known.push(truth);
        rebuild::sort(known);
    }
}

fn version_of(all: &[(String, Vec<Truth>)], op: &str, id: &Digest) -> Option<Version> {
    let (_, truth) = all.iter().find(|(name, _)| name == op)?;
    versions::number(truth).into_iter().find(|version| version.id == *id)
}

fn files_of(
    layout: &Layout,
    op: &str,
    all: &[(String, Vec<Truth>)],
    version: &Version,
) -> Result<Vec<PathBuf>, Error> {
    let suffixes = ["json", "samples.zst", "lesson.json", "patch", "sig"];
    let mut files = vec![layout.readme(), layout.notes(op)?];
    for suffix in suffixes {
        files.push(layout.beside(op, &version.id, suffix)?);
    }
    let truth = all.iter().flat_map(|(_, truth)| truth).find(|truth| truth.id == version.id);
    if let Some((extension, _)) = truth.and_then(|truth| truth.source.as_ref()) {
        files.push(layout.beside(op, &version.id, extension)?);
        files.push(layout.version(op, version.number, &version.tag, extension)?);
    }
    files.push(layout.version(op, version.number, &version.tag, "patch")?);
    files.retain(|file| file.exists());
    Ok(files)
}
