//! The Kineto reader in one process: whatever the bytes and however they arrive, it answers and never panics.

use kforge_formats::{Bundle, Error, Member, Observer, ReadNote, kineto};
use kforge_trace::{ActivityKind, Trace};
use proptest::prelude::*;
use std::io::Read;

/// A capture in memory, handed out in pieces of at most `piece` bytes.
struct Memory {
    members: [Member; 1],
    bytes: Vec<u8>,
    piece: usize,
}

impl Memory {
    fn new(bytes: &[u8], piece: usize) -> Self {
        Self { members: [Member { name: "memory".to_owned(), bytes: None }], bytes: bytes.to_vec(), piece }
    }
}

struct Pieces {
    bytes: Vec<u8>,
    at: usize,
    piece: usize,
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.piece.min(out.len()).min(self.bytes.len() - self.at);
        out[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

impl Bundle for Memory {
    fn members(&self) -> &[Member] {
        &self.members
    }

    fn open(&self, _member: usize) -> std::io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Pieces { bytes: self.bytes.clone(), at: 0, piece: self.piece }))
    }
}

struct Nobody;

impl Observer for Nobody {
    fn bytes_read(&self, _done: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}

fn read(bytes: &[u8], piece: usize) -> Result<(Trace, Vec<ReadNote>), Error> {
    kineto::read(&Memory::new(bytes, piece), 0, &Nobody)
}

/// Activities by kind, and their time.
fn sums(trace: &Trace) -> (usize, usize, i64) {
    let rows = trace.activities();
    let kernels = rows.iter().filter(|(_, row)| row.kind == ActivityKind::Kernel).count();
    (rows.len(), kernels, rows.iter().filter_map(|(_, row)| row.length).map(kforge_units::Nanos::get).sum())
}

const CAPTURE: &str = r#"{
  "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132}],
  "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10.5, "dur": 20, "args": {"External id": 3}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "dur": 3.25, "args": {"correlation": 7}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 5.125, "args": {"device": 0, "stream": 7, "correlation": 7, "grid": [1, 2, 3], "block": [32, 1, 1]}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "pid": 0, "tid": 7, "ts": 50, "dur": 1, "args": {"device": 0, "stream": 7, "correlation": 8, "bytes": 64}},
    {"ph": "B", "cat": "kernel", "name": "paired", "pid": 0, "tid": 9, "ts": 60},
    {"ph": "E", "pid": 0, "tid": 9, "ts": 62.5}
  ], "traceName": "x.json"}
"#;

#[test]
fn a_small_capture_is_read_to_the_nanosecond() {
    // By hand: kernels 5,125 + 2,500 ns, one copy of 1,000 ns.
    let (trace, notes) = read(CAPTURE.as_bytes(), usize::MAX).unwrap();
    assert_eq!(sums(&trace), (3, 2, 8_625));
    assert_eq!(notes, []);
    assert_eq!(trace.facts().devices[0].units, Some(132));
    let (_, kernel) = trace.activities().iter().next().unwrap();
    assert_eq!(trace.shapes().get(kernel.shape.unwrap()).grid, Some([1, 2, 3]));
}

#[test]
fn how_the_bytes_arrive_changes_nothing() {
    let whole = sums(&read(CAPTURE.as_bytes(), usize::MAX).unwrap().0);
    for piece in [2, 3, 7, 64, 4096] {
        assert_eq!(sums(&read(CAPTURE.as_bytes(), piece).unwrap().0), whole, "pieces of {piece}");
    }
}

#[test]
fn a_capture_longer_than_many_windows_is_the_sum_of_its_parts() {
    let event = |number: u32| {
        format!(
            "{{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k{}\", \"pid\": 0, \"tid\": 7, \"ts\": {}.{:03}, \"dur\": 0.{:03}, \"args\": {{\"Call stack\": \"{}\"}}}}",
            number % 17,
            number,
            number % 1000,
            number % 1000,
            "a.py(1): f;".repeat(number as usize % 40)
        )
    };
    let count = 12_000;
    let events: Vec<String> = (0..count).map(event).collect();
    let text = format!("{{\"traceEvents\": [{}]}}", events.join(",\n"));
    assert!(text.len() > 2_000_000);
    let (trace, notes) = read(text.as_bytes(), usize::MAX).unwrap();
    let expected: i64 = (0..count).map(|number| i64::from(number % 1000)).sum();
    assert_eq!(sums(&trace), (count as usize, count as usize, expected));
    assert_eq!(notes, []);
}

/// Code, events and first byte of each note.
fn codes(notes: &[ReadNote]) -> Vec<(&str, Option<u64>, Option<u64>)> {
    notes.iter().map(|note| (note.code, note.events, note.byte)).collect()
}

#[test]
fn a_missing_comma_is_noted_with_its_place_and_costs_nothing() {
    let whole = read(CAPTURE.as_bytes(), usize::MAX).unwrap();
    // Between events, between an event's members, and inside its arguments; behind a number, a text, an array.
    for (with, without) in [
        ("}},\n    {\"ph\": \"X\", \"cat\": \"kernel\"", "}}\n    {\"ph\": \"X\", \"cat\": \"kernel\""),
        ("\"name\": \"gemm\", \"pid\"", "\"name\": \"gemm\" \"pid\""),
        ("\"ts\": 40, \"dur\"", "\"ts\": 40 \"dur\""),
        ("\"stream\": 7, \"correlation\": 7, \"grid\"", "\"stream\": 7\"correlation\": 7, \"grid\""),
        ("[1, 2, 3], \"block\"", "[1, 2, 3] \"block\""),
    ] {
        assert!(CAPTURE.contains(with), "{with}");
        let text = CAPTURE.replace(with, without);
        let place = text.find(without).unwrap();
        let (trace, notes) = read(text.as_bytes(), usize::MAX).unwrap();
        assert_eq!(sums(&trace), sums(&whole.0), "{without}");
        let [(code, events, Some(byte))] = codes(&notes)[..] else { panic!("{without}: {notes:?}") };
        assert_eq!((code, events), ("capture.stray-comma", Some(1)), "{without}");
        assert!((place..place + without.len()).contains(&(byte as usize)), "{without}: byte {byte}");
    }
    let (trace, notes) = read(CAPTURE.replace("},\n", "}\n").as_bytes(), usize::MAX).unwrap();
    assert_eq!(sums(&trace), sums(&whole.0));
    assert_eq!(codes(&notes)[0].1, Some(5), "six events have five commas between them");
}

#[test]
fn events_on_lines_of_their_own_need_no_commas() {
    let lines = "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 1, \"dur\": 2}\n".repeat(3);
    let (trace, notes) = read(lines.as_bytes(), usize::MAX).unwrap();
    assert_eq!(sums(&trace).1, 3);
    assert_eq!(codes(&notes), [("capture.no-array", None, Some(0))]);
}

#[test]
fn a_quote_too_many_in_the_last_event_is_no_missing_comma() {
    let text =
        r#"{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "tid": 0"}]}"#;
    let (trace, notes) = read(text.as_bytes(), usize::MAX).unwrap();
    assert_eq!(sums(&trace), (1, 1, 2_000));
    assert_eq!(codes(&notes), [("capture.repaired-event", Some(1), Some(17))]);
}

#[test]
fn brackets_that_never_close_do_not_cost_the_square_of_their_number() {
    // Each asks for the whole rest of the text; the square of 20,000 of them takes minutes.
    let kernel = r#"{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2}"#;
    let open = r#"{"ph":"X","x":[[[1,"ts":5},"#.repeat(20_000);
    for text in [
        format!(r#"{{"traceEvents": [{kernel},{open}{kernel}]}}"#),
        format!("[{kernel},{}{kernel}", r#"{"traceEvents":["#.repeat(20_000)),
    ] {
        let (trace, notes) = read(text.as_bytes(), usize::MAX).unwrap();
        assert_eq!(sums(&trace), (2, 2, 4_000));
        assert!(!notes.is_empty());
    }
}

#[test]
fn a_far_next_event_is_not_looked_for_at_every_damaged_one() {
    // No event begins with such a key, so each looks on to the end; each is read by repair.
    let odd = r#"{"zz":1,"ph":"X","tid":0","ts":5},"#.repeat(20_000);
    let text = format!(
        r#"{{"traceEvents": [{odd}{{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2}}]}}"#
    );
    let (trace, notes) = read(text.as_bytes(), usize::MAX).unwrap();
    assert_eq!(sums(&trace), (1, 1, 2_000));
    assert_eq!(codes(&notes)[0].1, Some(20_000));
}

fn document(events: &str) -> Vec<u8> {
    format!(r#"{{"traceEvents":[{events}]}}"#).into_bytes()
}

#[test]
fn a_host_event_that_opens_nothing_is_noted() {
    let op =
        |dur: &str| format!(r#"{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1{dur}}}"#);
    let (_, notes) = read(&document(&op("")), 64).unwrap();
    assert_eq!(codes(&notes), [("capture.no-host-length", Some(1), Some(16))]);
    for dur in [r#","dur":-1"#, r#","dur":1e30"#, r#","dur":"x""#] {
        let (_, notes) = read(&document(&op(dur)), 64).unwrap();
        assert_eq!(codes(&notes), [("capture.bad-host-length", Some(1), Some(16))], "{dur}");
    }
    assert!(read(&document(&op(r#","dur":0"#)), 64).unwrap().1.is_empty());
}

#[test]
fn an_arrow_that_leads_nowhere_is_noted() {
    let arrow = |rest: &str| format!(r#"{{"ph":"s","cat":"ac2g","name":"ac2g","pid":1,"tid":1{rest}}}"#);
    for rest in [r#","ts":1,"id":"0x1f""#, r#","id":3"#] {
        let (_, notes) = read(&document(&arrow(rest)), 64).unwrap();
        assert_eq!(codes(&notes), [("capture.lost-arrow", Some(1), Some(16))], "{rest}");
    }
    assert!(read(&document(&arrow(r#","ts":1,"id":3"#)), 64).unwrap().1.is_empty());
}

#[test]
fn lengths_that_are_kept_add_up_inside_64_bits() {
    let week = |at: u32| {
        format!(r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{at},"dur":600000000000}}"#)
    };
    let (trace, notes) =
        read(&document(&(0..20_000).map(week).collect::<Vec<_>>().join(",")), 1 << 16).unwrap();
    let total: i128 =
        trace.activities().iter().filter_map(|(_, row)| row.length).map(|ns| i128::from(ns.get())).sum();
    assert_eq!(trace.activities().len(), 20_000);
    assert!(total <= i128::from(i64::MAX), "{total}");
    assert_eq!(codes(&notes)[0].0, "capture.bad-length");
    // The week's worth of time that does not fit is what is missing, and no more.
    assert!(total > i128::from(i64::MAX) - 600_000_000_000_000);
}

#[test]
fn begin_events_of_no_use_are_no_loss() {
    let begin =
        |category: &str| format!(r#"{{"ph":"B","cat":"{category}","name":"b","pid":1,"tid":1,"ts":1}}"#);
    assert!(read(&document(&begin("x")), 64).unwrap().1.is_empty());
    // They still take the end that is theirs.
    let end = r#"{"ph":"E","pid":1,"tid":1,"ts":9}"#;
    let (trace, notes) =
        read(&document(&format!("{},{},{end},{end}", begin("cpu_op"), begin("x"))), 64).unwrap();
    assert_eq!((trace.ops().len(), notes.len()), (1, 0), "{notes:?}");
}

#[test]
fn a_line_break_does_not_decide_whether_a_second_document_is_read() {
    let event = r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}"#;
    let count = |between: &str| {
        let text = format!(r#"{{"traceEvents":[{event}]}}{between}{event},{event}"#);
        let (trace, notes) = read(text.as_bytes(), 4096).unwrap();
        (
            trace.activities().len(),
            codes(&notes).into_iter().map(|(code, ..)| code.to_owned()).collect::<Vec<_>>(),
        )
    };
    assert_eq!(count("").0, 3);
    assert_eq!(count("\n").0, 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..600), piece in 1_usize..700) {
        let _ = read(&bytes, piece);
    }

    #[test]
    fn damage_never_adds_time_beyond_what_the_digits_allow(
        at in 0_usize..CAPTURE.len(),
        cut in 0_usize..40,
        put in proptest::collection::vec(any::<u8>(), 0..12),
        piece in 2_usize..2000,
    ) {
        let mut bytes = CAPTURE.as_bytes().to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put);
        if let Ok((trace, _)) = read(&bytes, piece) {
            prop_assert!(sums(&trace).0 <= 4);
        }
    }

    #[test]
    fn a_text_cut_anywhere_keeps_the_events_before_the_cut(cut in 0_usize..CAPTURE.trim_end().len()) {
        let whole_kernel = CAPTURE.find("}},\n    {\"ph\": \"X\", \"cat\": \"gpu_memcpy\"").unwrap() + 2;
        if let Ok((trace, notes)) = read(&CAPTURE.as_bytes()[..cut], usize::MAX) {
            prop_assert!(!notes.is_empty(), "a cut is noted");
            if cut >= whole_kernel {
                prop_assert!(sums(&trace).1 >= 1);
            }
        } else {
            prop_assert!(cut < whole_kernel, "a text with a whole kernel is a capture");
        }
    }
}
