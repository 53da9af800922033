//! Changes of a capture that change nothing about what happened: the answer is the same.
//!
//! The order of events, the origin of time, the numbers that tie a launch to its activity, the packing and the writing of
//! the JSON mean nothing. Nor do the locale, the time zone and the number of threads: there the very bytes are the same.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why and fails")]

use flate2::Compression;
use flate2::write::GzEncoder;
use kforge_testkit::captures::MadeCapture;
use kforge_testkit::lab;
use kforge_testkit::trace_answer::TraceAnswer;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Members of `data` that name the file or a place in it.
const ABOUT_THE_FILE: [&str; 3] = ["capture", "notes", "file"];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(bytes).expect("memory takes bytes");
    encoder.finish().expect("memory takes bytes")
}

fn answer_to(bytes: &[u8], environment: &[(&str, &str)]) -> TraceAnswer {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("capture");
    std::fs::write(&file, bytes).expect("the scratch folder takes a file");
    TraceAnswer::with(Path::new(env!("CARGO_BIN_EXE_kforge")), &file, environment)
}

/// What the answer says, apart from the file.
fn figures(bytes: &[u8]) -> Value {
    let answer = answer_to(bytes, &[]);
    assert_eq!(answer.exit, Some(0), "{}", answer.stderr);
    let mut data = answer.json["data"].clone();
    let members = data.as_object_mut().expect("data is an object");
    for name in ABOUT_THE_FILE {
        members.remove(name);
    }
    data
}

/// Only what cannot depend on the origin of time.
fn figures_without_moments(bytes: &[u8]) -> Value {
    let data = figures(bytes);
    json!({
        "activities": data["activities"], "time": data["time"], "links": data["links"],
        "kernels": data["tables"]["kernels"], "modules": data["tables"]["modules"], "sources": data["tables"]["sources"],
    })
}

/// The captures to change: one that is made, and a real one where the lab is there.
fn captures(test: &str) -> Vec<(&'static str, Value)> {
    let parse = |bytes: &[u8]| serde_json::from_slice(bytes).expect("JSON");
    let mut captures = vec![("made", parse(MadeCapture::new("kernel", 40, 500).document().as_bytes()))];
    for name in ["pair_before", "llama_decode_graph"] {
        let Some(lab) = lab(test) else { break };
        let packed = std::fs::read(lab.join(format!("captures/{name}.json.gz"))).expect("the lab has it");
        let mut unpacked = Vec::new();
        flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).expect("gzip");
        captures.push((name, parse(&unpacked)));
    }
    captures
}

fn events(capture: &mut Value) -> &mut Vec<Value> {
    capture["traceEvents"].as_array_mut().expect("it has events")
}

/// The same JSON with every other character written as `\\uXXXX`.
fn in_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}

/// A copy with `change` made to every event.
fn changed(capture: &Value, change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut copy = capture.clone();
    events(&mut copy).iter_mut().for_each(change);
    copy.to_string().into_bytes()
}

#[test]
fn the_order_of_events_means_nothing() {
    for (name, capture) in captures("order of events") {
        let expected = figures(capture.to_string().as_bytes());
        let mut turned = capture.clone();
        events(&mut turned).reverse();
        assert_eq!(figures(turned.to_string().as_bytes()), expected, "{name} reversed");
        let mut shuffled = capture.clone();
        let list = events(&mut shuffled);
        let mut state: u64 = 7;
        for index in (1..list.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            list.swap(index, (state >> 33) as usize % (index + 1));
        }
        assert_eq!(figures(shuffled.to_string().as_bytes()), expected, "{name} shuffled");
    }
}

#[test]
fn the_origin_of_time_means_nothing() {
    for (name, capture) in captures("origin of time") {
        let expected = figures_without_moments(capture.to_string().as_bytes());
        for shift_ns in [1_i128, 86_400_000_000_123, -1_000_000_007] {
            let moved = changed(&capture, |event| {
                if let Some(ts) = event.get("ts").map(ToString::to_string) {
                    let (whole, fraction) = ts.split_once('.').unwrap_or((&ts, ""));
                    let ns: i128 = format!("{whole}{fraction:0<3}").parse().expect("at most three decimals");
                    let ns = ns + shift_ns;
                    event["ts"] = Value::from(format!("{}.{:03}", ns / 1000, ns % 1000));
                }
            });
            assert_eq!(figures_without_moments(&moved), expected, "{name} moved by {shift_ns} ns");
        }
    }
}

#[test]
fn the_numbers_of_launches_mean_nothing() {
    for (name, capture) in captures("numbers of launches") {
        let expected = figures(capture.to_string().as_bytes());
        let renumbered = changed(&capture, |event| {
            if let Some(number) = event["args"]["correlation"].as_u64() {
                event["args"]["correlation"] = Value::from(number * 3 + 10_000_000_000);
            }
            if let Some(number) = event.get("id").and_then(Value::as_u64) {
                event["id"] = Value::from(number * 3 + 10_000_000_000);
            }
        });
        assert_eq!(figures(&renumbered), expected, "{name}");
    }
}

#[test]
fn the_writing_and_the_packing_of_json_mean_nothing() {
    for (name, capture) in captures("writing and packing") {
        let text = capture.to_string();
        let expected = figures(text.as_bytes());
        let pretty = serde_json::to_string_pretty(&capture).expect("JSON");
        assert_eq!(figures(pretty.as_bytes()), expected, "{name} pretty");
        assert_eq!(figures(&gzip(text.as_bytes())), expected, "{name} in gzip");
        let (head, tail) = text.as_bytes().split_at(text.len() / 3);
        assert_eq!(figures(&[gzip(head), gzip(tail)].concat()), expected, "{name} in two members");
        let parts: Vec<u8> = text.as_bytes().chunks(70_001).flat_map(gzip).collect();
        assert_eq!(figures(&parts), expected, "{name} in many members");
        assert_eq!(figures(in_ascii(&text).as_bytes()), expected, "{name} in ASCII");
    }
}

#[test]
fn the_locale_the_time_zone_and_the_threads_change_no_byte() {
    for (name, capture) in captures("environment") {
        let text = capture.to_string();
        let folder = tempfile::tempdir().expect("a scratch folder");
        let file = folder.path().join("capture.json");
        std::fs::write(&file, &text).expect("the scratch folder takes a file");
        let run = |environment: &[(&str, &str)]| {
            TraceAnswer::with(Path::new(env!("CARGO_BIN_EXE_kforge")), &file, environment).stdout
        };
        let expected = run(&[]);
        assert!(!expected.is_empty(), "{name}");
        for environment in [
            [("LANG", "de_DE.UTF-8"), ("LC_ALL", "de_DE.UTF-8")],
            [("LC_ALL", "C"), ("TZ", "Asia/Kathmandu")],
            [("RAYON_NUM_THREADS", "1"), ("TZ", "UTC")],
            [("RAYON_NUM_THREADS", "7"), ("LANG", "tr_TR.UTF-8")],
            [("NO_COLOR", "1"), ("COLUMNS", "40")],
        ] {
            assert_eq!(run(&environment), expected, "{name} with {environment:?}");
        }
    }
}
