//! Whether each piece of evidence holds, recomputed once a file: the answer is kept in the search index under what it was recomputed from.
//!
//! Recomputing judges the samples again, which takes milliseconds a file; a ledger has hundreds, and a list of them is asked for often.

use std::collections::BTreeMap;

use kforge_record::Digest;
use rusqlite::Connection;

use crate::atomic::read_if_there;
use crate::error::Error;
use crate::evidence_store;
use crate::layout::Layout;

/// Why evidence does not hold, by what the answer follows from; empty where it holds.
pub(crate) type Answers = BTreeMap<String, String>;

/// The answers that an index keeps; none where it cannot be read.
pub(crate) fn kept(index: &Connection) -> Answers {
    let read = || -> rusqlite::Result<Answers> {
        let mut statement = index.prepare("SELECT key, said FROM audits")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    };
    read().unwrap_or_default()
}

/// Keeps answers in an index.
pub(crate) fn keep(index: &Connection, answers: &Answers) -> Result<(), Error> {
    let mut statement = index.prepare("INSERT INTO audits VALUES (?1, ?2)")?;
    for (key, said) in answers {
        statement.execute([key, said])?;
    }
    Ok(())
}

/// What the answer about one piece of evidence follows from: its folder, its bytes, its samples, and who recomputes.
pub(crate) fn key(layout: &Layout, op: &str, id: &Digest) -> Result<String, Error> {
    // The bytes as they are: a file that is not its name's today may be restored tomorrow.
    let bytes = Digest::of_bytes(&evidence_store::bytes_of(layout, op, id)?);
    let samples = read_if_there(&layout.beside(op, id, "samples.zst")?)?;
    let samples = samples.map_or_else(|| "inline".to_owned(), |bytes| Digest::of_bytes(&bytes).to_string());
    Ok(format!("{op}/{id} {bytes} {samples} {}", env!("CARGO_PKG_VERSION")))
}

/// Answers about all of these, those that are known taken over.
pub(crate) fn answers(layout: &Layout, all: &[(String, Digest)], known: &Answers) -> Result<Answers, Error> {
    let mut answers = Answers::new();
    for (op, id) in all {
        let key = key(layout, op, id)?;
        let said = known.get(&key).cloned().unwrap_or_else(|| said(layout, op, id));
        answers.insert(key, said);
    }
    Ok(answers)
}

fn said(layout: &Layout, op: &str, id: &Digest) -> String {
    match evidence_store::audited(layout, op, id) {
        Ok(_) => String::new(),
        Err(Error::Evidence { broken, .. }) => broken.first().map_or_else(String::new, ToString::to_string),
        Err(error) => error.to_string(),
    }
}
