//! `kforge init --from`: files that people have become experiments, which run where PyTorch is; what such a file leaves open is refused.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use assert_cmd::Command;
use kforge_testkit::ScratchRepo;
use serde_json::Value;
use std::process::Stdio;

/// A few operations and a library of the calls that they measure, made of PyTorch.
const FILES: [(&str, &str); 8] = [
    ("op_tests/test_residual_norm.py", include_str!("from/op_tests/test_residual_norm.py")),
    ("op_tests/test_gated.py", include_str!("from/op_tests/test_gated.py")),
    ("op_tests/test_linear.py", include_str!("from/op_tests/test_linear.py")),
    ("tasks/bias_gelu_scale.py", include_str!("from/tasks/bias_gelu_scale.py")),
    ("aiter/__init__.py", include_str!("from/aiter/__init__.py")),
    ("aiter/dtypes.py", include_str!("from/aiter/dtypes.py")),
    ("aiter/tuned_gemm.py", include_str!("from/aiter/tuned_gemm.py")),
    (".gitignore", "/.kforge/\n"),
];

/// Operations with the files that they come from.
const FROM: [(&str, &str); 4] = [
    ("residual_norm", "op_tests/test_residual_norm.py"),
    ("silu_and_mul", "op_tests/test_gated.py"),
    ("linear", "op_tests/test_linear.py"),
    ("bias_gelu_scale", "tasks/bias_gelu_scale.py"),
];

/// Starting PyTorch takes seconds, and how fast its operations are is not what is tested.
const FEW_SAMPLES: &str = "
[policy]
drawn_cases = 2
looks = [3]
alpha = 0.25
min_blocks = 2
blocks = 2
sample_us = 200
reason = \"a test\"
";

fn repository() -> ScratchRepo {
    let files: Vec<(String, Vec<u8>)> =
        FILES.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    ScratchRepo::with_files(&files)
}

fn kforge(repository: &ScratchRepo, arguments: &[&str]) -> (Option<i32>, Value) {
    let mut command = Command::cargo_bin("kforge").unwrap();
    if let Some(python) = std::env::var_os("KFORGE_TORCH_PYTHON") {
        command.env("KFORGE_PYTHON", python);
    }
    let output = command.current_dir(repository.path()).args(arguments).output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
}

/// True where `KFORGE_TORCH_PYTHON` names a Python with PyTorch. It has to be named: starting PyTorch so often takes minutes.
fn has_torch() -> bool {
    let Some(program) = std::env::var_os("KFORGE_TORCH_PYTHON") else { return false };
    let mut command = std::process::Command::new(program);
    let there = command.args(["-c", "import torch"]).stderr(Stdio::null()).status();
    there.is_ok_and(|status| status.success())
}

#[test]
fn three_op_tests_and_a_model_become_experiments_with_nothing_left_open() {
    let repository = repository();
    for (op, file) in FROM {
        let (code, made) = kforge(&repository, &["init", op, "--from", file, "--format", "json"]);
        assert_eq!((code, &made["data"]["open"]), (Some(0), &0.into()), "{made}");
        let from = made["data"]["from"].as_str().unwrap();
        assert!(from.starts_with(&format!("{file}:")), "{from}");
        assert_eq!(made["data"]["files"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn they_run_and_the_baseline_agrees_with_the_reference() {
    if !has_torch() {
        println!("skipped: KFORGE_TORCH_PYTHON names no Python that has torch");
        return;
    }
    let repository = repository();
    for (op, file) in FROM {
        assert_eq!(kforge(&repository, &["init", op, "--from", file]).0, Some(0));
        let path = repository.path().join(format!("kernels/{op}/experiment.toml"));
        let text = std::fs::read_to_string(&path).unwrap();
        let here = text.replace("device = \"gpu\"", "device = \"cpu\"") + FEW_SAMPLES;
        std::fs::write(&path, here).unwrap();
    }
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-qm", "operations"]);
    for (op, _) in FROM {
        let (_, answer) = kforge(&repository, &["validate", op, "--format", "json"]);
        let candidate = &answer["data"]["candidates"][0];
        let verdict = candidate["verdict"]["verdict"].as_str().unwrap();
        // How fast it is depends on the machine, and a busy one voids; that it is right and was timed does not.
        let cause = candidate["verdict"]["cause"].as_str();
        let judged = ["faster", "slower", "same", "inconclusive", "mixed"].contains(&verdict);
        assert!(judged || matches!(cause, Some("biased" | "environment")), "{op}: {answer}");
        assert!(candidate["launches"].as_u64().unwrap() >= 1, "{op}: {candidate}");
        assert_eq!(candidate["checks"]["passed"], candidate["checks"]["comparisons"], "{op}: {candidate}");
    }
}

#[test]
fn what_a_file_leaves_open_is_marked_and_refused_by_file_and_line() {
    let repository = repository();
    let (code, made) =
        kforge(&repository, &["init", "norm", "--from", "python:aiter.rms_norm", "--format", "json"]);
    assert_eq!(code, Some(0), "{made}");
    let open = made["data"]["open"].as_u64().unwrap();
    assert!(open >= 5, "shapes, types and contents of three tensors are open: {made}");
    let (code, refused) = kforge(&repository, &["validate", "norm", "--format", "json"]);
    assert_eq!((code, &refused["error"]["code"]), (Some(3), &"experiment.unfinished".into()));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("kernels/norm/experiment.toml:"), "{message}");
    let hint = refused["error"]["hint"].as_str().unwrap();
    assert!(hint.contains(&format!("sources: {open};")), "{hint}");
}

#[test]
fn a_file_that_is_no_operation_is_refused_and_leaves_nothing() {
    let repository = repository();
    for (from, code) in [
        ("op_tests/absent.py", 3),
        ("aiter/dtypes.py", 3),
        ("op_tests/test_gated.py::test_absent", 2),
        ("python:aiter.absent", 2),
        ("python:../aiter.x", 2),
        ("python:aiter", 2),
    ] {
        let (status, refused) = kforge(&repository, &["init", "x", "--from", from, "--format", "json"]);
        assert_eq!(status, Some(code), "{from}: {refused}");
    }
    assert!(!repository.path().join("kernels/x").exists());
    let (code, _) = kforge(&repository, &["init", "x", "--from", "a.py", "--class", "cpu"]);
    assert_eq!(code, Some(2), "a file and a class are two beginnings");
    assert_eq!(kforge(&repository, &["init", "x"]).0, Some(2), "and one is needed");
}
