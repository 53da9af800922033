//! `history`: have we tried X on Y? Lists evidence and searches everything that was written about it.

use std::path::PathBuf;

use kforge_ledger::Filter;
use serde::Serialize;

use crate::project::Project;
use crate::{Error, Note, Observer};

pub use kforge_ledger::HistoryRow;

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A folder of the project.
    pub folder: PathBuf,
    /// Words to search for; absent: everything.
    pub query: Option<String>,
    /// Only this op.
    pub op: Option<String>,
    /// Only devices whose name or architecture contains this.
    pub device: Option<String>,
    /// Only this verdict.
    pub verdict: Option<String>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Response {
    /// Evidence, newest first; best match first where words were given.
    pub rows: Vec<HistoryRow>,
    /// Paragraphs of free notes that hold all words.
    pub remarks: Vec<Remark>,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// A paragraph of free text in an op's notes.
#[derive(Debug, Serialize)]
pub struct Remark {
    /// The op.
    pub op: String,
    /// The notes, relative to the ledger's root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The text.
    pub text: String,
}

/// The words that a verdict can be, and the one of evidence that does not hold.
const VERDICTS: [&str; 8] =
    ["faster", "slower", "same", "mixed", "inconclusive", "incorrect", "void", "malformed"];

/// Searches.
///
/// # Errors
/// Where a filter names nothing that can exist, or the ledger cannot be read.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    if let Some(verdict) =
        request.verdict.as_ref().filter(|word| !VERDICTS.contains(&word.to_lowercase().as_str()))
    {
        return Err(Error::Usage {
            message: format!("`{verdict}` is no verdict"),
            hint: Some(format!("one of {}", VERDICTS.join(", "))),
        });
    }
    let project = Project::around(&request.folder)?;
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    let filter = Filter {
        words: request.query.clone(),
        op: request.op.clone(),
        device: request.device.clone(),
        verdict: request.verdict.clone(),
    };
    let found = project.ledger.history(&filter)?;
    let rows = found.rows;
    let mut remarks = Vec::new();
    if let Some(words) = &request.query {
        let found = project.ledger.notes_with(words)?;
        remarks.extend(
            found
                .into_iter()
                .filter(|(op, ..)| request.op.as_ref().is_none_or(|wanted| wanted == op))
                .map(|(op, line, text)| Remark { file: format!("kernels/{op}/notes.md"), op, line, text }),
        );
    }
    let mut notes = Vec::new();
    let layout = project.ledger.layout();
    for (row, broken) in rows.iter().filter_map(|row| Some((row, row.malformed.as_ref()?))) {
        let file = layout.relative(&layout.evidence(&row.op, &row.evidence)?);
        let text = format!("{file} does not hold: {broken}; what it says is no fact");
        notes.push(Note { file: Some(file), ..Note::new("history.malformed", text) });
    }
    for misfit in found.misfits {
        let text = format!("{} is no evidence: {}", misfit.file, misfit.why);
        notes.push(Note { file: Some(misfit.file), ..Note::new("history.no-evidence", text) });
    }
    if rows.is_empty() && remarks.is_empty() {
        notes.push(Note::new("history.nothing", "nothing in the ledger fits; it may never have been tried"));
    }
    Ok(Response { rows, remarks, notes })
}
