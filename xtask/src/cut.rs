//! `cargo xtask cut`: one step of a capture as a capture of its own, small enough to ship.
//!
//! Keeps the text of every event that it keeps to the byte: the host events that overlap the step, the activities that
//! calls inside the step launched, the arrows between them, and all that is not on the timeline. Refuses a step that the
//! capture does not have, and one that launched nothing. Invariant: the kept activities are exactly those whose correlation number a kept call has.

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use crate::finding::Stop;

/// Categories of host calls and of activities, as `crates/formats` reads them.
const CALLS: [&str; 9] = [
    "cuda_runtime",
    "cuda_driver",
    "hip_runtime",
    "runtime",
    "driver",
    "privateuse1_runtime",
    "privateuse1_driver",
    "mtia_runtime",
    "xpu_runtime",
];
const ACTIVITIES: [&str; 5] = ["kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset"];

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default)]
    ph: &'a str,
    #[serde(default, borrow)]
    cat: std::borrow::Cow<'a, str>,
    #[serde(default, borrow)]
    name: std::borrow::Cow<'a, str>,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    /// A number in most captures; a text is legal too, and ties nothing to a call.
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    args: Arguments,
}

impl Event<'_> {
    fn number(&self) -> Option<i64> {
        self.id?.get().trim_matches('"').parse().ok()
    }
}

#[derive(Default, Deserialize)]
struct Arguments {
    correlation: Option<i64>,
}

/// What was kept of how much.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) events: usize,
    pub(crate) of: usize,
}

/// Writes the step named `step` of the capture at `from` to `to`, gzip-packed.
pub(crate) fn cut(from: &Path, step: &str, to: &Path) -> Result<Kept, Stop> {
    let read = |source| Stop::Read { path: from.to_owned(), source };
    let bytes = fs::read(from).map_err(read)?;
    let mut text = String::new();
    let unpacked = if bytes.starts_with(&[0x1f, 0x8b]) {
        MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text)
    } else {
        (&bytes[..]).read_to_string(&mut text)
    };
    unpacked.map_err(read)?;
    let (document, kept) = step_of(&text, step).map_err(|what| Stop::Data { path: from.to_owned(), what })?;
    let write = |source| Stop::Write { path: to.to_owned(), source };
    let mut packer = GzEncoder::new(fs::File::create(to).map_err(write)?, Compression::best());
    packer.write_all(document.as_bytes()).map_err(write)?;
    packer.finish().map_err(write)?;
    Ok(kept)
}

fn step_of(text: &str, step: &str) -> Result<(String, Kept), String> {
    let mut members: BTreeMap<&str, &RawValue> =
        serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))?;
    let list = members.remove("traceEvents").ok_or("no traceEvents")?;
    let raw: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(|error| error.to_string())?;
    let events: Vec<Event<'_>> = raw
        .iter()
        .map(|event| serde_json::from_str(event.get()).map_err(|error| format!("an event: {error}")))
        .collect::<Result<_, _>>()?;
    let range = events
        .iter()
        .find(|event| event.ph == "X" && event.cat == "user_annotation" && event.name == step)
        .ok_or_else(|| format!("no user annotation named {step}"))?;
    let (from, to) = (range.ts, range.ts + range.dur);
    let inside = |event: &Event<'_>| event.ts <= to && event.ts + event.dur >= from;
    let launched: HashSet<i64> = events
        .iter()
        .filter(|event| is_call(event) && event.ts >= from && event.ts <= to)
        .filter_map(|event| event.args.correlation)
        .collect();
    if launched.is_empty() {
        return Err(format!(
            "no recorded call in {step} has a correlation number, so nothing is known to be launched in it"
        ));
    }
    let keep = |event: &Event<'_>| match (event.ph, event.cat.as_ref()) {
        ("X", category) if ACTIVITIES.contains(&category) => {
            event.args.correlation.is_some_and(|number| launched.contains(&number))
        }
        ("X", "gpu_user_annotation") => event.name == step,
        ("X", "Trace" | "overhead") => true,
        ("X", category) if CALLS.contains(&category) => event.ts >= from && event.ts <= to,
        ("X", _) => inside(event),
        ("s" | "f" | "t", _) => event.number().is_some_and(|id| launched.contains(&id)),
        _ => true,
    };
    let kept: Vec<&str> =
        raw.iter().zip(&events).filter(|(_, event)| keep(event)).map(|(text, _)| text.get()).collect();
    let mut document = String::from("{");
    for (key, value) in &members {
        let _ = writeln!(document, "{}: {},", serde_json::Value::from(*key), value.get());
    }
    document.push_str("\"traceEvents\": [\n");
    document.push_str(&kept.join(",\n"));
    document.push_str("\n]}\n");
    Ok((document, Kept { events: kept.len(), of: raw.len() }))
}

fn is_call(event: &Event<'_>) -> bool {
    event.ph == "X" && CALLS.contains(&event.cat.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURE: &str = r#"{"schemaVersion": 1, "traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "step[0]", "ts": 0, "dur": 10},
        {"ph": "X", "cat": "user_annotation", "name": "step[1]", "ts": 20, "dur": 10},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 5, "dur": 1, "args": {"correlation": 1}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 25, "dur": 1, "args": {"correlation": 2}},
        {"ph": "X", "cat": "kernel", "name": "a", "ts": 21.500, "dur": 2, "args": {"correlation": 1}},
        {"ph": "X", "cat": "kernel", "name": "b", "ts": 40.250, "dur": 2, "args": {"correlation": 2}},
        {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1, "ts": 5},
        {"ph": "X", "cat": "python_function", "name": "main.py(1): main", "ts": 0, "dur": 99},
        {"ph": "M", "name": "process_name", "ts": 0}
    ]}"#;

    #[test]
    fn a_step_keeps_the_kernels_that_it_launched_wherever_they_ran() {
        let (document, kept) = step_of(CAPTURE, "step[1]").unwrap();
        assert_eq!(kept, Kept { events: 5, of: 9 });
        assert!(document.contains(r#""name": "b", "ts": 40.250"#), "text is kept to the byte");
        assert!(!document.contains(r#""name": "a""#) && !document.contains("ac2g"));
        assert!(serde_json::from_str::<serde_json::Value>(&document).is_ok());
    }

    #[test]
    fn a_capture_of_hip_keeps_its_kernels_and_a_text_is_a_legal_id() {
        let hip = CAPTURE.replace("cuda_runtime", "hip_runtime").replace(r#""id": 1"#, r#""id": "0x1""#);
        let (document, kept) = step_of(&hip, "step[1]").unwrap();
        assert_eq!(kept, Kept { events: 5, of: 9 });
        assert!(document.contains(r#""name": "b""#));
    }

    #[test]
    fn a_step_that_launched_nothing_is_refused() {
        let none = CAPTURE.replace("cuda_runtime", "cpu_op");
        assert!(step_of(&none, "step[1]").unwrap_err().contains("launched"));
    }

    #[test]
    fn a_step_that_is_not_there_is_refused() {
        assert!(step_of(CAPTURE, "step[7]").unwrap_err().contains("step[7]"));
    }
}
