//! Immutable truth: evidence files, their samples, and the words beside them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use kforge_record::{
    Audited, Broken, Digest, Evidence, LESSON_SCHEMA, Launch, Lesson, SamplesFile, Sealed, audit_bytes,
};

use crate::atomic::{read_if_there, write_file};
use crate::disk::Disk;
use crate::error::Error;
use crate::layout::{Layout, check_tag};
use crate::lock::WriteLock;
use crate::samples_file;

/// Stores evidence. The samples come first: an evidence file that is there is complete.
pub(crate) fn put(
    disk: &dyn Disk,
    layout: &Layout,
    _lock: &WriteLock,
    sealed: &Sealed,
) -> Result<Digest, Error> {
    let op = &sealed.evidence.facts.op;
    if let Some(samples) = &sealed.samples {
        let path = layout.beside(op, &sealed.id, "samples.zst")?;
        let same = read_if_there(&path)?.is_some_and(|packed| {
            samples_file::unpack(&path, &packed).is_ok_and(|bytes| bytes == samples.bytes)
        });
        if !same {
            write_file(disk, &layout.staging(), &path, &samples_file::pack(&path, &samples.bytes)?)?;
        }
    }
    let path = layout.evidence(op, &sealed.id)?;
    match read_if_there(&path)? {
        Some(bytes) if bytes == sealed.bytes => {}
        Some(_) => return Err(Error::Collision { path }),
        None => write_file(disk, &layout.staging(), &path, &sealed.bytes)?,
    }
    Ok(sealed.id)
}

/// Ops with an evidence folder, sorted.
pub(crate) fn ops(layout: &Layout) -> Result<Vec<String>, Error> {
    let mut ops = names(&layout.kernels())?;
    ops.retain(|op| layout.evidence_folder(op).is_ok_and(|folder| folder.is_dir()));
    Ok(ops)
}

/// Evidence of an op, sorted. Files of other names are not evidence.
pub(crate) fn ids(layout: &Layout, op: &str) -> Result<Vec<Digest>, Error> {
    let names = names(&layout.evidence_folder(op)?)?;
    let stem = |name: &String| name.strip_suffix(".json").and_then(|stem| stem.parse::<Digest>().ok());
    Ok(names.iter().filter_map(stem).collect())
}

/// Names in a folder, sorted; none where there is no folder. Names that are not text cannot be ours.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(Error::io("list", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io("list", folder))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// The exact bytes of an evidence file.
pub(crate) fn bytes_of(layout: &Layout, op: &str, id: &Digest) -> Result<Vec<u8>, Error> {
    let path = layout.evidence(op, id)?;
    let missing = || Error::NoEvidence { id: id.to_string(), folder: layout.kernels().join(op) };
    read_if_there(&path)?.ok_or_else(missing)
}

/// Evidence whose bytes have the digest of its name.
pub(crate) fn read(layout: &Layout, op: &str, id: &Digest) -> Result<Evidence, Error> {
    let bytes = bytes_of(layout, op, id)?;
    if Digest::of_bytes(&bytes) != *id {
        let broken =
            Broken { path: "id".to_owned(), what: "the bytes have another digest than the name".to_owned() };
        return Err(Error::Evidence { id: *id, broken: vec![broken] });
    }
    let path = layout.evidence(op, id)?;
    Evidence::read(&bytes).map_err(|source| Error::Record { path, source })
}

/// Kernel runs in one sample of each case, from wherever the samples are; nothing where they cannot be read.
pub(crate) fn runs(layout: &Layout, op: &str, id: &Digest, evidence: &Evidence) -> BTreeMap<String, u32> {
    let apart = || -> Option<Vec<Launch>> {
        let path = layout.beside(op, id, "samples.zst").ok()?;
        let packed = read_if_there(&path).ok()??;
        SamplesFile::read(&samples_file::unpack(&path, &packed).ok()?).ok()
    };
    let read;
    let launches = if let Some(launches) = &evidence.samples.inline {
        launches
    } else {
        read = apart().unwrap_or_default();
        &read
    };
    let series = launches.first().into_iter().flat_map(|launch| &launch.series);
    series.map(|series| (series.case.clone(), series.runs)).collect()
}

/// Evidence with everything recomputed.
pub(crate) fn audited(layout: &Layout, op: &str, id: &Digest) -> Result<Audited, Error> {
    let bytes = bytes_of(layout, op, id)?;
    let path = layout.beside(op, id, "samples.zst")?;
    let samples = read_if_there(&path)?.map(|packed| samples_file::unpack(&path, &packed)).transpose()?;
    let audited =
        audit_bytes(id, &bytes, samples.as_deref()).map_err(|broken| Error::Evidence { id: *id, broken })?;
    if audited.evidence.facts.op == op {
        return Ok(audited);
    }
    let what = format!("the file lies in the folder of {op}");
    Err(Error::Evidence { id: *id, broken: vec![Broken { path: "facts.op".to_owned(), what }] })
}

/// The lesson beside evidence, if there is one.
pub(crate) fn lesson(layout: &Layout, op: &str, id: &Digest) -> Result<Option<Lesson>, Error> {
    let path = layout.beside(op, id, "lesson.json")?;
    let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
    let malformed = |reason: String| Error::Record {
        path: path.clone(),
        source: kforge_record::Error::Malformed { what: "lesson", reason },
    };
    let lesson: Lesson = serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
    if lesson.schema != LESSON_SCHEMA {
        return Err(malformed(format!("`{}` is not {LESSON_SCHEMA}", lesson.schema)));
    }
    if lesson.evidence != *id {
        return Err(malformed(format!("it is about evidence {}", lesson.evidence.short())));
    }
    check_tag(&lesson.tag).map_err(|error| malformed(error.to_string()))?;
    Ok(Some(lesson))
}
