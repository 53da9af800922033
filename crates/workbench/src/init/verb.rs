//! Writes a skeleton into a project.

use super::skeleton::Class;
use crate::project::Project;
use crate::{Error, Note, Observer};
use kforge_experiment::is_name;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Which operation, of which class.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder of the project.
    pub folder: PathBuf,
    /// The operation's name; it becomes a folder.
    pub op: String,
    /// The kernel class.
    pub class: Class,
}

/// What was written.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The operation.
    pub op: String,
    /// The kernel class.
    pub class: Class,
    /// What must be on the machine to run it.
    pub needs: &'static str,
    /// The files, relative to the project's root.
    pub files: Vec<String>,
    /// The command to go on with.
    pub next: String,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

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
    if !is_name(op) {
        return Err(Error::Usage {
            message: format!("`{op}` cannot be an operation's name"),
            hint: Some("use letters, digits and _ - . + =, at most 80".to_owned()),
        });
    }
    let inside = format!("kernels/{op}");
    let files: Vec<(&str, String)> = request.class.files(op).collect();
    let folder = project.root.join(&inside);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    if folder.join("experiment.toml").exists() {
        return Err(Error::Usage {
            message: format!("{inside}/experiment.toml is there already"),
            hint: Some("name another operation; nothing is written over".to_owned()),
        });
    }
    std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let mut written = Vec::new();
    for (name, text) in &files {
        let path = folder.join(name);
        let mut file = std::fs::File::create_new(&path).map_err(failed(&path))?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed(&path))?;
        written.push(format!("{inside}/{name}"));
    }
    let mut notes = Vec::new();
    if project.git.is_none() {
        let text = "this is no git repository; `git init` and a first commit are needed before validate";
        notes.push(Note::new("init.repository", text));
    }
    Ok(Response {
        op: op.clone(),
        class: request.class,
        needs: request.class.needs(),
        files: written,
        next: format!("kforge validate {op}"),
        notes,
    })
}
