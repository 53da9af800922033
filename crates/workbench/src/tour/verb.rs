//! Runs the tour's steps one after another.

use super::assets::unpack;
use super::plan::{STEPS, Step};
use crate::{Error, Observer};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the tour goes, and with which program.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder that does not exist yet or is empty; a fresh temporary one where none is given.
    pub folder: Option<PathBuf>,
    /// The program behind `kforge` in the steps.
    pub program: PathBuf,
}

/// One step that was run.
#[derive(Clone, Debug, Serialize)]
pub struct Done {
    /// The command line.
    pub command: String,
    /// Its exit code; `null` where a signal ended it.
    pub exit: Option<i32>,
    /// The exit code that it should have answered with.
    pub expected: u8,
}

/// How the tour went.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The folder, kept for looking around.
    pub folder: String,
    /// The steps that were run; the last one may be the one that went wrong.
    pub steps: Vec<Done>,
    /// True where every step answered as it should.
    pub complete: bool,
}

/// Runs the tour. `announce` is called before each step, whose output goes straight to the caller's own streams.
///
/// # Errors
/// Where the folder is not empty or cannot be written, or a program cannot be started.
pub fn run(
    request: &Request,
    observer: &dyn Observer,
    announce: &mut dyn FnMut(&Step),
) -> Result<Response, Error> {
    let folder = new_folder(request.folder.as_deref())?;
    unpack(&folder)?;
    let mut response = Response { folder: folder.display().to_string(), steps: Vec::new(), complete: false };
    for step in STEPS {
        if observer.cancelled() {
            return Err(Error::Interrupted);
        }
        announce(step);
        let program =
            if step.program == "kforge" { request.program.as_path() } else { Path::new(step.program) };
        let status = Command::new(program)
            .args(step.arguments)
            .current_dir(&folder)
            .status()
            .map_err(|source| Error::Io { path: program.to_owned(), source })?;
        response.steps.push(Done {
            command: step.command_line(),
            exit: status.code(),
            expected: step.expected,
        });
        if status.code() != Some(i32::from(step.expected)) {
            return Ok(response);
        }
    }
    response.complete = true;
    Ok(response)
}

fn new_folder(wanted: Option<&Path>) -> Result<PathBuf, Error> {
    let Some(folder) = wanted else {
        let made = tempfile::Builder::new().prefix("kforge-tour-").tempdir();
        return made
            .map(tempfile::TempDir::keep)
            .map_err(|source| Error::Io { path: std::env::temp_dir(), source });
    };
    let failed = |source| Error::Io { path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    if std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(Error::Usage {
            message: format!("{} is not empty", folder.display()),
            hint: Some("name a new folder; the tour writes nothing over".to_owned()),
        });
    }
    Ok(folder.to_owned())
}
