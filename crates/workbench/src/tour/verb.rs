//! Runs the tour's steps one after another.

use super::assets::unpack;
use super::plan::{STEPS, Step};
use crate::{Error, Observer};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

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
            .spawn()
            .and_then(|mut child| ended(&mut child, observer))
            .map_err(|source| Error::Io { path: program.to_owned(), source })?
            .ok_or(Error::Interrupted)?;
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

/// Waits for a step. Once the user wants to stop, the step is asked to, and killed where it does not; there is no status then.
fn ended(child: &mut Child, observer: &dyn Observer) -> std::io::Result<Option<ExitStatus>> {
    while !observer.cancelled() {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        sleep(SLICE);
    }
    for slice in 0..PATIENCE {
        if child.try_wait()?.is_some() {
            return Ok(None);
        }
        // A terminal has told the step as well, and being told twice would keep it from cleaning up.
        if slice == ALONE {
            let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
        }
        sleep(SLICE);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// How often a step is looked at.
const SLICE: Duration = Duration::from_millis(10);
/// After so many slices a step does not end by itself.
const ALONE: u32 = 100;
/// A step that was asked to stop has so many slices to clean up.
const PATIENCE: u32 = 1000;

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
