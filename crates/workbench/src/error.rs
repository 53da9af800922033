//! Why a verb could not answer.
//!
//! Rooms below have their own errors; this one keeps them as sources and adds the exit class. Every error has a stable
//! code, a message that is a lowercase fact, and, where there is one, a cure.

use crate::ExitClass;
use std::path::PathBuf;

/// The errors of the facade.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request contradicts itself or names something that does not exist.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to write instead.
        hint: Option<String>,
    },
    /// A capture cannot be used.
    #[error(transparent)]
    Capture(#[from] kforge_formats::Error),
    /// An experiment could not be carried out.
    #[error(transparent)]
    Experiment(#[from] kforge_experiment::Error),
    /// A file cannot be read as an operation.
    #[error(transparent)]
    Sources(#[from] kforge_sources::Error),
    /// A file is no tuned table.
    #[error(transparent)]
    Tuning(#[from] kforge_tuning::Error),
    /// An experiment has lines that nobody has finished.
    #[error("{file}:{line} is not finished: {what}")]
    Unfinished {
        /// The file.
        file: String,
        /// The line of the first mark, from 1.
        line: usize,
        /// What it asks for.
        what: String,
        /// How many marks there are.
        count: usize,
    },
    /// The ledger refused.
    #[error(transparent)]
    Ledger(#[from] kforge_ledger::Error),
    /// A file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A durable value cannot be read or written.
    #[error(transparent)]
    Record(#[from] kforge_record::Error),
    /// There is no repository here, or not one of the kind that is needed.
    #[error("{message}")]
    Repository {
        /// What is missing.
        message: String,
        /// What to do instead.
        hint: Option<String>,
    },
    /// The device that is needed is not there, or not free.
    #[error("{message}")]
    Device {
        /// What is missing or taken.
        message: String,
        /// What to do instead.
        hint: Option<String>,
    },
    /// Git answered no where it had to answer.
    #[error("git {command} failed: {message}")]
    Git {
        /// The first words of the call.
        command: String,
        /// What git said.
        message: String,
    },
    /// kforge.toml cannot be read.
    #[error("{path} is not readable: {message}", path = path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, with its line.
        message: String,
        /// The cure, where it is another than to look up the tables.
        hint: Option<String>,
    },
    /// Another tool is missing or failed.
    #[error("{tool} failed: {message}")]
    Tool {
        /// The tool.
        tool: &'static str,
        /// What it said.
        message: String,
    },
    /// A file or stream that was asked for could not be written.
    #[error("{path}: {source}", path = path.display())]
    Write {
        /// The file, or `stdout`.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A benchmark command of a pair gave no number.
    #[error("{side}: {message}{}", if tail.is_empty() { String::new() } else { format!("\n{tail}") })]
    Command {
        /// `a` or `b`.
        side: String,
        /// What it did.
        message: String,
        /// The last lines that it wrote.
        tail: String,
    },
    /// A file holds no code object that can be read.
    #[error(transparent)]
    CodeObject(#[from] kforge_codeobject::Error),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// kforge contradicted itself.
    #[error("internal contradiction: {0}")]
    Bug(String),
}

impl Error {
    /// The exit class of this error.
    pub fn class(&self) -> ExitClass {
        match self {
            Self::Usage { .. } => ExitClass::Usage,
            Self::Capture(error) if error.is_interrupted() => ExitClass::Interrupted,
            _ if self.says_no_room() => ExitClass::Environment,
            Self::Ledger(kforge_ledger::Error::OpName { .. } | kforge_ledger::Error::Tag { .. })
            | Self::Sources(kforge_sources::Error::Several { .. } | kforge_sources::Error::NotThere { .. }) => {
                ExitClass::Usage
            }
            Self::Capture(_)
            | Self::Sources(_)
            | Self::Tuning(_)
            | Self::Unfinished { .. }
            | Self::Command { .. }
            | Self::CodeObject(_)
            | Self::Io { .. }
            | Self::Settings { .. }
            | Self::Repository { .. }
            | Self::Record(_)
            | Self::Ledger(_) => ExitClass::Input,
            Self::Git { .. } | Self::Tool { .. } | Self::Write { .. } | Self::Device { .. } => {
                ExitClass::Environment
            }
            Self::Experiment(error) => experiment_class(error),
            Self::Interrupted => ExitClass::Interrupted,
            Self::Bug(_) => ExitClass::Bug,
        }
    }

    /// Whether the machine has no room for a file, or does not let this user write it. A ledger's file that cannot be read is an
    /// input like any other; elsewhere the system does not say what it was asked for.
    fn says_no_room(&self) -> bool {
        use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let (source, reading) = match self {
            Self::Io { source, .. } | Self::Experiment(kforge_experiment::Error::Io { source, .. }) => {
                (source, false)
            }
            Self::Ledger(kforge_ledger::Error::Io { doing, source, .. }) => {
                (source, matches!(*doing, "read" | "list"))
            }
            // What git and copies of trees say is words already.
            Self::Experiment(kforge_experiment::Error::Tree { message, .. }) => return says(message, &ROOM),
            _ => return false,
        };
        match source.kind() {
            StorageFull | ReadOnlyFilesystem | QuotaExceeded => true,
            PermissionDenied => !reading,
            _ => false,
        }
    }

    /// A stable dotted code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Usage { .. } => "usage",
            Self::Capture(error) => error.code(),
            Self::Experiment(error) => error.code(),
            Self::Sources(error) => error.code(),
            Self::Tuning(error) => error.code(),
            Self::Unfinished { .. } => "experiment.unfinished",
            Self::Io { .. } => "io",
            Self::Write { .. } => "write",
            Self::Ledger(error) => error.code(),
            Self::Record(error) => error.code(),
            Self::Repository { .. } => "repository",
            Self::Device { .. } => "device",
            Self::Git { .. } => "git",
            Self::Settings { .. } => "settings",
            Self::Tool { .. } => "tool",
            Self::Command { .. } => "validate.command",
            Self::CodeObject(error) => error.code(),
            Self::Interrupted => "interrupted",
            Self::Bug(_) => "bug",
        }
    }

    /// The cure, where one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } | Self::Repository { hint, .. } | Self::Device { hint, .. } => {
                hint.clone()
            }
            Self::Capture(error) => error.hint(),
            Self::Experiment(error) => error.hint(),
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Some("check the path; kforge reads files where they are and fetches nothing".to_owned())
            }
            Self::Write { .. } => Some(
                "nothing is complete there; make room or name a place that can be written, then run it again"
                    .to_owned(),
            ),
            Self::Sources(error) => error.hint(),
            Self::Tuning(error) => error.hint(),
            Self::Unfinished { count, .. } => Some(format!(
                "lines marked TODO(kforge) in the experiment and its sources: {count}; do what each says and delete the mark"
            )),
            Self::Command { .. } => Some(
                "run the command by hand; it must end with 0 and print one positive number that --metric finds".to_owned(),
            ),
            Self::CodeObject(error) => Some(error.hint().to_owned()),
            Self::Ledger(error) => error.hint(),
            Self::Record(error) => error.hint(),
            Self::Settings { hint, .. } => Some(hint.clone().unwrap_or_else(|| {
                "kforge.toml is TOML with [ledger], [commit], [verify], [policy] and [env.NAME]; docs/evidence.md lists what they hold".to_owned()
            })),
            Self::Bug(_) => {
                Some("please report it with the command line and, if you can, the input".to_owned())
            }
            Self::Git { message, .. } => git_hint(message),
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                Some(NO_ROOM.to_owned())
            }
            Self::Io { .. } if self.says_no_room() => {
                Some("make that place writable for this user and repeat the command".to_owned())
            }
            Self::Tool { .. } => Some(
                "OpenSSH must be installed, and --sign takes a private key, or a public one whose private half an agent holds; nothing was recorded"
                    .to_owned(),
            ),
            Self::Io { .. } | Self::Interrupted => None,
        }
    }
}

const NO_ROOM: &str = "free some space and repeat the command; nothing was left half done";

/// Git names the system's error only where it writes objects; a failed write of its index says no more than that.
const ROOM: [&str; 5] = ["No space left", "Disk quota", "write error", "unable to write", "cannot write"];

fn says(message: &str, words: &[&str]) -> bool {
    words.iter().any(|word| message.contains(word))
}

/// The cure for what git says, where its words tell.
fn git_hint(message: &str) -> Option<String> {
    const RIGHTS: [&str; 3] = ["Permission denied", "Read-only file system", "insufficient permission"];
    if says(message, &RIGHTS) {
        return Some("make the repository's `.git` writable for this user and repeat the command".to_owned());
    }
    if says(message, &ROOM) {
        return Some(NO_ROOM.to_owned());
    }
    says(message, &[".lock"])
        .then(|| "wait for the other git; where none is running, remove the lock file".to_owned())
}

/// The exit class of an experiment that could not be carried out.
fn experiment_class(error: &kforge_experiment::Error) -> ExitClass {
    use kforge_experiment::{Error as Cause, FaultKind};
    match error {
        Cause::NoCandidate { .. } | Cause::Place { .. } => ExitClass::Usage,
        Cause::Interrupted => ExitClass::Interrupted,
        Cause::Bug(_) => ExitClass::Bug,
        Cause::Prefix { .. }
        | Cause::Tool { .. }
        | Cause::Runner { kind: FaultKind::Absent | FaultKind::NotStarted, .. } => ExitClass::Environment,
        _ => ExitClass::Input,
    }
}

#[cfg(test)]
mod tests {
    use super::Error;
    use crate::ExitClass;
    use std::io::ErrorKind;

    #[test]
    fn a_machine_without_room_or_rights_is_the_environment_and_a_missing_file_an_input() {
        let path = || std::path::PathBuf::from("file");
        let all = |kind: ErrorKind, doing: &'static str| {
            [
                Error::Io { path: path(), source: kind.into() },
                Error::Experiment(kforge_experiment::Error::io("file", kind.into())),
                Error::Ledger(kforge_ledger::Error::Io { doing, path: path(), source: kind.into() }),
            ]
        };
        let kinds = [
            ErrorKind::StorageFull,
            ErrorKind::ReadOnlyFilesystem,
            ErrorKind::QuotaExceeded,
            ErrorKind::PermissionDenied,
        ];
        for error in kinds.into_iter().flat_map(|kind| all(kind, "write")) {
            assert_eq!(error.class(), ExitClass::Environment, "{error:?}");
        }
        for error in all(ErrorKind::NotFound, "read") {
            assert_eq!(error.class(), ExitClass::Input, "{error:?}");
        }
        let [.., unreadable] = all(ErrorKind::PermissionDenied, "read");
        assert_eq!(unreadable.class(), ExitClass::Input);
    }

    #[test]
    fn what_git_says_about_a_full_disk_and_missing_rights_has_a_cure() {
        let hint = |message: &str| {
            Error::Git { command: "hash-object".to_owned(), message: message.to_owned() }.hint()
        };
        let full =
            "error: file write error: No space left on device\nfatal: unable to write loose object file";
        assert!(hint(full).unwrap().contains("free some space"));
        assert!(hint("fatal: unable to write new index file").unwrap().contains("free some space"));
        assert!(
            hint("error: unable to create temporary file: Permission denied").unwrap().contains("writable")
        );
        assert_eq!(hint("fatal: bad object HEAD"), None);
    }
}
