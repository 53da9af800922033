//! Small captures whose every figure is known by construction.
//!
//! Invariant: a made capture's kernels have distinct names and distinct lengths, so that a sum tells which of them were
//! counted. Nothing here reads a capture: right answers never come from the code under test.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The files of a folder, sorted by name. Empty where the folder cannot be read.
pub fn files_of(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// A file's name for messages.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// One kernel of a made capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeKernel {
    /// Distinct within a capture.
    pub name: String,
    /// Start, in nanoseconds.
    pub start_ns: i64,
    /// Length, in nanoseconds; distinct within a capture, no two subsets of small size add up alike.
    pub length_ns: i64,
    /// The number that its launch has too.
    pub correlation: u64,
}

impl MadeKernel {
    /// The event as Kineto writes it, with this length instead of its own (`None`: without `dur`) and more members.
    pub fn event_with(&self, phase: &str, dur: Option<&str>, extra: &str) -> String {
        let mut text = format!(
            r#"{{"ph": "{phase}", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7, "ts": {}"#,
            self.name,
            microseconds(self.start_ns)
        );
        if let Some(dur) = dur {
            let _ = write!(text, r#", "dur": {dur}"#);
        }
        let _ = write!(
            text,
            r#", "args": {{"device": 0, "context": 1, "stream": 7, "correlation": {}, "grid": [4, 1, 1], "block": [128, 1, 1]{extra}}}}}"#,
            self.correlation
        );
        text
    }

    /// The event as Kineto writes it.
    pub fn event(&self) -> String {
        self.event_with("X", Some(&microseconds(self.length_ns)), "")
    }
}

/// A capture of `n` kernels, one after another on one stream, each with its op and its launch.
#[derive(Clone, Debug)]
pub struct MadeCapture {
    /// The kernels, in time order.
    pub kernels: Vec<MadeKernel>,
}

impl MadeCapture {
    /// `n` kernels named `TAG_0`, `TAG_1`, …, 50 µs apart; correlation numbers from `first_correlation`.
    pub fn new(tag: &str, n: usize, first_correlation: u64) -> Self {
        let kernels = (0..n)
            .map(|index| {
                let step = i64::try_from(index).unwrap_or(0);
                MadeKernel {
                    name: format!("{tag}_{index}"),
                    start_ns: 1_700_000_000_000_000_000 + step * 50_000,
                    length_ns: 2_000 + 37 * step + step * step,
                    correlation: first_correlation + index as u64,
                }
            })
            .collect();
        Self { kernels }
    }

    /// The op, the launch and the kernel of kernel `index`, as three events.
    pub fn events_of(&self, index: usize) -> [String; 3] {
        let kernel = &self.kernels[index];
        let start = kernel.start_ns - 20_000;
        let number = kernel.correlation;
        [
            format!(
                r#"{{"ph": "X", "cat": "cpu_op", "name": "aten::op_{index}", "pid": 42, "tid": 42, "ts": {}, "dur": 12.5, "args": {{"External id": {number}, "Input Dims": [[8, 4096], []]}}}}"#,
                microseconds(start)
            ),
            format!(
                r#"{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 42, "ts": {}, "dur": 4.25, "args": {{"External id": {number}, "cbid": 211, "correlation": {number}}}}}"#,
                microseconds(start + 3_000)
            ),
            kernel.event(),
        ]
    }

    /// All events, one string each, kernel by kernel.
    pub fn events(&self) -> Vec<String> {
        (0..self.kernels.len()).flat_map(|index| self.events_of(index)).collect()
    }

    /// The whole document.
    pub fn document(&self) -> String {
        document(&self.events())
    }

    /// The sum of all kernels' lengths.
    pub fn kernel_sum_ns(&self) -> i64 {
        self.kernels.iter().map(|kernel| kernel.length_ns).sum()
    }
}

/// Events between the head and the tail that Kineto writes, one event a line.
pub fn document(events: &[String]) -> String {
    format!("{}{}{}", HEAD, events.join(",\n"), TAIL)
}

/// What Kineto writes before the first event.
pub const HEAD: &str = "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"name\": \"made\"}],\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 0,\n  \"traceEvents\": [\n";

/// What Kineto writes after the last event.
pub const TAIL: &str = "\n  ],\n  \"traceName\": \"made.json\"\n}\n";

/// Integer nanoseconds as decimal microseconds, without trailing zeros.
pub fn microseconds(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let text = format!("{sign}{}.{:03}", ns.unsigned_abs() / 1000, ns.unsigned_abs() % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_are_exact() {
        assert_eq!(microseconds(1_500), "1.5");
        assert_eq!(microseconds(1_000), "1");
        assert_eq!(microseconds(-20), "-0.02");
        assert_eq!(microseconds(0), "0");
    }

    #[test]
    fn a_made_capture_is_json_with_three_events_a_kernel() {
        let capture = MadeCapture::new("k", 5, 100);
        let value: serde_json::Value = serde_json::from_str(&capture.document()).unwrap();
        assert_eq!(value["traceEvents"].as_array().unwrap().len(), 15);
        assert_eq!(capture.kernel_sum_ns(), 5 * 2_000 + 37 * 10 + 30);
    }
}
