//! What pages must say, and what no foreign text may do to them.

#![expect(clippy::unwrap_used, reason = "a test may stop where its own input fails")]

use kforge_record::{Claim, ClaimOutcome, Digest, Disturbance, LoosenedValue, VoidCause, VoidFinding};
use kforge_report::trace::{View, render as trace_page};
use kforge_report::{Format, validate};
use kforge_stats::Verdict;
use kforge_testkit::captures::document;
use kforge_workbench::trace::{Request, Response as TraceResponse, run};
use kforge_workbench::validate::{CandidateAnswer, CheckSummary, EarlierRuns, Response};
use kforge_workbench::{Note, Silent};

/// Clears the screen, retitles the window, goes up and writes a verdict of its own.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}9A<img>\n# fast: faster  2.000x";

fn candidate() -> CandidateAnswer {
    let seen = |block| Disturbance {
        launch: 0,
        case: Some("small".to_owned()),
        block: Some(block),
        cause: "another process ran".to_owned(),
        dropped: true,
    };
    CandidateAnswer {
        candidate: "fast".to_owned(),
        verdict: Verdict::Incorrect { mismatch: "y differs".to_owned() },
        reason: "y differs".to_owned(),
        evidence: Digest::of_bytes(b"x"),
        evidence_path: "evidence.json".to_owned(),
        run: Digest::of_bytes(b"y"),
        launches: 0,
        overall: None,
        cases: Vec::new(),
        checks: CheckSummary {
            declared: 1,
            drawn: Vec::new(),
            comparisons: 1,
            passed: 0,
            worst: None,
            errors: Vec::new(),
        },
        clock: Vec::new(),
        voids: vec![VoidFinding { cause: VoidCause::Clock, detail: "42% off".to_owned() }],
        disturbances: vec![seen(1), seen(2), seen(7)],
        claim: Some(Claim { outcome: ClaimOutcome::Missed, ..Claim::parse("1.4x").unwrap() }),
        earlier: EarlierRuns { runs: 0, not_faster: 0 },
        loosened: vec![LoosenedValue {
            name: "min_effect".to_owned(),
            default: "0.02".to_owned(),
            value: "0.001".to_owned(),
            reason: "small gains count here".to_owned(),
        }],
        subject: Vec::new(),
        preparation_ns: [None; 3],
        suggested_cases: Vec::new(),
        log: HOSTILE.to_owned(),
        resources: None,
    }
}

fn answer(format: Format) -> String {
    let response = Response {
        op: "norm".to_owned(),
        experiment: "experiment.toml".to_owned(),
        device: HOSTILE.to_owned(),
        prefix: None,
        cache: "warm".to_owned(),
        base: None,
        candidates: vec![candidate()],
        notes: vec![Note::new("x.y", "beside the verdict")],
    };
    validate::render(&response, format).unwrap().text
}

fn assert_harmless(text: &str) {
    let obeyed = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r');
    assert!(!text.contains(obeyed), "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("# fast")), "{text}");
}

#[test]
fn a_candidates_log_and_a_devices_name_command_no_terminal() {
    for format in [Format::Text, Format::Markdown, Format::Csv, Format::Json] {
        assert_harmless(&answer(format));
    }
    assert!(!answer(Format::Markdown).contains(" <img>"), "{}", answer(Format::Markdown));
}

#[test]
fn every_page_of_validate_says_what_qualifies_the_verdict() {
    for format in [Format::Text, Format::Markdown] {
        let page = answer(format);
        for said in [
            "min_effect = 0.001 (default 0.02): small gains count here",
            "42% off",
            "1.4x: missed",
            "3 blocks left out of the judgement: another process ran",
            "beside the verdict",
            "0 of 1 passed",
        ] {
            assert!(page.contains(said), "{said} is not in\n{page}");
        }
    }
}

#[test]
fn a_candidate_that_was_not_timed_has_a_row_in_csv() {
    let text = answer(Format::Csv);
    assert!(text.lines().any(|line| line == "fast,,incorrect,-,-,-,-,-,-"), "{text}");
}

fn capture(text: &str) -> TraceResponse {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("capture.json");
    std::fs::write(&path, text).unwrap();
    run(&Request { capture: path }, &Silent).unwrap()
}

#[test]
fn names_of_a_capture_command_no_terminal() {
    let hostile = serde_json::to_string(HOSTILE).unwrap();
    let text = format!(
        r#"{{"deviceProperties":[{{"id":0,"name":{hostile}}}],"traceEvents":[
{{"ph":"X","cat":"kernel","name":{hostile},"pid":{hostile},"tid":1,"ts":1,"dur":2}},
{{"ph":"X","cat":"kernel","name":"k","pid":{hostile},"tid":2,"ts":1,"dur":2}}]}}"#
    );
    let response = capture(&text);
    for format in [Format::Text, Format::Markdown, Format::Csv, Format::Json] {
        assert_harmless(&trace_page(&response, format, &View::default()).unwrap().text);
    }
}

#[test]
fn a_module_with_a_slash_in_its_name_keeps_its_place_in_the_tree() {
    let frame = |name: &str, from: u32, dur: u32| {
        format!(
            r#"{{"ph":"X","cat":"python_function","name":"{name}","pid":1,"tid":1,"ts":{from},"dur":{dur}}}"#
        )
    };
    let response = capture(&document(&[
        frame("nn.Module: Model_0", 1, 100),
        frame("nn.Module: a/b_0", 10, 50),
        r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":2,"args":{"correlation":1}}"#.to_owned(),
        r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":9,"args":{"correlation":1}}"#.to_owned(),
    ]));
    let page = trace_page(&response, Format::Text, &View::default()).unwrap().text;
    assert!(page.lines().any(|line| line.starts_with("    a/b_0 ")), "{page}");
}
