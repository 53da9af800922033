//! Runs `kforge trace FILE --format json` and holds what it answered.
//!
//! Invariant: a run that was ended by a signal, took over two minutes or wrote something other than one JSON document is
//! reported as such, never as an answer.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How one run ended.
#[derive(Clone, Debug)]
pub struct TraceAnswer {
    /// The exit status; `None` where a signal (or the time limit) ended it.
    pub exit: Option<i32>,
    /// The JSON document on stdout; null where there is none.
    pub json: serde_json::Value,
    /// The bytes of stdout.
    pub stdout: Vec<u8>,
    /// The text on stderr.
    pub stderr: String,
}

impl TraceAnswer {
    /// Runs `binary trace file --format json`.
    pub fn of(binary: &Path, file: &Path) -> Self {
        Self::with(binary, file, &[])
    }

    /// The same with these environment variables on top.
    pub fn with(binary: &Path, file: &Path, environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(binary);
        command.arg("trace").arg(file).args(["--format", "json"]).envs(environment.iter().copied());
        let mut command = assert_cmd::Command::from_std(command);
        match command.timeout(Duration::from_mins(2)).output() {
            Ok(output) => Self {
                exit: output.status.code(),
                json: serde_json::from_slice(&output.stdout).unwrap_or(serde_json::Value::Null),
                stdout: output.stdout,
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            },
            Err(error) => Self {
                exit: None,
                json: serde_json::Value::Null,
                stdout: Vec::new(),
                stderr: format!("not run: {error}"),
            },
        }
    }

    /// An integer of `data`, by JSON pointer below it.
    pub fn number(&self, pointer: &str) -> Option<i64> {
        self.json.pointer(&format!("/data{pointer}")).and_then(serde_json::Value::as_i64)
    }

    /// `tables.kernels`: name → (count, total in nanoseconds).
    pub fn kernels(&self) -> BTreeMap<String, (i64, i64)> {
        let rows = self.json.pointer("/data/tables/kernels/rows").and_then(serde_json::Value::as_array);
        rows.into_iter()
            .flatten()
            .map(|row| {
                let name = row["name"].as_str().unwrap_or_default().to_owned();
                (name, (row["count"].as_i64().unwrap_or(-1), row["total_ns"].as_i64().unwrap_or(-1)))
            })
            .collect()
    }

    /// The notes: (code, message, has a position).
    pub fn notes(&self) -> Vec<(String, String, bool)> {
        let notes = self.json.pointer("/notes").and_then(serde_json::Value::as_array);
        notes
            .into_iter()
            .flatten()
            .map(|note| {
                let text = |name: &str| note[name].as_str().unwrap_or_default().to_owned();
                (text("code"), text("message"), note["byte"].is_u64())
            })
            .collect()
    }

    /// The error's code, message and hint in one lower-case text; empty where it answered.
    pub fn failure(&self) -> String {
        let error = &self.json["error"];
        ["code", "message", "hint"]
            .iter()
            .filter_map(|name| error[*name].as_str())
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase()
    }

    /// Why the run itself is not acceptable on any input: ended by a signal, a bug, or no JSON document. `None` where it is.
    pub fn fault(&self) -> Option<String> {
        let stderr: String = self.stderr.chars().take(400).collect();
        match self.exit {
            Some(0 | 3) if self.json.is_object() => None,
            Some(0 | 3) => Some(format!("no JSON document on stdout; stderr: {stderr}")),
            Some(code) => Some(format!("exit {code}; stderr: {stderr}")),
            None => Some(format!("ended by a signal or too slow; stderr: {stderr}")),
        }
    }
}
