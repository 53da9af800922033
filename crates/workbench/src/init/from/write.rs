//! The files of an experiment out of a task.

use super::document;
use super::program;
use crate::validate::MARK;
use crate::{Error, Note};
use kforge_experiment::Experiment;
use kforge_record::Policy;
use kforge_sources::Task;
use std::path::Path;

/// What is to be written.
pub(crate) struct Written {
    /// Names and texts.
    pub(crate) files: Vec<(&'static str, String)>,
    /// Lines that somebody has to finish.
    pub(crate) open: u32,
    /// What the reader should know.
    pub(crate) notes: Vec<Note>,
}

/// The files; refused where what was read cannot be an experiment.
pub(crate) fn files(task: &Task, op: &str) -> Result<Written, Error> {
    let candidate = task.candidate.as_ref().unwrap_or(&task.baseline);
    let files = vec![
        ("experiment.toml", document::text(task, op)),
        ("reference.py", program::text(task, &task.reference, &task.reference.title)),
        ("baseline.py", program::text(task, &task.baseline, &task.baseline.title)),
        (
            "candidate.py",
            program::text(task, candidate, "The candidate: your idea. It begins as a copy of the baseline."),
        ),
    ];
    let path = Path::new("kernels").join(op).join("experiment.toml");
    Experiment::parse(&path, &files[0].1, &Policy::default())?;
    let open: usize = files
        .iter()
        .flat_map(|(_, text)| text.lines())
        .filter(|line| line.contains(&format!("# {MARK}")))
        .count();
    let mut notes: Vec<Note> = Vec::new();
    for finding in &task.said {
        let message = format!("{}:{}: {}", task.file, finding.line, finding.text);
        notes.push(Note { file: Some(task.file.clone()), ..Note::new("init.read", message) });
    }
    if open > 0 {
        let text = format!(
            "{open} lines are marked {MARK}, where the file does not say what an experiment needs; validate refuses until they are gone"
        );
        notes.push(Note::new("init.open", text));
    }
    Ok(Written { files, open: u32::try_from(open).unwrap_or(u32::MAX), notes })
}
