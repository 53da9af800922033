//! Well-formed JSON with odd values: lengths, clocks, pairs, duplicates, numbers as text.

use crate::expectation::{Case, judge_all};
use kforge_testkit::captures::{MadeCapture, MadeKernel, document, microseconds};

const VICTIM: usize = 4;

fn capture() -> MadeCapture {
    MadeCapture::new("kernel", 9, 500)
}

/// The document with the victim's event replaced by these events.
fn with_events(capture: &MadeCapture, replacement: &[String]) -> String {
    document(
        &capture
            .events()
            .into_iter()
            .flat_map(|event| {
                if event == capture.kernels[VICTIM].event() { replacement.to_vec() } else { vec![event] }
            })
            .collect::<Vec<_>>(),
    )
}

fn others(capture: &MadeCapture) -> Vec<MadeKernel> {
    let mut kernels = capture.kernels.clone();
    kernels.remove(VICTIM);
    kernels
}

#[test]
fn a_length_that_is_missing_negative_or_absurd_is_counted_and_never_summed() {
    let capture = capture();
    let victim = &capture.kernels[VICTIM];
    let mut cases = vec![
        Case::new("no dur", with_events(&capture, &[victim.event_with("X", None, "")]))
            .intact(&others(&capture))
            .without_length(victim)
            .noted(),
    ];
    for dur in ["-5", "-0.001", "1e30", "-1e30", "9223372036854775807", "1e400", "\"-7\"", "\"1e30\""] {
        let text = with_events(&capture, &[victim.event_with("X", Some(dur), "")]);
        cases.push(
            Case::new(format!("dur {dur}"), text).intact(&others(&capture)).without_length(victim).noted(),
        );
    }
    judge_all(&cases);
}

#[test]
fn a_length_is_the_same_however_the_number_is_written() {
    let capture = capture();
    let victim = &capture.kernels[VICTIM];
    let ns = victim.length_ns;
    let plain = microseconds(ns);
    let written = [
        format!("\"{plain}\""),
        format!("{plain}000000"),
        format!("{ns}e-3"),
        format!("{ns}E-3"),
        format!("{ns}.0e-03"),
        format!("0.00{ns}e3"),
        format!("{plain}0000000000000000000000000001"),
        format!("{plain}4999"),
    ];
    let cases: Vec<Case> = written
        .iter()
        .map(|dur| {
            Case::new(format!("dur {dur}"), with_events(&capture, &[victim.event_with("X", Some(dur), "")]))
                .intact(&capture.kernels)
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn half_a_nanosecond_rounds_to_even() {
    let capture = capture();
    let victim = &capture.kernels[VICTIM];
    for (dur, ns) in [
        ("1.0005", 1000),
        ("1.0015", 1002),
        ("1.0025", 1002),
        ("1.00250000000000000001", 1003),
        ("0.0004999", 0),
    ] {
        let mut expected = capture.kernels.clone();
        expected[VICTIM].length_ns = ns;
        judge_all(&[
            Case::new(dur, with_events(&capture, &[victim.event_with("X", Some(dur), "")])).intact(&expected)
        ]);
    }
}

#[test]
fn pairs_of_begin_and_end_have_the_length_between_them() {
    let capture = capture();
    let victim = &capture.kernels[VICTIM];
    let begin = victim.event_with("B", None, "");
    let end = format!(
        r#"{{"ph": "E", "pid": 0, "tid": 7, "ts": {}}}"#,
        microseconds(victim.start_ns + victim.length_ns)
    );
    let stray = r#"{"ph": "E", "pid": 0, "tid": 9, "ts": 5}"#.to_owned();
    judge_all(&[
        Case::new("B and E", with_events(&capture, &[begin.clone(), end.clone()])).intact(&capture.kernels),
        Case::new(
            "an E on another thread between",
            with_events(&capture, &[begin.clone(), stray.clone(), end.clone()]),
        )
        .intact(&capture.kernels),
        Case::new("an E without B", with_events(&capture, &[stray, begin.clone(), end]))
            .intact(&capture.kernels),
        Case::new("a B without E", with_events(&capture, &[begin]))
            .intact(&others(&capture))
            .without_length(victim)
            .noted(),
    ]);
}

#[test]
fn an_activity_without_a_clock_is_summed() {
    let capture = capture();
    let victim = &capture.kernels[VICTIM];
    let mut cases = Vec::new();
    for ts in ["0", "0.0", "\"0\"", "null", "\"\"", "1e300"] {
        let event = victim
            .event()
            .replace(&format!("\"ts\": {}", microseconds(victim.start_ns)), &format!("\"ts\": {ts}"));
        cases.push(
            Case::new(format!("ts {ts}"), with_events(&capture, &[event])).intact(&capture.kernels).noted(),
        );
    }
    let missing = victim.event().replace(&format!("\"ts\": {}, ", microseconds(victim.start_ns)), "");
    cases.push(Case::new("no ts", with_events(&capture, &[missing])).intact(&capture.kernels).noted());
    judge_all(&cases);
}

#[test]
fn an_event_written_twice_counts_once() {
    let capture = capture();
    let victim = capture.kernels[VICTIM].event();
    let all = [capture.events(), capture.events()].concat();
    judge_all(&[
        Case::new("one twice", with_events(&capture, &[victim.clone(), victim]))
            .intact(&capture.kernels)
            .noted(),
        Case::new("all twice", document(&all)).intact(&capture.kernels).noted(),
    ]);
}

#[test]
fn members_that_mean_nothing_change_nothing() {
    let capture = capture();
    let victim = &capture.kernels[VICTIM];
    let whole = victim.event();
    let body = whole.trim_start_matches('{').trim_end_matches('}').to_owned();
    let (head, arguments) = body.split_once("\"args\": {").expect("it has arguments");
    let head = head.trim_end_matches(", ");
    let variants = [
        ("args first", format!("{{\"args\": {{{arguments}}}, {head}}}")),
        ("nested arguments", victim.event_with("X", Some(&microseconds(victim.length_ns)), r#", "more": {"dur": 7, "ts": [1, {"ph": "B", "name": "x"}], "args": {"stream": 9}}"#)),
        ("a member named like an event's, nested", format!(r#"{{"data": {{"name": "no", "dur": 1, "cat": "kernel", "ph": "X"}}, {body}}}}}"#)),
        ("a key with an escape", whole.replace("\"dur\"", r#""\u0064ur""#)),
        ("a value with an escape", whole.replace("\"kernel\",", r#""\u006bernel","#)),
        ("a category in capitals", whole.replace("\"cat\": \"kernel\"", "\"cat\": \"Kernel\"")),
        ("unknown members", whole.replace("\"pid\": 0", "\"pid\": 0, \"tts\": 5, \"bind_id\": \"0x1\", \"s\": \"g\", \"zz\": [[], {}, null, true, -1.5e-3]")),
        ("a key twice, the last counts", whole.replace("\"dur\"", "\"dur\": 1, \"dur\"")),
        ("stream as text", whole.replace("\"stream\": 7", "\"stream\": \"7\"")),
        ("stream with its word", whole.replace("\"stream\": 7", "\"stream\": \"stream 7\"")),
        ("stream 0", whole.replace("\"stream\": 7", "\"stream\": 0")),
        ("a stream of 64 bits", whole.replace("\"stream\": 7", "\"stream\": 18446744073709551615")),
        ("a stream of 80 bits", whole.replace("\"stream\": 7", "\"stream\": 1208925819614629174706175")),
        ("a correlation of 64 bits", whole.replace("\"correlation\": 504", "\"correlation\": 18446744073709551615")),
        ("a correlation as text", whole.replace("\"correlation\": 504", "\"correlation\": \"504\"")),
        ("a process that is text", whole.replace("\"pid\": 0", "\"pid\": \"CUDA functions\"")),
        ("arguments that are null", format!("{{{head}, \"args\": null}}")),
        ("arguments that are text", format!("{{{head}, \"args\": \"none\"}}")),
        ("no arguments", format!("{{{head}}}")),
    ];
    let cases: Vec<Case> = variants
        .into_iter()
        .map(|(what, event)| Case::new(what, with_events(&capture, &[event])).intact(&capture.kernels))
        .collect();
    judge_all(&cases);
}
