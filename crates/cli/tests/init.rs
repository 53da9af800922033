//! A new operation in one command: what `init` writes runs as it stands.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use assert_cmd::Command;
use kforge_testkit::ScratchRepo;
use serde_json::Value;

fn kforge(repository: &ScratchRepo, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = Command::cargo_bin("kforge")
        .unwrap()
        .current_dir(repository.path())
        .args(arguments)
        .output()
        .unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
}

#[test]
fn the_cpu_skeleton_is_checked_and_timed_unchanged() {
    let repository = ScratchRepo::with_files(&[(".gitignore".to_owned(), b"/.kforge/\n".to_vec())]);
    let (code, made) = kforge(&repository, &["init", "soft_max", "--class", "cpu", "--format", "json"]);
    assert_eq!(code, Some(0), "{made}");
    assert_eq!(made["data"]["files"].as_array().unwrap().len(), 4);
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-qm", "a new operation"]);
    // How fast it is depends on the machine; that it is right and can be timed does not. A busy machine may part the baseline from itself,
    // which is told as such and measured again.
    for last in [false, false, false, true] {
        let (_, answer) = kforge(&repository, &["validate", "soft_max", "--format", "json"]);
        let candidate = &answer["data"]["candidates"][0];
        if !last && candidate["verdict"]["cause"] == "biased" {
            continue;
        }
        let verdict = candidate["verdict"]["verdict"].as_str().unwrap();
        assert!(["faster", "slower", "same", "inconclusive"].contains(&verdict), "{answer}");
        assert!(candidate["launches"].as_u64().unwrap() >= 8, "{candidate}");
        return;
    }
}

#[test]
fn nothing_is_written_over_and_no_name_leads_out_of_the_folder() {
    let repository = ScratchRepo::with_files(&[(".gitignore".to_owned(), b"/.kforge/\n".to_vec())]);
    assert_eq!(kforge(&repository, &["init", "a", "--class", "triton"]).0, Some(0));
    let (code, refused) = kforge(&repository, &["init", "a", "--class", "cpu", "--format", "json"]);
    assert_eq!((code, &refused["error"]["code"]), (Some(2), &"usage".into()));
    assert!(repository.path().join("kernels/a/candidate.py").exists());
    assert!(!repository.path().join("kernels/a/candidate.cpp").exists());
    // A name that the ledger could not keep is refused before anything is written.
    for name in ["a+b", "a=b", "../a", "", ".x", "a b", "a/b", "a\"\nb = 1 #"] {
        let (code, refused) = kforge(&repository, &["init", name, "--class", "cpu", "--format", "json"]);
        assert_eq!(code, Some(2), "{name:?}: {refused}");
    }
    assert!(!repository.path().join("a").exists());
}

#[test]
fn a_file_that_is_there_is_named_and_nothing_is_left_beside_it() {
    let repository = ScratchRepo::with_files(&[("kernels/x/baseline.cpp".to_owned(), b"// mine\n".to_vec())]);
    let (code, refused) = kforge(&repository, &["init", "x", "--class", "cpu", "--format", "json"]);
    let message = refused["error"]["message"].as_str().unwrap();
    assert_eq!((code, message), (Some(2), "kernels/x/baseline.cpp is there already"));
    let left: Vec<_> = std::fs::read_dir(repository.path().join("kernels/x")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
