//! Files that are no capture: refused with exit 3, and the refusal says what they look like.

use crate::expectation::{Case, judge_all};
use kforge_testkit::captures::files_of;
use kforge_testkit::corpus;
use kforge_testkit::trace_answer::TraceAnswer;
use std::path::Path;

#[test]
fn what_is_no_capture_is_refused_by_what_it_is() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 271638463\n";
    let csv = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\"\r\n\"KERNEL_DISPATCH\",1,1,\"k\"\r\n\"KERNEL_DISPATCH\",1,1,\"k\"\r\n";
    let execution = r#"{"schema": "1.0.1", "pid": 7, "time": "2023-01-01", "start_ts": 5, "nodes": [{"name": "[pytorch|profiler|execution_graph|thread]", "id": 2}]}"#;
    let memory = r#"[[[0, 1700000000, 5120, 0], [1, 1700000001, 1024, 2]], "cuda:0"]"#;
    judge_all(&[
        Case::new("empty", "").refused("empty"),
        Case::new("white space", " \n\t\n").refused(""),
        Case::new("LFS pointer", pointer).refused("lfs"),
        Case::new("path of a symbolic link", "../../runs/2026/trace.json.gz").refused("link"),
        Case::new("HTML", "<!DOCTYPE html>\n<html><head><title>404</title></head></html>").refused("html"),
        Case::new("HTML in capitals", "\n<HTML><BODY>sign in</BODY></HTML>").refused("html"),
        Case::new("execution trace", execution).refused("execution trace"),
        Case::new("memory timeline", memory).refused("memory"),
        Case::new("CSV", csv).refused("comma-separated"),
        Case::new("text", "W0717 14:54:51 torch/distributed/run.py:852] warning\n").refused(""),
        Case::new("zeros", vec![0; 4096]).refused(""),
        Case::new("xplane", b"\n\x9d\xb2\x08\x12\x0e/host:metadata\"\x93\x07\x08\x0f".to_vec()).refused(""),
        Case::new("SQLite", b"SQLite format 3\0\x10\0\x01\x01".to_vec()).refused("sqlite"),
        Case::new("ELF", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec()).refused(""),
        Case::new("zip", b"PK\x03\x04\x14\0\0\0\x08\0".to_vec()).refused("zip"),
        Case::new("zstd", b"\x28\xb5\x2f\xfd\x04\x00".to_vec()).refused("zstd"),
        Case::new("JSON object of another kind", r#"{"name": "mi300", "mem_bw_gbps": 5300}"#).refused(""),
        Case::new("JSON array of another kind", r#"[{"graph": 1}]"#).refused(""),
        Case::new("JSON array of numbers", "[1, 2, 3]").refused(""),
        Case::new("empty array", "[]").refused(""),
        Case::new("empty object", "{}").refused(""),
        Case::new("a JSON text", "\"traceEvents\"").refused(""),
        Case::new("null", "null").refused(""),
        Case::new("traceEvents that is no array", r#"{"traceEvents": 5}"#).refused(""),
    ]);
}

#[test]
fn places_that_are_no_file_are_refused() {
    let binary = Path::new(env!("CARGO_BIN_EXE_kforge"));
    let folder = tempfile::tempdir().expect("a scratch folder");
    let dangling = folder.path().join("dangling");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &dangling).expect("a link");
    for place in [folder.path(), &dangling, &folder.path().join("absent.json"), Path::new("/dev/null")] {
        let answer = TraceAnswer::of(binary, place);
        assert_eq!(answer.exit, Some(3), "{}: {}", place.display(), answer.stderr);
        assert_eq!(answer.json["ok"], false, "{}", place.display());
        assert!(!answer.json["error"]["hint"].is_null(), "{}", place.display());
    }
}

#[test]
fn an_unreadable_file_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let file = tempfile::NamedTempFile::new().expect("a scratch file");
    std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o000)).expect("it is ours");
    if std::fs::File::open(file.path()).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    let answer = TraceAnswer::of(Path::new(env!("CARGO_BIN_EXE_kforge")), file.path());
    assert_eq!(answer.exit, Some(3), "{}", answer.stderr);
}

#[test]
fn no_file_of_the_corpus_ends_in_anything_but_an_answer_or_a_refusal() {
    let Some(corpus) = corpus("strangers of the corpus") else { return };
    let mut faults = Vec::new();
    for kind in ["kernel-tuner", "nsight-compute", "nsight-systems", "triton", "tuned-configs"] {
        for file in files_of(&corpus.join(kind)) {
            let answer = TraceAnswer::of(Path::new(env!("CARGO_BIN_EXE_kforge")), &file);
            faults.extend(answer.fault().map(|fault| format!("{}: {fault}", file.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
