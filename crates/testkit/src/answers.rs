//! What an answer of `kforge validate` says about one candidate, and which processes a run has left.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a fixture that fails, fails its test"
)]

use serde_json::Value;
use std::fs;
use std::path::Path;

/// The verdict's word and its text, of one candidate in an answer.
pub fn verdict(answer: &Value, candidate: &str) -> (String, String) {
    let all = answer["data"]["candidates"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    let one = all.iter().find(|one| one["candidate"] == candidate).unwrap_or_else(|| panic!("{answer:#}"));
    let word = one["verdict"]["verdict"].as_str().unwrap().to_owned();
    (word, one["reason"].as_str().unwrap().to_owned())
}

/// Whether a candidate was timed. A machine that is busy with other tests may be too noisy to compare clocks or processes on; that is
/// an answer about the machine, not about the candidate.
pub fn is_timed(word: &str, reason: &str) -> bool {
    let noisy = reason.starts_with("environment:") || reason.starts_with("biased:");
    matches!(word, "same" | "slower" | "faster" | "mixed" | "inconclusive") || (word == "void" && noisy)
}

/// Process ids whose command line holds this text.
pub fn processes_with(text: &str) -> Vec<String> {
    let me = std::process::id().to_string();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.chars().all(|c| c.is_ascii_digit()) && *name != me)
        .filter(|name| {
            let folder = Path::new("/proc").join(name);
            let line = fs::read(folder.join("cmdline")).unwrap_or_default();
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(text);
            holds(&line) || holds(&environment)
        })
        .collect()
}

/// Waits until no process holds this text, for at most so many seconds.
pub fn gone(text: &str, seconds: u32) -> bool {
    for _ in 0..seconds * 20 {
        if processes_with(text).is_empty() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    false
}
