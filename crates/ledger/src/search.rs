//! The search index: SQLite's full-text search over everything known about each piece of evidence.
//!
//! Derived: it is made again whenever the evidence or the lessons changed, and whenever it cannot be read. Where its
//! file cannot be written, it lives in memory for one question.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use kforge_record::{Attempt, Digest, Evidence, Lesson};
use rusqlite::Connection;

use crate::audits::{self, Answers};
use crate::error::Error;
use crate::history::{History, HistoryRow, Misfit, row};
use crate::layout::Layout;
use crate::notes::{Piece, pieces};
use crate::{atomic, evidence_store, versions};

/// Raised whenever the columns or the texts below change.
const VERSION: u32 = 3;

/// Newest first, or best match first where words are given.
pub(crate) fn ask(layout: &Layout, words: Option<&str>) -> Result<History, Error> {
    let index = open(layout)?;
    Ok(History { rows: rows(&index, words)?, misfits: misfits(&index)? })
}

fn rows(index: &Connection, words: Option<&str>) -> Result<Vec<HistoryRow>, Error> {
    let Some(words) = words.filter(|words| !words.trim().is_empty()) else {
        return select(index, "SELECT row FROM history ORDER BY date DESC, id", &[]);
    };
    let terms = terms(words);
    if terms.is_empty() {
        return Err(Error::Query { query: words.to_owned() });
    }
    let matching = "SELECT row FROM history JOIN words ON words.rowid = history.rowid \
                    WHERE words MATCH ?1 ORDER BY bm25(words), date DESC, id";
    let all = select(index, matching, &[&terms.join(" AND ")])?;
    // A question in whole sentences has words that no record has; then the records with most of them come first.
    if all.is_empty() { select(index, matching, &[&terms.join(" OR ")]) } else { Ok(all) }
}

fn misfits(index: &Connection) -> Result<Vec<Misfit>, Error> {
    let mut statement = index.prepare("SELECT op, file, why FROM misfits ORDER BY file")?;
    let found =
        statement.query_map([], |row| Ok(Misfit { op: row.get(0)?, file: row.get(1)?, why: row.get(2)? }))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Words as quoted prefixes, so that no character of them is an operator.
fn terms(words: &str) -> Vec<String> {
    let plain = words.split(|letter: char| !letter.is_alphanumeric());
    plain.filter(|word| !word.is_empty()).map(|word| format!("\"{}\"*", word.to_lowercase())).collect()
}

fn select(index: &Connection, query: &str, values: &[&str]) -> Result<Vec<HistoryRow>, Error> {
    let mut statement = index.prepare(query)?;
    let texts = statement.query_map(rusqlite::params_from_iter(values), |found| found.get::<_, String>(0))?;
    let mut rows = Vec::new();
    for text in texts {
        // A row that cannot be read belongs to another version; VERSION makes that impossible.
        rows.extend(serde_json::from_str::<HistoryRow>(&text?).ok());
    }
    Ok(rows)
}

fn open(layout: &Layout) -> Result<Connection, Error> {
    let print = fingerprint(layout)?;
    let path = layout.state().join("index.sqlite");
    if layout.state().is_dir() {
        let fresh = Connection::open(&path).ok().filter(|index| is_fresh(index, &print));
        if let Some(index) = fresh {
            return Ok(index);
        }
        if let Some(index) = made_on_disk(layout, &path, &print) {
            return Ok(index);
        }
    }
    let index = Connection::open_in_memory()?;
    fill(&index, layout, &print, &Answers::new())?;
    Ok(index)
}

/// A new index beside the old one, then renamed over it, so that two askers never see half of one.
fn made_on_disk(layout: &Layout, path: &Path, print: &str) -> Option<Connection> {
    // Among the staged files, so that what a killed asker leaves is swept with them.
    fs::create_dir_all(layout.staging()).ok()?;
    let fresh = layout.staging().join(format!("index.sqlite-{}", std::process::id()));
    fs::remove_file(&fresh).ok();
    let known = if path.is_file() { Connection::open(path).ok().as_ref().map(audits::kept) } else { None };
    let known = known.unwrap_or_default();
    let filled = |index: Connection| fill(&index, layout, print, &known).ok().map(|()| index);
    let made = Connection::open(&fresh).ok().and_then(filled);
    let placed = made.and_then(|index| {
        index.close().ok()?;
        fs::rename(&fresh, path).ok()?;
        Connection::open(path).ok()
    });
    if placed.is_none() {
        fs::remove_file(&fresh).ok();
    }
    placed
}

fn is_fresh(index: &Connection, print: &str) -> bool {
    let stored = index.query_row("SELECT print FROM state", [], |found| found.get::<_, String>(0));
    stored.is_ok_and(|stored| stored == print)
}

/// Names, lengths and times of everything the index is made of.
fn fingerprint(layout: &Layout) -> Result<String, Error> {
    // Another version of kforge may judge what it recomputes otherwise.
    let mut text = format!("{VERSION} {}\n", env!("CARGO_PKG_VERSION"));
    for op in evidence_store::ops(layout)? {
        let folder = layout.evidence_folder(&op)?;
        for name in evidence_store::names(&folder)? {
            let Ok(meta) = fs::metadata(folder.join(&name)) else { continue };
            let modified = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{op}/{name} {} {:?}", meta.len(), modified);
        }
    }
    Ok(Digest::of_bytes(text.as_bytes()).to_string())
}

fn fill(index: &Connection, layout: &Layout, print: &str, known: &Answers) -> Result<(), Error> {
    index.execute_batch(
        "BEGIN;
         CREATE TABLE state (print TEXT NOT NULL);
         CREATE TABLE history (id TEXT NOT NULL, date TEXT NOT NULL, row TEXT NOT NULL);
         CREATE TABLE misfits (op TEXT NOT NULL, file TEXT NOT NULL, why TEXT NOT NULL);
         CREATE TABLE audits (key TEXT PRIMARY KEY, said TEXT NOT NULL);
         CREATE VIRTUAL TABLE words USING fts5 (names, machine, lesson, answer);",
    )?;
    let mut all = Vec::new();
    for op in evidence_store::ops(layout)? {
        all.extend(evidence_store::ids(layout, &op)?.into_iter().map(|id| (op.clone(), id)));
        let folder = layout.evidence_folder(&op)?;
        for name in evidence_store::names(&folder)?.iter().filter(|name| is_misnamed(name)) {
            misfit(index, layout, &op, &folder.join(name), "its name is no digest")?;
        }
    }
    let answers = audits::answers(layout, &all, known)?;
    for op in evidence_store::ops(layout)? {
        let numbers = numbered(layout, &op)?;
        for id in evidence_store::ids(layout, &op)? {
            let evidence = match evidence_store::read(layout, &op, &id) {
                Ok(evidence) => evidence,
                Err(error) => {
                    let why = match &error {
                        Error::Evidence { broken, .. } => broken.first().map(|broken| broken.what.clone()),
                        Error::Record { source, .. } => Some(source.to_string()),
                        _ => None,
                    };
                    let why = why.unwrap_or_else(|| error.to_string());
                    misfit(index, layout, &op, &layout.evidence(&op, &id)?, &why)?;
                    continue;
                }
            };
            let lesson = match evidence_store::lesson(layout, &op, &id) {
                Ok(lesson) => lesson,
                Err(Error::Record { path, source }) => {
                    misfit(index, layout, &op, &path, &source.to_string())?;
                    None
                }
                Err(error) => return Err(error),
            };
            let number = numbers.iter().find(|(known, _)| *known == id).map(|(_, number)| *number);
            let said = answers.get(&audits::key(layout, &op, &id)?).cloned();
            let said = said.unwrap_or_else(|| "it could not be recomputed".to_owned());
            let malformed = Some(said).filter(|said| !said.is_empty());
            add(index, &id, &evidence, lesson.as_ref().zip(number), malformed)?;
        }
    }
    audits::keep(index, &answers)?;
    index.execute("INSERT INTO state VALUES (?1)", [print])?;
    index.execute_batch("COMMIT;")?;
    Ok(())
}

/// Whether a file among evidence has neither evidence's name nor a lesson's.
fn is_misnamed(name: &str) -> bool {
    let stem = name.strip_suffix(".json").map(|stem| stem.strip_suffix(".lesson").unwrap_or(stem));
    stem.is_some_and(|stem| stem.parse::<Digest>().is_err())
}

fn misfit(index: &Connection, layout: &Layout, op: &str, file: &Path, why: &str) -> Result<(), Error> {
    let values = [op, &layout.relative(file), why];
    index.execute("INSERT INTO misfits VALUES (?1, ?2, ?3)", values)?;
    Ok(())
}

/// The version numbers of an op's recorded evidence.
fn numbered(layout: &Layout, op: &str) -> Result<Vec<(Digest, u32)>, Error> {
    let mut recorded = Vec::new();
    for id in evidence_store::ids(layout, op)? {
        // What cannot be read is named where its row is made.
        let lesson = evidence_store::lesson(layout, op, &id).ok().flatten();
        if let (Ok(evidence), Some(_)) = (evidence_store::read(layout, op, &id), lesson) {
            recorded.push((evidence.facts.run.started_at, id, evidence.facts.run.pair));
        }
    }
    recorded.sort();
    let numbers = versions::numbers(recorded.iter().map(|(.., pair)| *pair));
    Ok(recorded.into_iter().map(|(_, id, _)| id).zip(numbers).collect())
}

fn add(
    index: &Connection,
    id: &Digest,
    evidence: &Evidence,
    recorded: Option<(&Lesson, u32)>,
    malformed: Option<String>,
) -> Result<(), Error> {
    let found = row(id, evidence, recorded, malformed);
    let facts = &evidence.facts;
    let side = &facts.sides.candidate;
    let paths: Vec<&str> = side.subject.entries.iter().map(|entry| entry.path.as_str()).collect();
    let names = format!("{} {} {} {id} {}", found.op, found.candidate, side.subject.class, paths.join(" "));
    let device = &facts.environment.device;
    let machine = format!(
        "{} {} {} {:?} {}",
        device.kind,
        device.name,
        device.arch,
        device.facts,
        found.shapes.join(" ")
    );
    let attempts = |attempts: &[Attempt]| {
        attempts
            .iter()
            .map(|attempt| format!("{} {}", attempt.what, attempt.reason))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let lesson = recorded.map_or_else(String::new, |(lesson, number)| {
        format!(
            "v{number} {} {} {} {} {}",
            lesson.tag,
            lesson.layer.map_or("", |layer| layer.word()),
            lesson.what.as_deref().unwrap_or_default(),
            attempts(&lesson.failed),
            attempts(&lesson.not_tried)
        )
    });
    let claim = found.claim.as_ref().map_or("", |claim| claim.text.as_str());
    let answer = format!("{} {} {claim}", found.verdict, found.reason.as_deref().unwrap_or_default());
    let text = serde_json::to_string(&found).unwrap_or_default();
    index.execute("INSERT INTO history VALUES (?1, ?2, ?3)", [&id.to_string(), &found.date, &text])?;
    let rowid = index.last_insert_rowid();
    index.execute(
        "INSERT INTO words (rowid, names, machine, lesson, answer) VALUES (?1, ?2, ?3, ?4, ?5)",
        rusqlite::params![rowid, names, machine, lesson, answer],
    )?;
    Ok(())
}

/// Paragraphs of free text in notes that hold all words.
pub(crate) fn paragraphs(layout: &Layout, words: &str) -> Result<Vec<(String, usize, String)>, Error> {
    let wanted: Vec<String> = words
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut found = Vec::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    for op in evidence_store::names(&layout.kernels())? {
        let Ok(path) = layout.notes(&op) else { continue };
        let Some(bytes) = atomic::read_if_there(&path)? else { continue };
        for (line, text) in free_paragraphs(&bytes) {
            let lower = format!("{op} {text}").to_lowercase();
            if wanted.iter().all(|word| lower.contains(word)) {
                found.push((op.clone(), line, text));
            }
        }
    }
    Ok(found)
}

/// Paragraphs outside blocks with the line, from 1, at which each begins.
fn free_paragraphs(bytes: &[u8]) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut number, mut open) = (1, false);
    for piece in pieces(bytes) {
        let text = String::from_utf8_lossy(piece.bytes()).trim().to_owned();
        let free = matches!(piece, Piece::Line(_)) && !text.is_empty();
        match paragraphs.last_mut().filter(|_| open && free) {
            Some((_, known)) => {
                known.push(' ');
                known.push_str(&text);
            }
            None if free => paragraphs.push((number, text)),
            None => {}
        }
        open = free;
        number += piece.bytes().split(|byte| *byte == b'\n').count().saturating_sub(1);
    }
    paragraphs
}
