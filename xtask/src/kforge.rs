//! The built binary as the source of what it can do.
//!
//! Builds `kforge` and asks it through its hidden verbs `__reference` and `__parse`. Refuses an old binary: the path
//! is the one that cargo reports for this build.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::finding::Stop;
use crate::repository::Repository;

/// A binary that was built from the tree under examination.
#[derive(Debug)]
pub(crate) struct Kforge {
    path: PathBuf,
}

/// What `kforge __reference` prints.
#[derive(Debug, Deserialize)]
pub(crate) struct Reference {
    pub(crate) command: Verb,
    pub(crate) exit_codes: Vec<ExitCode>,
}

/// One node of the command tree.
#[derive(Debug, Deserialize)]
pub(crate) struct Verb {
    pub(crate) name: String,
    pub(crate) about: Option<String>,
    pub(crate) long_about: Option<String>,
    pub(crate) usage: String,
    pub(crate) after_help: Option<String>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) commands: Vec<Verb>,
}

/// One argument or option.
#[derive(Debug, Deserialize)]
pub(crate) struct Argument {
    pub(crate) id: String,
    pub(crate) long: Option<String>,
    pub(crate) short: Option<String>,
    pub(crate) values: Vec<String>,
    pub(crate) help: Option<String>,
    pub(crate) possible: Vec<Possible>,
    pub(crate) defaults: Vec<String>,
    pub(crate) environment: Option<String>,
    pub(crate) required: bool,
    pub(crate) repeats: bool,
}

/// One value of an option that takes a fixed set.
#[derive(Debug, Deserialize)]
pub(crate) struct Possible {
    pub(crate) name: String,
    pub(crate) help: Option<String>,
}

/// One exit code.
#[derive(Debug, Deserialize)]
pub(crate) struct ExitCode {
    pub(crate) code: u8,
    pub(crate) meaning: String,
}

impl Kforge {
    /// Builds the binary in the default (debug) profile. With a test of it and as part of the workspace, crates get the features that
    /// `cargo test --workspace` gives them, and what it compiled is not compiled again.
    pub(crate) fn build(repository: &Repository) -> Result<Self, Stop> {
        const ARGUMENTS: [&str; 9] = [
            "build",
            "--workspace",
            "--bin",
            "kforge",
            "--test",
            "fixtures",
            "--locked",
            "--quiet",
            "--message-format=json",
        ];
        let command = format!("cargo {}", ARGUMENTS.join(" "));
        let failed = |what: String| Stop::Tool { command: command.clone(), what };
        let output = Command::new("cargo")
            .args(ARGUMENTS)
            .current_dir(repository.root())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(output.status.to_string()));
        }
        let built = cargo_metadata::Message::parse_stream(output.stdout.as_slice()).filter_map(|message| {
            let Ok(cargo_metadata::Message::CompilerArtifact(artifact)) = message else { return None };
            artifact.executable.filter(|_| artifact.target.name == "kforge")
        });
        let path = built.last().ok_or_else(|| failed("cargo reported no executable".to_owned()))?;
        Ok(Self { path: path.into_std_path_buf() })
    }

    /// The command tree and the exit codes.
    pub(crate) fn reference(&self) -> Result<Reference, Stop> {
        let failed = |what: String| Stop::Tool { command: "kforge __reference".to_owned(), what };
        let output = Command::new(&self.path)
            .arg("__reference")
            .output()
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(output.status.to_string()));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
    }

    /// Why the words after `kforge` would not be understood, or `None`.
    pub(crate) fn refusal(&self, words: &[String]) -> Result<Option<String>, Stop> {
        let failed = |what: String| Stop::Tool { command: "kforge __parse".to_owned(), what };
        let output = Command::new(&self.path)
            .args(["__parse", "--"])
            .args(words)
            .output()
            .map_err(|error| failed(error.to_string()))?;
        match output.status.code() {
            Some(0) => Ok(None),
            Some(2) => {
                let text = String::from_utf8_lossy(&output.stderr);
                let first = text.lines().next().unwrap_or("not understood");
                Ok(Some(first.trim_start_matches("error: ").to_owned()))
            }
            _ => Err(failed(output.status.to_string())),
        }
    }
}
