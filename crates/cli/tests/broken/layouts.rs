//! The same capture in every layout that a writer may choose: the answer does not depend on it.

use crate::expectation::{Case, judge_all};
use kforge_testkit::captures::{MadeCapture, document};
use serde_json::Value;

fn capture() -> MadeCapture {
    MadeCapture::new("kernel", 9, 500)
}

fn parsed(capture: &MadeCapture) -> Value {
    serde_json::from_str(&capture.document()).expect("a made capture is JSON")
}

#[test]
fn white_space_and_line_ends_change_nothing() {
    let capture = capture();
    let value = parsed(&capture);
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    let spaced = capture.document().replace(": ", " \t: \r\n ").replace(", ", " , ");
    judge_all(&[
        Case::new("minified", value.to_string()).intact(&capture.kernels),
        Case::new("pretty", pretty.clone()).intact(&capture.kernels),
        Case::new("CRLF", pretty.replace('\n', "\r\n")).intact(&capture.kernels),
        Case::new("much space", spaced).intact(&capture.kernels),
        Case::new(
            "space before and after",
            format!("{}{}{}", " \n".repeat(70_000), pretty, "\n\n ".repeat(70_000)),
        )
        .intact(&capture.kernels),
        Case::new("BOM", format!("\u{feff}{pretty}")).intact(&capture.kernels),
        Case::new("BOM and a bare array", format!("\u{feff}[{}]", capture.events().join(",")))
            .intact(&capture.kernels),
        Case::new("a bare array", format!("[\n{}\n]", capture.events().join(",\n"))).intact(&capture.kernels),
        Case::new("a bare array that is not closed", format!("[\n{}", capture.events().join(",\n")))
            .intact(&capture.kernels),
    ]);
}

#[test]
fn events_may_stand_anywhere_among_the_top_level_members() {
    let capture = capture();
    let events = capture.events().join(",\n");
    let other = r#""traceEvent": [{"ph": "X", "cat": "kernel", "name": "no", "ts": 1, "dur": 1}], "deviceProperties": [{"id": 0, "traceEvents": [1]}]"#;
    let mut cases = vec![
        Case::new("first", format!("{{\"traceEvents\": [{events}], {other}, \"schemaVersion\": 1}}"))
            .intact(&capture.kernels),
        Case::new("last", format!("{{\"schemaVersion\": 1, {other}, \"traceEvents\": [{events}]}}"))
            .intact(&capture.kernels),
        Case::new("in the middle", format!("{{\"schemaVersion\": 1, \"traceEvents\": [{events}], {other}}}"))
            .intact(&capture.kernels),
        Case::new("alone", format!("{{\"traceEvents\":[{events}]}}")).intact(&capture.kernels),
        Case::new(
            "a text that names the key",
            format!("{{\"note\": \"\\\"traceEvents\\\": [{{\", \"traceEvents\":[{events}]}}"),
        )
        .intact(&capture.kernels),
    ];
    let big = "x".repeat(3_000_000);
    cases.push(
        Case::new(
            "after 3 MB of metadata",
            format!("{{\"metadata\": \"{big}\", \"traceEvents\":[{events}]}}"),
        )
        .intact(&capture.kernels),
    );
    judge_all(&cases);
}

#[test]
fn events_with_their_members_in_any_order_are_the_same_events() {
    let capture = capture();
    let Value::Object(mut value) = parsed(&capture) else { panic!("an object") };
    let events = value.remove("traceEvents").expect("it has events");
    let mut cases = Vec::new();
    for turn in 0..8 {
        let turned: Vec<String> = events
            .as_array()
            .expect("an array")
            .iter()
            .map(|event| {
                let mut members: Vec<String> = event
                    .as_object()
                    .expect("an event")
                    .iter()
                    .map(|(key, value)| format!("{}: {value}", Value::from(key.as_str())))
                    .collect();
                let length = members.len();
                members.rotate_left(turn % length);
                format!("{{{}}}", members.join(", "))
            })
            .collect();
        cases.push(Case::new(format!("turned by {turn}"), document(&turned)).intact(&capture.kernels));
    }
    judge_all(&cases);
}

#[test]
fn a_capture_without_events_is_a_capture() {
    judge_all(&[
        Case::new("empty", "{\"traceEvents\": []}"),
        Case::new(
            "empty with a head",
            "{\"schemaVersion\": 1, \"traceEvents\": [\n\n], \"traceName\": \"x\"}",
        ),
        Case::new(
            "only metadata events",
            "{\"traceEvents\": [{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"x\"}}]}",
        ),
    ]);
}

#[test]
fn text_that_crosses_every_buffer_edge_is_read_whole() {
    let capture = capture();
    let event = capture.kernels[4].event();
    // Buffers are powers of two; padding moves each byte of one event over a multiple of 64 KiB.
    let mut cases = Vec::new();
    for shift in 0..event.len() {
        let text = capture.document();
        let at = text.find(&event).expect("it is there");
        let padding = 2 * (1 << 20) - at - shift;
        let padded = format!("{{\"pad\": \"{}\", {}", "p".repeat(padding - 9), &text[1..]);
        cases.push(Case::new(format!("edge {shift} bytes into the event"), padded).intact(&capture.kernels));
        if shift >= 40 {
            break;
        }
    }
    judge_all(&cases);
}
