//! Every variant of every public error enum: message shape, code, cure.
//!
//! Answers from the source of the rooms, because a message shape exists only there. Refuses nothing itself; what is
//! missing is `None` or empty, and the rules say so. Invariant: entries are sorted by room, then by their place.

use std::collections::BTreeMap;

use super::calls;
use super::source::{self, Enum, Note};
use crate::finding::Stop;
use crate::repository::Repository;

/// One variant of a public error enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) room: String,
    pub(crate) variant: String,
    /// The first paragraph of its doc comment.
    pub(crate) doc: String,
    /// The text of `#[error("...")]`; `None` where the variant passes another error through.
    pub(crate) shape: Option<String>,
    /// String literals that `code` gives for it; empty where it delegates.
    pub(crate) codes: Vec<String>,
    /// String literals that `hint` gives for it; empty where there is none or it is carried by the error.
    pub(crate) cures: Vec<String>,
    /// `path:line` of the variant.
    pub(crate) place: String,
}

/// The error enums of the rooms under `crates/`.
pub(crate) fn catalogue(repository: &Repository) -> Result<BTreeMap<String, Vec<Enum>>, Stop> {
    let mut rooms: BTreeMap<String, Vec<Enum>> = BTreeMap::new();
    each_source(repository, |room, file, syntax| {
        rooms.entry(room.to_owned()).or_default().extend(source::enums(room, file, syntax));
    })?;
    rooms.retain(|_, enums| !enums.is_empty());
    Ok(rooms)
}

/// The kinds of note of the rooms under `crates/`, sorted by code.
pub(crate) fn notes(repository: &Repository) -> Result<Vec<Note>, Stop> {
    let mut notes = Vec::new();
    each_source(repository, |_, _, syntax| {
        notes.extend(source::notes(syntax));
        notes.extend(calls::notes(syntax));
    })?;
    notes.sort();
    notes.dedup();
    Ok(notes)
}

/// Every literal of the rooms with the shape of a code, and `path:line` of it.
pub(super) fn codes(repository: &Repository) -> Result<Vec<(String, String)>, Stop> {
    let mut codes = Vec::new();
    each_source(repository, |_, file, syntax| {
        codes.extend(calls::codes(syntax).into_iter().map(|(code, line)| (code, format!("{file}:{line}"))));
    })?;
    Ok(codes)
}

/// Calls `see` with the room, the path and the syntax of every source file under `crates/`.
fn each_source(repository: &Repository, mut see: impl FnMut(&str, &str, &syn::File)) -> Result<(), Stop> {
    for file in repository.with_extension("rs") {
        let Some((room, inside)) = file.strip_prefix("crates/").and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        if inside.starts_with("src/") {
            let text = repository.text(file)?.unwrap_or_default();
            // A file that is not Rust is reported by the step `modules`.
            if let Ok(syntax) = syn::parse_file(&text) {
                see(room, file, &syntax);
            }
        }
    }
    Ok(())
}
