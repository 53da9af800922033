//! The three implementations of the runner protocol's arithmetic hold the same bytes: this room's, the C++ harness's and the Python one's.
#![expect(clippy::unwrap_used, reason = "tests")]

use kforge_experiment::{Distribution, Dtype, Recipe, Role, tensor_digest};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A runner's pipes, spoken to without the engine.
struct Raw {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Raw {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    fn call(&mut self, mut message: Value) -> Value {
        message["id"] = json!(7);
        writeln!(self.input, "{message}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn runners() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runners")
}

fn cpp(folder: &Path) -> Raw {
    let source = folder.join("op.cpp");
    let text = "#include <cstdio>\n#include <kforge_runner.hpp>\nstatic void op(const kforge::Call&) { std::printf(\"noise\\n\"); std::fflush(stdout); }\nKFORGE_RUNNER(op)\n";
    std::fs::write(&source, text).unwrap();
    let program = folder.join("op");
    let done = Command::new("c++")
        .args(["-std=c++17", "-O1", "-I"])
        .arg(runners())
        .arg("-o")
        .arg(&program)
        .arg(&source)
        .status()
        .unwrap();
    assert!(done.success());
    Raw::start(&mut Command::new(program))
}

fn python(folder: &Path) -> Raw {
    let source = folder.join("op.py");
    std::fs::write(
        &source,
        "import kforge_runner\ndef op(call):\n    print('noise', flush=True)\nkforge_runner.main(op)\n",
    )
    .unwrap();
    Raw::start(Command::new("python3").arg(source).env("PYTHONPATH", runners()))
}

/// The harness for PyTorch, where some Python has it: the one that `KFORGE_TORCH_PYTHON` names, else `python3`.
#[expect(clippy::print_stdout, reason = "a skipped part of a test says so")]
fn torch(folder: &Path) -> Option<Raw> {
    let program = std::env::var("KFORGE_TORCH_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&program).args(["-c", "import torch"]).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        println!("skipped: {program} has no torch; KFORGE_TORCH_PYTHON names one that has");
        return None;
    }
    let source = folder.join("torch_op.py");
    let text = "import kforge_runner_torch\ndef op(call):\n    print('noise', flush=True)\nkforge_runner_torch.main(op)\n";
    std::fs::write(&source, text).unwrap();
    Some(Raw::start(Command::new(program).arg(source).env("PYTHONPATH", runners())))
}

/// Every harness that this machine can run, with its language.
fn harnesses(folder: &Path) -> Vec<(&'static str, Raw)> {
    let mut all = vec![("c++", cpp(folder)), ("python", python(folder))];
    all.extend(torch(folder).map(|raw| ("python", raw)));
    all
}

/// Recipes that reach every branch of the arithmetic.
fn recipes() -> Vec<(Dtype, Recipe)> {
    let mut all = Vec::new();
    let floats = [
        Distribution::Uniform { low: -1.0, high: 1.0 },
        Distribution::Uniform { low: 0.1, high: 7.3 },
        Distribution::Uniform { low: -1e5, high: 1e5 },
        Distribution::Normal { mean: 0.0, std: 1.0 },
        Distribution::Normal { mean: -3.7, std: 1e-6 },
    ];
    for (stream, distribution) in floats.into_iter().enumerate() {
        for dtype in Dtype::ALL.into_iter().filter(|dtype| dtype.is_float()) {
            all.push((
                dtype,
                Recipe::Philox { seed: 0xFEDC_BA98_7654_3210, stream: stream as u32, distribution },
            ));
        }
    }
    for (dtype, low, high) in [
        (Dtype::I64, -1_000_000_000_000, -999_999_000_000),
        (Dtype::I32, -5, 100_000),
        (Dtype::I16, -300, 300),
        (Dtype::I8, -128, 128),
        (Dtype::U8, 0, 256),
        (Dtype::Bool, 0, 2),
    ] {
        all.push((
            dtype,
            Recipe::Philox { seed: 1, stream: 9, distribution: Distribution::Integer { low, high } },
        ));
    }
    for dtype in Dtype::ALL {
        all.push((dtype, Recipe::Constant(1.0)));
        all.push((dtype, Recipe::Nothing));
    }
    all
}

#[test]
fn every_generator_gives_the_same_bytes_in_three_languages() {
    let folder = tempfile::tempdir().unwrap();
    // A count that is no multiple of the four words of a block.
    let count = 4098_usize;
    let tensors: Vec<Value> = recipes()
        .iter()
        .enumerate()
        .map(|(number, (dtype, recipe))| {
            let fill = serde_json::to_value(recipe.message()).unwrap();
            json!({"name": format!("t{number}"), "role": Role::Input.word(), "dtype": dtype.name(), "shape": [count], "fill": fill})
        })
        .collect();
    for (language, mut raw) in harnesses(folder.path()) {
        let hello = raw.call(json!({"verb": "hello", "protocol": 1}));
        assert_eq!((&hello["language"], &hello["harness"]), (&json!(language), &json!("unstamped")));
        let held =
            raw.call(json!({"verb": "prepare", "case": "c", "params": {}, "slots": 2, "tensors": tensors}));
        for slot in 0..2 {
            for (number, (dtype, recipe)) in recipes().iter().enumerate() {
                let expected = tensor_digest(&recipe.bytes(*dtype, count, slot).unwrap());
                let got = &held["inputs"][slot as usize][format!("t{number}")];
                assert_eq!(got, &json!(expected), "{language}, {} of {recipe:?}, slot {slot}", dtype.name());
            }
        }
        let ran =
            raw.call(json!({"verb": "run", "order": [0, 1], "passes": 2, "batches": 3, "mode": "warm"}));
        assert_eq!(
            ran["samples"].as_array().unwrap().len(),
            3,
            "what the operation prints does not reach the protocol: {ran}"
        );
        let world = raw.call(json!({"verb": "hello", "protocol": 1, "world": 2}));
        assert_eq!(world["ok"], json!(false));
        raw.call(json!({"verb": "quit"}));
        assert!(raw.child.wait().unwrap().success(), "{language}");
    }
}

#[test]
fn a_large_tensor_has_the_same_digest_in_three_languages() {
    let folder = tempfile::tempdir().unwrap();
    let (dtype, count, recipe) = (Dtype::U8, (3 << 20) + 5, Recipe::Constant(3.0));
    let expected = json!(tensor_digest(&recipe.bytes(dtype, count, 0).unwrap()));
    let fill = serde_json::to_value(recipe.message()).unwrap();
    let tensors = json!([{"name": "x", "role": "in", "dtype": dtype.name(), "shape": [count], "fill": fill}]);
    for (language, mut raw) in harnesses(folder.path()) {
        let held =
            raw.call(json!({"verb": "prepare", "case": "c", "params": {}, "slots": 1, "tensors": tensors}));
        assert_eq!(held["inputs"][0]["x"], expected, "{language}: {held}");
    }
}

#[test]
fn poison_and_dump_agree_on_every_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let nonce = 0x0123_4567_89AB_CDEF_u64;
    let zeros = serde_json::to_value(Recipe::Nothing.message()).unwrap();
    let tensors: Vec<Value> = Dtype::ALL
        .iter()
        .map(|dtype| json!({"name": dtype.name(), "role": "out", "dtype": dtype.name(), "shape": [3, 2], "fill": zeros}))
        .collect();
    for (language, mut raw) in harnesses(folder.path()) {
        raw.call(json!({"verb": "prepare", "case": "c", "params": {}, "slots": 1, "tensors": tensors}));
        raw.call(json!({"verb": "poison", "nonce": format!("{nonce:x}")}));
        let path = folder.path().join("dump");
        let dumped = raw.call(json!({"verb": "dump", "slots": [0], "path": path}));
        assert_eq!(dumped["ok"], json!(true), "{dumped}");
        let bytes = std::fs::read(&path).unwrap();
        let mut rest = &bytes[..];
        for dtype in Dtype::ALL {
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap();
            let header: Value = serde_json::from_slice(&rest[..end]).unwrap();
            assert_eq!((&header["name"], &header["shape"]), (&json!(dtype.name()), &json!([3, 2])));
            let length = dtype.bytes(6);
            let data = &rest[end + 1..=end + length];
            assert!(
                dtype.patterns(data).all(|one| one == dtype.poison(nonce)),
                "{language} {}",
                dtype.name()
            );
            rest = &rest[end + 1 + length..];
        }
        assert!(rest.is_empty());
        raw.call(json!({"verb": "quit"}));
        assert!(raw.child.wait().unwrap().success());
    }
}
