//! The catalog against every distinct name of the real captures: how much GPU time stays without a family.

#![expect(clippy::unwrap_used, reason = "a test may stop where its input is not what it takes it for")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use kforge_catalog::{Catalog, Family};
use serde::Deserialize;

#[derive(Deserialize)]
struct Capture {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    cat: String,
    #[serde(default)]
    name: serde_json::Value,
    #[serde(default)]
    dur: f64,
}

/// Device time by name, in µs as the captures have it; captures that are not whole JSON are left to the reader's tests.
fn add_names(path: &Path, names: &mut BTreeMap<String, f64>) {
    let bytes = std::fs::read(path).unwrap();
    let mut text = Vec::new();
    if flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).is_err() {
        text = bytes;
    }
    let Ok(capture) = serde_json::from_slice::<Capture>(&text) else { return };
    for event in capture.events {
        let device = ["kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"];
        if device.contains(&event.cat.to_ascii_lowercase().as_str())
            && let Some(name) = event.name.as_str()
        {
            *names.entry(name.to_owned()).or_default() += event.dur;
        }
    }
}

#[test]
fn less_than_three_percent_of_the_gpu_time_of_real_captures_is_unclassified() {
    let Some(corpus) = kforge_testkit::corpus("catalog::corpus") else { return };
    let mut names = BTreeMap::new();
    for entry in std::fs::read_dir(corpus.join("torch-profiler")).unwrap() {
        let path = entry.unwrap().path();
        // The seven largest cost a minute without optimisation; most of their names are in the others.
        if std::fs::metadata(&path).unwrap().len() < 1_300_000 {
            add_names(&path, &mut names);
        }
    }
    let catalog = Catalog::builtin().unwrap();
    let whole: f64 = names.values().sum();
    let unknown: Vec<_> =
        names.iter().filter(|(name, _)| catalog.classify(name).operation == Family::Unclassified).collect();
    let share = unknown.iter().map(|(_, time)| **time).sum::<f64>() / whole;
    assert!(names.len() > 500, "only {} names found", names.len());
    assert!(share < 0.03, "{:.2} % unclassified: {unknown:?}", share * 100.0);
}
