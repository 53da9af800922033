//! One command as a process of its own: its standard output apart from its log, a deadline, and nothing left behind.

use crate::{Error, Note};
use kforge_experiment::{Clock, Ended, Interrupt, Job, JobSpec, MonotonicClock, Place, Relay, unrunnable};
use std::cell::RefCell;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

/// So much of a command's output is searched.
const MOST_OUTPUT: u64 = 16 << 20;
/// So many lines of an output are shown.
const TAIL: usize = 12;

/// Where and how commands run.
pub(super) struct Bench<'a> {
    pub(super) place: &'a Place,
    pub(super) relay: &'a Relay,
    pub(super) folder: &'a Path,
    pub(super) scratch: &'a Path,
    pub(super) clock: &'a MonotonicClock,
    pub(super) interrupt: &'a dyn Interrupt,
    pub(super) deadline: Duration,
    pub(super) notes: &'a RefCell<Vec<Note>>,
}

/// What a command did.
pub(super) struct Done {
    /// How it failed, as a clause; absent where it ended well.
    pub(super) failure: Option<String>,
    pub(super) output: String,
    /// The end of what it wrote to standard error.
    log: String,
    pub(super) wall_ns: i64,
}

impl Done {
    /// The last lines of output and log.
    pub(super) fn tail(&self) -> String {
        let mut parts = vec![last_lines(&self.output), last_lines(&self.log)];
        parts.retain(|part| !part.trim().is_empty());
        parts.join("\n")
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default();
    shown.iter().map(|line| line.chars().take(400).collect::<String>()).collect::<Vec<_>>().join("\n")
}

impl Bench<'_> {
    /// Names what a side left, the first time that it does.
    fn tell_once(&self, side: &str, process: &str) {
        let start = format!("{side} left ");
        let mut notes = self.notes.borrow_mut();
        if notes.iter().all(|note| !note.message.starts_with(&start)) {
            let text = format!("{start}{process} behind; it was killed before the next run");
            notes.push(Note::new("validate.left-process", text));
        }
    }

    /// Runs a command to its end.
    ///
    /// # Errors
    /// Where there is no such program, it cannot be started, or the user asks to stop.
    pub(super) fn run(&self, side: &str, command: &str, env: &[(String, String)]) -> Result<Done, Error> {
        let fail = |message: String| {
            Error::from(kforge_experiment::Error::Tool { tool: command.to_owned(), message })
        };
        let stdout = self.scratch.join("stdout");
        let inside = self.place.inside(&stdout).ok_or_else(|| {
            Error::Bug("the scratch folder is not visible inside although it was probed".to_owned())
        })?;
        let io = |source| Error::Io { path: stdout.clone(), source };
        std::fs::write(&stdout, "").map_err(io)?;
        let redirected = format!("exec >'{}'\n{command}", inside.replace('\'', "'\\''"));
        let spec = JobSpec {
            command: &redirected,
            folder: self.folder,
            env,
            scratch: self.scratch,
            label: "pair",
            reads_input: false,
        };
        let start = self.clock.now();
        let mut job = Job::start(&spec, self.place, self.relay)
            .map_err(|error| fail(format!("could not be started: {error}")))?;
        let ended = job.wait(self.deadline, self.interrupt);
        let wall_ns = self.clock.now().since(start).0;
        let log = job.log_tail();
        if let Some(left) = job.left().first() {
            self.tell_once(side, &left.process);
        }
        let failure = match ended {
            Ended::Well => None,
            Ended::Interrupted => return Err(Error::Interrupted),
            Ended::NotRun(_) => {
                let (tool, message) = unrunnable(command, &log);
                return Err(kforge_experiment::Error::Tool { tool, message }.into());
            }
            Ended::Badly(what) => Some(what),
            Ended::Late(after) => Some(format!("did not end within {} s (--deadline)", after.as_secs())),
        };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&stdout).map_err(io)?;
        file.take(MOST_OUTPUT).read_to_end(&mut bytes).map_err(io)?;
        let output = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Done { failure, output, log, wall_ns })
    }
}
