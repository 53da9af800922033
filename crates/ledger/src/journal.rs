//! The journal of runs: one JSON line each, synced before anything is timed.
//!
//! A kill may leave a torn line: one that is no JSON. It is never repaired, only ended, so that the next line stands alone, and it
//! is skipped: a torn start was never measured, and a torn end leaves a run that never finished. A whole line that says
//! something unknown, as a later kforge may write, is refused: skipping it could forget a loss.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};

use kforge_record::{Digest, JOURNAL_SCHEMA, JournalEntry, JournalEvent, PriorRun};

use crate::atomic::{create_folder, read_if_there};
use crate::disk::{Disk, Effect, EffectKind};
use crate::error::Error;
use crate::layout::Layout;
use crate::lock::WriteLock;

/// Adds an entry and syncs it.
pub(crate) fn append(
    disk: &dyn Disk,
    layout: &Layout,
    _lock: &WriteLock,
    entry: &JournalEntry,
) -> Result<(), Error> {
    let path = layout.state().join("journal.jsonl");
    create_folder(disk, &layout.state())?;
    let mut line = serde_json::to_vec(entry).map_err(|error| Error::io("write", &path)(error.into()))?;
    line.push(b'\n');
    let mut write = || {
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(&path)?;
        if !ends_with_newline(&mut file)? {
            file.write_all(b"\n")?;
        }
        file.write_all(&line)
    };
    disk.perform(Effect { kind: EffectKind::Append, path: &path }, &mut write)
        .map_err(Error::io("append to", &path))?;
    let mut sync = || File::open(&path)?.sync_all();
    disk.perform(Effect { kind: EffectKind::Sync, path: &path }, &mut sync).map_err(Error::io("sync", &path))
}

fn ends_with_newline(file: &mut File) -> std::io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}

/// Every entry that is not torn, oldest first.
pub(crate) fn entries(layout: &Layout) -> Result<Vec<JournalEntry>, Error> {
    let path = layout.state().join("journal.jsonl");
    let bytes = read_if_there(&path)?.unwrap_or_default();
    let mut entries = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if serde_json::from_slice::<serde_json::Value>(line).is_err() {
            continue;
        }
        let refuse = |reason: String| Error::Record {
            path: path.clone(),
            source: kforge_record::Error::Malformed { what: "journal entry", reason },
        };
        let entry: JournalEntry = serde_json::from_slice(line).map_err(|error| refuse(error.to_string()))?;
        if entry.schema != JOURNAL_SCHEMA {
            return Err(refuse(format!("`{}` is not {JOURNAL_SCHEMA}", entry.schema)));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// The journalled runs of a pair, oldest first, each with its end where it had one.
pub(crate) fn runs_of(layout: &Layout, pair: &Digest) -> Result<Vec<PriorRun>, Error> {
    let mut runs: Vec<PriorRun> = Vec::new();
    for entry in entries(layout)?.into_iter().filter(|entry| &entry.pair == pair) {
        let known = runs.iter_mut().find(|run| run.run == entry.run);
        match (entry.event, known) {
            (JournalEvent::Finished, Some(run)) => {
                run.verdict = entry.verdict;
                run.evidence = entry.evidence;
            }
            (JournalEvent::Started, Some(_)) => {}
            (_, None) => runs.push(PriorRun {
                run: entry.run,
                started_at: entry.at,
                verdict: entry.verdict,
                evidence: entry.evidence,
            }),
        }
    }
    Ok(runs)
}

/// The pairs of an op that were journalled against a baseline, finished or not.
pub(crate) fn pairs_against(layout: &Layout, op: &str, baseline: &Digest) -> Result<BTreeSet<Digest>, Error> {
    let against = |entry: &JournalEntry| entry.op == op && entry.baseline.as_ref() == Some(baseline);
    Ok(entries(layout)?.into_iter().filter(against).map(|entry| entry.pair).collect())
}
