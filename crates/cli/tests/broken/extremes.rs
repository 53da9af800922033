//! Numbers at and beyond every edge, documents that hold several captures, pairs in every nesting.

use crate::expectation::{Case, judge_all};
use kforge_testkit::captures::{HEAD, MadeCapture, TAIL, document, microseconds};

const VICTIM: usize = 4;

fn capture() -> MadeCapture {
    MadeCapture::new("kernel", 9, 500)
}

#[test]
fn numbers_of_any_size_are_read_or_told() {
    let capture = capture();
    let victim = capture.kernels[VICTIM].event();
    let digits = "9".repeat(100_000);
    let zeros = "0".repeat(100_000);
    let mut cases = Vec::new();
    for number in [
        digits.clone(),
        format!("-{digits}"),
        format!("0.{zeros}1"),
        format!("1.{zeros}"),
        "1e999999999999999999999".to_owned(),
        "1e-999999999999999999999".to_owned(),
        "-0".to_owned(),
        "-0.0e-0".to_owned(),
        "9223372036854775.807".to_owned(),
        "9223372036854775.808".to_owned(),
        "-9223372036854775.809".to_owned(),
        "18446744073709551616".to_owned(),
    ] {
        let short: String = number.chars().take(24).collect();
        for member in ["\"pid\": 0", "\"tid\": 7", "\"stream\": 7", "\"correlation\": 504", "\"context\": 1"]
        {
            let (key, _) = member.split_once(": ").expect("a member");
            let event = victim.replace(member, &format!("{key}: {number}"));
            let text = capture.document().replace(&victim, &event);
            cases.push(Case::new(format!("{key}: {short}"), text).intact(&capture.kernels));
        }
        // The others keep their place and their length; what the odd one contributes is the oracle's business.
        for key in ["ts", "dur"] {
            let own = if key == "ts" {
                capture.kernels[VICTIM].start_ns
            } else {
                capture.kernels[VICTIM].length_ns
            };
            let event =
                victim.replace(&format!("\"{key}\": {}", microseconds(own)), &format!("\"{key}\": {number}"));
            let text = capture.document().replace(&victim, &event);
            let others = capture.kernels.iter().filter(|kernel| kernel.name != capture.kernels[VICTIM].name);
            cases.push(Case::new(format!("{key}: {short}"), text).intact(others).strange(1));
        }
    }
    judge_all(&cases);
}

#[test]
fn lengths_that_add_up_beyond_64_bits_end_in_an_answer() {
    let capture = capture();
    let longest = "9223372036854775.807";
    let events: Vec<String> =
        capture.kernels.iter().map(|kernel| kernel.event_with("X", Some(longest), "")).collect();
    judge_all(&[Case::new("nine of the longest", document(&events)).strange(9)]);
}

#[test]
fn several_documents_in_one_file_lose_no_event_of_the_first() {
    let first = MadeCapture::new("first", 5, 500);
    let second = MadeCapture::new("second", 5, 900);
    let (a, b) = (first.document(), second.document());
    let mut cases = Vec::new();
    for (what, between) in [
        ("nothing", ""),
        ("a line end", "\n"),
        ("a comma", ","),
        ("a zero byte", "\0"),
        ("a record mark", "\u{1e}"),
        ("a BOM", "\u{feff}"),
    ] {
        cases.push(
            Case::new(format!("two documents with {what} between"), format!("{a}{between}{b}"))
                .intact(&first.kernels)
                .strange(5)
                .noted(),
        );
    }
    cases.push(
        Case::new(
            "events in two arrays of one object",
            format!(
                "{{\"traceEvents\": [{}], \"traceEvents\": [{}]}}",
                first.events().join(","),
                second.events().join(",")
            ),
        )
        .intact(&second.kernels)
        .strange(5),
    );
    cases.push(Case::new("an array of documents", format!("[{a},{b}]")).strange(10).or_refused());
    cases
        .push(Case::new("a document inside a document", format!("{{\"run\": {a}}}")).strange(5).or_refused());
    judge_all(&cases);
}

#[test]
fn a_fragment_that_begins_or_ends_anywhere_gives_its_whole_events() {
    let capture = capture();
    let events = capture.events();
    let joined = events.join(",\n");
    let mut cases = Vec::new();
    for start in (0..joined.len()).step_by(joined.len() / 40) {
        // The first event that begins after the cut, and every one after it, is whole.
        let survivors: Vec<_> = capture
            .kernels
            .iter()
            .filter(|kernel| joined.find(&kernel.event()).is_some_and(|at| at >= start))
            .collect();
        let case = Case::new(format!("fragment from byte {start}"), &joined.as_bytes()[start..])
            .intact(survivors)
            .strange(1)
            .or_refused();
        cases.push(case);
        let with_tail = format!("{}{TAIL}", &joined[start..]);
        cases.push(
            Case::new(format!("the end of a document from byte {start}"), with_tail).strange(9).or_refused(),
        );
    }
    cases.push(Case::new("events and a tail", format!("{joined}{TAIL}")).intact(&capture.kernels));
    cases.push(
        Case::new("a head twice", format!("{HEAD}{HEAD}{joined}{TAIL}")).intact(&capture.kernels).noted(),
    );
    cases.push(Case::new("a tail twice", format!("{HEAD}{joined}{TAIL}{TAIL}")).intact(&capture.kernels));
    judge_all(&cases);
}

#[test]
fn pairs_close_innermost_first_at_any_depth() {
    let capture = MadeCapture::new("kernel", 600, 500);
    // All begin, one in the other; then all end, the innermost first.
    let begins = capture.kernels.iter().map(|kernel| kernel.event_with("B", None, ""));
    let ends = capture.kernels.iter().rev().map(|kernel| {
        let end = kernel.start_ns + kernel.length_ns;
        format!(r#"{{"ph": "E", "pid": 0, "tid": 7, "ts": {}}}"#, microseconds(end))
    });
    let nested: Vec<String> = begins.chain(ends).collect();
    let unopened: Vec<String> = (0..2_000)
        .map(|at| format!(r#"{{"ph": "E", "pid": 0, "tid": 7, "ts": {at}}}"#))
        .chain(capture.events())
        .collect();
    let never_closed: Vec<String> = (0..20_000)
        .map(|at| {
            format!(r#"{{"ph": "B", "cat": "cpu_op", "name": "open", "pid": 42, "tid": 42, "ts": {at}}}"#)
        })
        .chain(capture.events())
        .collect();
    judge_all(&[
        Case::new("six hundred deep", document(&nested)).intact(&capture.kernels),
        Case::new("two thousand ends without a begin", document(&unopened)).intact(&capture.kernels),
        Case::new("twenty thousand begins without an end", document(&never_closed)).intact(&capture.kernels),
    ]);
}
