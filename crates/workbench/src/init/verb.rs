//! Writes a skeleton into a project.

use super::from;
use super::skeleton::Class;
use crate::project::Project;
use crate::validate::MARK;
use crate::{Error, Note, Observer};
use kforge_experiment::{OP_NAMES, is_op_name};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Which operation, of which class.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder of the project.
    pub folder: PathBuf,
    /// The operation's name; it becomes a folder.
    pub op: String,
    /// What it starts from.
    pub start: Start,
}

/// What a new experiment starts from.
#[derive(Clone, Debug)]
pub enum Start {
    /// The skeleton of a kernel class.
    Skeleton(Class),
    /// A file that is there: `FILE`, `FILE::TEST`, or `python:MODULE.FUNCTION`.
    File(String),
}

/// What was written.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The operation.
    pub op: String,
    /// The kernel class.
    pub class: Class,
    /// The file and line that it was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Lines that have to be finished before it can be validated.
    pub open: u32,
    /// What must be on the machine to run it.
    pub needs: &'static str,
    /// The files, relative to the project's root.
    pub files: Vec<String>,
    /// The command to go on with.
    pub next: String,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// The file that makes a folder an operation.
const EXPERIMENT: &str = "experiment.toml";

/// Writes the files.
///
/// # Errors
/// Where the name cannot be a folder's, the operation is there already, or a file cannot be written.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let project = Project::around(&request.folder)?;
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    let op = &request.op;
    if !is_op_name(op) {
        return Err(Error::Usage {
            message: format!("`{op}` cannot be an operation's name"),
            hint: Some(OP_NAMES.to_owned()),
        });
    }
    let inside = format!("kernels/{op}");
    let folder = project.root.join(&inside);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    let mut draft = draft(request, &project.root)?;
    let there = |name: &&str| folder.join(name).symlink_metadata().is_ok();
    let names = std::iter::once(EXPERIMENT).chain(draft.files.iter().map(|(name, _)| *name));
    if let Some(name) = names.into_iter().find(there) {
        return Err(Error::Usage {
            message: format!("{inside}/{name} is there already"),
            hint: Some("name another operation; nothing is written over".to_owned()),
        });
    }
    // What makes a folder an operation comes last: what is cut short can be begun again.
    draft.files.sort_by_key(|(name, _)| *name == EXPERIMENT);
    std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let mut written = Vec::new();
    for (name, text) in &draft.files {
        let path = folder.join(name);
        let mut file = std::fs::File::create_new(&path).map_err(failed(&path))?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed(&path))?;
        written.push(format!("{inside}/{name}"));
    }
    let mut notes = draft.notes;
    if project.git.is_none() {
        let text = "this is no git repository; validate needs one, and `git init` is enough";
        notes.push(Note::new("init.repository", text));
    }
    Ok(Response {
        op: op.clone(),
        class: draft.class,
        from: draft.from,
        open: draft.open,
        needs: draft.needs,
        files: written,
        next: match draft.open {
            0 => format!("kforge validate {op}"),
            _ => format!("grep -n '{MARK}' kernels/{op}/*"),
        },
        notes,
    })
}

/// What will be written, and what is to be said about it.
struct Draft {
    class: Class,
    from: Option<String>,
    open: u32,
    needs: &'static str,
    files: Vec<(&'static str, String)>,
    notes: Vec<Note>,
}

fn draft(request: &Request, root: &Path) -> Result<Draft, Error> {
    match &request.start {
        Start::Skeleton(class) => Ok(Draft {
            class: *class,
            from: None,
            open: 0,
            needs: class.needs(),
            files: class.files(&request.op).collect(),
            notes: class.unproven().map(|text| Note::new("init.unproven", text)).into_iter().collect(),
        }),
        Start::File(from) => {
            let task = from::task(root, &request.folder, from, &request.op)?;
            let written = from::files(&task, &request.op)?;
            Ok(Draft {
                class: Class::Triton,
                from: Some(format!("{}:{}", task.file, task.line)),
                open: written.open,
                needs: "a Python with torch ($KFORGE_PYTHON, else python3) and with what the file imports",
                files: written.files,
                notes: written.notes,
            })
        }
    }
}
