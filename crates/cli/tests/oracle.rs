//! Every figure of `kforge trace` against an independent program, and against facts that were counted by hand.
//!
//! The independent program is `tests/oracle/kineto_oracle.py`, written from `docs/counting.md` alone; the facts are those
//! of the captures' own README. Captures are found by content. Files over 8 MiB are read where `KFORGE_SLOW` is set.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why and fails")]
#![expect(clippy::print_stdout, reason = "a test says what it skipped and what it compared")]

use kforge_testkit::captures::{file_name, files_of};
use kforge_testkit::trace_answer::TraceAnswer;
use kforge_testkit::{corpus, lab, workspace_root};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

const BINARY: &str = env!("CARGO_BIN_EXE_kforge");

/// What became of one file.
enum Outcome {
    Equal,
    /// Exit 3, and the oracle finds no capture either.
    NoCapture,
    /// The standard library's JSON parser refuses it; the exit status was 0 or 3.
    Lenient,
    Wrong(String),
}

fn trace(file: &Path) -> TraceAnswer {
    TraceAnswer::of(Path::new(BINARY), file)
}

/// Runs the comparison with kforge's answer on standard input: (exit status, differences).
fn compare(file: &Path, answer: &TraceAnswer) -> (Option<i32>, String) {
    let mut child = Command::new("python3")
        .arg(workspace_root().join("tests/oracle/compare.py"))
        .arg(file)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(&answer.stdout).expect("the comparison reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("python3 ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn judge(file: &Path) -> Outcome {
    let answer = trace(file);
    if let Some(fault) = answer.fault() {
        return Outcome::Wrong(fault);
    }
    let (status, lines) = compare(file, &answer);
    match (answer.exit, status) {
        (Some(0), Some(0)) => Outcome::Equal,
        (Some(3), Some(3)) => Outcome::NoCapture,
        (Some(_), Some(4)) => Outcome::Lenient,
        (exit, status) => Outcome::Wrong(format!("kforge exit {exit:?}, oracle exit {status:?}\n{lines}")),
    }
}

/// Compares every file of a folder; gives how many of how many are equal.
fn judge_folder(what: &str, folder: &Path) -> (usize, usize) {
    let slow = std::env::var_os("KFORGE_SLOW").is_some();
    let (files, large): (Vec<PathBuf>, Vec<PathBuf>) = files_of(folder)
        .into_iter()
        .partition(|file| slow || file.metadata().is_ok_and(|metadata| metadata.len() < 8 << 20));
    for file in &large {
        println!("skipped {}: over 8 MiB; set KFORGE_SLOW=1", file_name(file));
    }
    assert!(!files.is_empty(), "{what}: {} holds no file", folder.display());
    let queue = Mutex::new(files.clone());
    let outcomes = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no thread fails while it holds the queue").pop();
                    let Some(file) = next else { break };
                    let outcome = judge(&file);
                    outcomes
                        .lock()
                        .expect("no thread fails while it holds the answers")
                        .insert(file, outcome);
                }
            });
        }
    });
    let mut equal = 0;
    let mut wrong = Vec::new();
    for (file, outcome) in outcomes.into_inner().expect("both threads ended") {
        match outcome {
            Outcome::Equal => equal += 1,
            Outcome::NoCapture => println!("no capture: {}", file_name(&file)),
            Outcome::Lenient => println!("not comparable: {}", file_name(&file)),
            Outcome::Wrong(why) => wrong.push(format!("{}: {why}", file_name(&file))),
        }
    }
    println!("{what}: {equal} captures equal to the nanosecond, of {} files", files.len());
    assert!(
        wrong.is_empty(),
        "{what}: {} of {} files differ:\n{}",
        wrong.len(),
        files.len(),
        wrong.join("\n")
    );
    (equal, files.len())
}

#[test]
fn the_oracle_agrees_with_sums_worked_out_by_hand() {
    let status = Command::new("python3")
        .arg(workspace_root().join("tests/oracle/test_oracle.py"))
        .stderr(Stdio::null())
        .status()
        .expect("python3 runs");
    assert!(status.success(), "python3 tests/oracle/test_oracle.py");
}

#[test]
fn every_file_of_the_corpus_is_counted_as_the_oracle_counts_it() {
    let Some(corpus) = corpus("the oracle on torch-profiler") else { return };
    let (equal, _) = judge_folder("the corpus", &corpus.join("torch-profiler"));
    assert!(equal > 0, "nothing was compared");
}

#[test]
fn every_oddity_is_counted_as_the_oracle_counts_it_or_is_read_leniently() {
    let Some(corpus) = corpus("the oracle on oddities") else { return };
    let (equal, _) = judge_folder("oddities", &corpus.join("oddities"));
    assert!(equal > 0, "nothing was compared");
}

#[test]
fn every_lab_capture_is_counted_as_the_oracle_counts_it() {
    let Some(lab) = lab("the oracle on lab captures") else { return };
    let (equal, _) = judge_folder("the lab", &lab.join("captures"));
    assert!(equal > 0, "nothing was compared");
}

#[test]
fn random_captures_of_odd_but_legal_things_are_counted_as_the_oracle_counts_them() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let count = if std::env::var_os("KFORGE_SLOW").is_some() { "2000" } else { "80" };
    let status = Command::new("python3")
        .arg(workspace_root().join("tests/generate/odd_captures.py"))
        .arg(folder.path())
        .args(["--count", count])
        .status()
        .expect("python3 runs");
    assert!(status.success(), "python3 tests/generate/odd_captures.py");
    let (equal, all) = judge_folder("random captures", folder.path());
    assert_eq!(equal, all, "what is made here can be compared whole");
}

#[test]
fn modules_too_deep_or_too_long_for_their_path_are_counted_as_the_oracle_counts_them() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("deep.json");
    let mut events = Vec::new();
    for level in 0..300_usize {
        // Every tenth name is so long that a path has room for two of them.
        let long = if level % 10 == 0 { "x".repeat(1_400) } else { String::new() };
        let (start, length, launch) = (10 * level, 10_000 - 20 * level, 10 * level + 1);
        events.push(format!(
            r#"{{"ph":"X","cat":"python_function","name":"nn.Module: Deep{long}_{level}","pid":1,"tid":1,"ts":{start},"dur":{length}}}"#
        ));
        events.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{launch},"dur":1,"args":{{"correlation":{}}}}}"#,
            level + 1
        ));
        events.push(format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":3,"args":{{"device":0,"stream":7,"correlation":{}}}}}"#,
            20_000 + 10 * level,
            level + 1
        ));
    }
    std::fs::write(&file, format!("{{\"traceEvents\": [{}]}}", events.join(",\n"))).expect("a capture");
    let answer = trace(&file);
    // Two long names are 2,800 bytes and 126 others below 1,200; a third long name is left out wherever it stands.
    let rows = answer.json["data"]["tables"]["modules"]["rows"].as_array().expect("modules");
    assert_eq!(rows.len(), 128);
    assert_eq!(answer.number("/tables/modules/residual_ns"), Some(0), "what they launched is not lost");
    let note = answer.json["notes"].as_array().and_then(|notes| {
        notes.iter().find(|note| note["code"] == "capture.deep-modules").map(|note| note["events"].clone())
    });
    assert_eq!(note, Some(serde_json::json!(300 - 128)));
    assert!(matches!(judge(&file), Outcome::Equal));
}

#[test]
fn the_pair_has_the_kernels_and_the_kernel_time_that_were_measured() {
    let Some(lab) = lab("facts of the pair") else { return };
    for (name, kernels, kernel_sum_ns) in [("pair_before", 364, 1_373_218), ("pair_after", 238, 1_035_253)] {
        let answer = trace(&lab.join("captures").join(format!("{name}.json.gz")));
        assert_eq!(answer.number("/activities/kernels"), Some(kernels), "{name}");
        assert_eq!(answer.number("/time/kernel_sum_ns"), Some(kernel_sum_ns), "{name}");
    }
}

#[test]
fn the_norm_is_called_18_times_with_8_kernels_a_call_before_and_1_after() {
    let Some(lab) = lab("facts of LlamaRMSNorm") else { return };
    for (name, kernels_a_call) in [("pair_before", 8), ("pair_after", 1)] {
        let answer = trace(&lab.join("captures").join(format!("{name}.json.gz")));
        let norms: Vec<&serde_json::Value> = answer.json["data"]["tables"]["modules"]["rows"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|row| row["type"] == "LlamaRMSNorm")
            .collect();
        let calls: i64 = norms.iter().filter_map(|row| row["count"].as_i64()).sum();
        assert_eq!(calls, 18, "{name}: 4 layers × 2 norms and a last one, in 2 steps");
        let kernels: i64 = norms.iter().filter_map(|row| row["kernels"].as_i64()).sum();
        assert_eq!(kernels, 18 * kernels_a_call, "{name}: {norms:?}");
    }
}

#[test]
fn five_replays_of_one_graph_own_225_kernels_each() {
    let Some(lab) = lab("facts of the graph") else { return };
    let answer = trace(&lab.join("captures/llama_decode_graph.json.gz"));
    assert_eq!(answer.number("/activities/kernels"), Some(5 * 225));
    assert_eq!(answer.number("/links/graph_replay/count"), Some(5 * 225));
    assert_eq!(answer.number("/links/call/count"), Some(0));
}
