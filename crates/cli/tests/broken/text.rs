//! Text that is not quite JSON: names that break their string, numbers that are none, commas, bytes, brackets.

use crate::expectation::{Case, judge_all};
use kforge_testkit::captures::{HEAD, MadeCapture, TAIL, document};

const VICTIM: usize = 4;

fn capture() -> MadeCapture {
    MadeCapture::new("kernel", 9, 500)
}

/// The document with the bytes of the victim's name replaced.
fn with_name(capture: &MadeCapture, name: &[u8]) -> Vec<u8> {
    replaced(&capture.document(), "\"kernel_4\"", &[b"\"", name, b"\""].concat())
}

fn replaced(document: &str, from: &str, to: &[u8]) -> Vec<u8> {
    let at = document.find(from).expect("it is there");
    [&document.as_bytes()[..at], to, &document.as_bytes()[at + from.len()..]].concat()
}

fn others(capture: &MadeCapture) -> Vec<kforge_testkit::captures::MadeKernel> {
    let mut kernels = capture.kernels.clone();
    kernels.remove(VICTIM);
    kernels
}

#[test]
fn a_name_that_breaks_its_string_costs_at_most_its_own_event() {
    let capture = capture();
    let names: [(&str, &[u8]); 13] = [
        ("backslash", br"torch\cuda\__init__.py(219): _lazy_init"),
        ("backslash x", br"a\xb"),
        ("half an escape", br"a\u12"),
        ("newline", b"first\nsecond"),
        ("carriage return", b"first\rsecond"),
        ("tab", b"first\tsecond"),
        ("bell", b"first\x07second"),
        ("NUL", b"first\0second"),
        ("invalid UTF-8", b"caf\xe9"),
        ("cut UTF-8", b"\xe2\x82"),
        ("overlong UTF-8", b"\xc0\xaf"),
        ("quotes", br#"assert "x" in "y""#),
        ("a quote", br#"a "quote"#),
    ];
    let cases: Vec<Case> = names
        .iter()
        .map(|(what, name)| {
            Case::new(format!("name with {what}"), with_name(&capture, name))
                .intact(&others(&capture))
                .strange(1)
                .positioned()
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn a_name_that_looks_like_json_is_only_a_name_where_it_is_escaped() {
    let capture = capture();
    let names = [
        r#"}, {\"ph\": \"X\", \"cat\": \"kernel\", \"dur\": 9}"#,
        r"ends in a backslash \\",
        r"]}",
        r"[[[{{{",
        r"\u007b\u0022",
    ];
    let cases: Vec<Case> = names
        .iter()
        .map(|name| {
            Case::new(format!("name {name}"), with_name(&capture, name.as_bytes()))
                .intact(&others(&capture))
                .strange(1)
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn names_with_escapes_arrive_as_characters() {
    let capture = capture();
    let mut expected = capture.kernels.clone();
    for (written, read) in [
        (r"\u0041\n\t\\ \/ \u00e9", "A\n\t\\ / é"),
        (r"\ud83d\ude80 rocket", "🚀 rocket"),
        (r"half \ud83d of a pair", "half \u{fffd} of a pair"),
        ("caf\u{e9} 🚀", "café 🚀"),
        (r#"void f<\"x\">"#, "void f<\"x\">"),
    ] {
        read.clone_into(&mut expected[VICTIM].name);
        judge_all(&[Case::new(written, with_name(&capture, written.as_bytes())).intact(&expected)]);
    }
}

#[test]
fn bare_words_instead_of_numbers_cost_only_their_value() {
    let capture = capture();
    let mut cases = Vec::new();
    for word in [
        "NaN",
        "nan",
        "-nan",
        "inf",
        "-inf",
        "Infinity",
        "-Infinity",
        "None",
        "True",
        "1.#INF",
        "0x10",
        "+1",
        ".5",
        "1.",
        "01",
    ] {
        let damaged = capture.kernels[VICTIM]
            .event()
            .replace("\"context\": 1", &format!("\"memory bandwidth (GB/s)\": {word}"));
        let text = replaced(&capture.document(), &capture.kernels[VICTIM].event(), damaged.as_bytes());
        cases.push(Case::new(format!("bandwidth {word}"), text).intact(&capture.kernels));
    }
    for word in ["NaN", "inf", "-Infinity", "null", "\"\"", "\"soon\"", "true", "[1]", "{}"] {
        let damaged = capture.kernels[VICTIM].event_with("X", Some(word), "");
        let text = replaced(&capture.document(), &capture.kernels[VICTIM].event(), damaged.as_bytes());
        cases.push(
            Case::new(format!("dur {word}"), text)
                .intact(&others(&capture))
                .without_length(&capture.kernels[VICTIM])
                .noted(),
        );
    }
    judge_all(&cases);
}

#[test]
fn commas_too_many_or_too_few_cost_nothing() {
    let capture = capture();
    let events = capture.events();
    let whole = |text: String| text.into_bytes();
    let cases = [
        ("trailing comma in the array", whole(format!("{HEAD}{},{TAIL}", events.join(",\n")))),
        ("leading comma in the array", whole(format!("{HEAD},{}{TAIL}", events.join(",\n")))),
        ("two commas between events", whole(format!("{HEAD}{}{TAIL}", events.join(",,\n")))),
        ("no comma between events", whole(format!("{HEAD}{}{TAIL}", events.join("\n")))),
        (
            "trailing comma in an event",
            replaced(&capture.document(), "\"block\": [128, 1, 1]}}", b"\"block\": [128, 1, 1,],},}"),
        ),
        (
            "trailing comma in the document",
            whole(capture.document().replace("\"made.json\"", "\"made.json\",")),
        ),
        ("events without a document", whole(events.join(",\n"))),
        ("events, one a line", whole(events.join("\n"))),
        ("array never closed, with comma", whole(format!("[{},", events.join(",\n")))),
        ("text after the document", whole(format!("{}\ntrailing words", capture.document()))),
    ]
    .map(|(name, bytes)| Case::new(name, bytes).intact(&capture.kernels));
    judge_all(&cases);
    let log_first = format!("loading…\n{}", capture.document());
    judge_all(&[Case::new("text before the document", log_first).intact(&capture.kernels).or_refused()]);
}

#[test]
fn zero_bytes_and_holes_cost_only_what_they_cover() {
    let capture = capture();
    let text = capture.document();
    let start = text.find(&capture.kernels[VICTIM].event()).expect("it is there");
    let mut hole = text.clone().into_bytes();
    hole[start + 20..start + 120].fill(0);
    let between = replaced(
        &text,
        &capture.kernels[VICTIM].event(),
        &[&[0; 64], capture.kernels[VICTIM].event().as_bytes()].concat(),
    );
    let mut tail = text.clone().into_bytes();
    tail.extend_from_slice(&[0; 4096]);
    judge_all(&[
        Case::new("a hole of zeros in an event", hole).intact(&others(&capture)).strange(1).positioned(),
        Case::new("zeros between events", between).intact(&capture.kernels).noted(),
        Case::new("zeros after the document", tail).intact(&capture.kernels),
    ]);
}

#[test]
fn brackets_a_hundred_thousand_deep_cost_at_most_their_own_event() {
    let capture = capture();
    let event = capture.kernels[VICTIM].event();
    let mut cases = Vec::new();
    for (name, open, close) in [
        ("arrays", "[", "]"),
        ("objects", "{\"a\":", "}"),
        ("unclosed arrays", "[", ""),
        ("unclosed objects", "{\"a\":", ""),
    ] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let damaged = capture.kernels[VICTIM].event_with("X", Some("1"), &format!(", \"deep\": {deep}"));
        let text = replaced(&capture.document(), &event, damaged.as_bytes());
        let case = Case::new(format!("deep {name}"), text).strange(1);
        // Nothing says where a hundred thousand unclosed brackets should end; what comes before them is sure.
        cases.push(if close.is_empty() {
            case.intact(&capture.kernels[..VICTIM]).strange(9).noted()
        } else {
            case.intact(&others(&capture))
        });
        let alone = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        cases.push(Case::new(format!("only deep {name}"), alone).or_refused());
        let other_key =
            capture.document().replace("\"schemaVersion\": 1", &format!("\"schemaVersion\": {deep}"));
        if !close.is_empty() {
            cases.push(
                Case::new(format!("deep {name} before the events"), other_key).intact(&capture.kernels),
            );
        }
    }
    judge_all(&cases);
}

#[test]
fn a_name_of_ten_megabytes_is_a_name() {
    let capture = capture();
    let long = "n".repeat(10_000_000);
    let mut expected = capture.kernels.clone();
    expected[VICTIM].name.clone_from(&long);
    let frame = format!(
        r#"{{"ph": "X", "cat": "python_function", "name": "{long}", "pid": 42, "tid": 42, "ts": 1, "dur": 2}}"#
    );
    let mut events = capture.events();
    events.insert(7, frame);
    judge_all(&[
        Case::new("a kernel's name", with_name(&capture, long.as_bytes())).intact(&expected),
        Case::new("a frame's name", document(&events)).intact(&capture.kernels),
        Case::new("a string that never ends", with_name(&capture, long.as_bytes())[..9_000_000].to_vec())
            .intact(&capture.kernels[..VICTIM])
            .strange(1)
            .positioned(),
    ]);
}

#[test]
fn two_captures_written_into_one_file_give_the_events_that_are_whole() {
    let first = MadeCapture::new("first", 9, 500);
    let second = MadeCapture::new("second", 9, 900);
    let (a, b) = (first.document(), second.document());
    let mut lines = Vec::new();
    let mut left = a.lines();
    let mut right = b.lines();
    loop {
        let (x, y) = (left.next(), right.next());
        if x.is_none() && y.is_none() {
            break;
        }
        lines.extend(x.into_iter().chain(y));
    }
    let mut cases = vec![
        Case::new("line by line", lines.join("\n")).intact(&first.kernels).intact(&second.kernels).noted(),
        Case::new("one after another", format!("{a}{b}")).intact(&first.kernels).strange(9).noted(),
    ];
    for (what, offset) in [("in a key", 2), ("in a name", 40), ("in a number", 80), ("in the arguments", 150)]
    {
        let at = a.find(&first.kernels[VICTIM].event()).expect("it is there") + offset;
        let inside = [&a.as_bytes()[..at], b.as_bytes(), &a.as_bytes()[at..]].concat();
        // The event that was cut, and the neighbours that touch the seams, may be lost.
        cases.push(
            Case::new(format!("one inside the other, {what}"), inside)
                .intact(&first.kernels[..VICTIM])
                .intact(&first.kernels[VICTIM + 1..])
                .intact(&second.kernels[1..])
                .strange(2)
                .positioned(),
        );
        let over = [&a.as_bytes()[..at], &b.as_bytes()[at..]].concat();
        cases.push(
            Case::new(format!("one over the other, {what}"), over)
                .intact(&first.kernels[..VICTIM])
                .intact(&second.kernels[VICTIM + 2..])
                .strange(3)
                .positioned(),
        );
    }
    judge_all(&cases);
}
