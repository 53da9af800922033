//! Claims about `kforge tuned` as a user meets it: exit codes, streams, and every format.
//!
//! The tables are written by the tests; right answers are counted by hand from them.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

const TABLE: &str = "gfx,cu_num,M,N,K,us,kernelName,errRatio\ngfx942,304,16,512,64,2.5,fast,0\ngfx942,80,16,512,64,9.5,slow,0\n";

fn kforge(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::cargo_bin("kforge")
        .unwrap()
        .current_dir(folder)
        .arg("tuned")
        .args(arguments)
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn folder(table: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), table).unwrap();
    folder
}

#[test]
fn a_shape_gets_its_row_with_its_line_and_the_rule_s_source() {
    let folder = folder(TABLE);
    let arguments = ["t.csv", "--shape", "M=9,N=512,K=64", "--gpu", "MI300X", "--format", "json"];
    let (code, text) = kforge(folder.path(), &arguments);
    let answer: Value = serde_json::from_str(&text).unwrap();
    let found = &answer["data"]["lookups"][0];
    assert_eq!((code, &answer["schema"]), (0, &Value::from("kforge.tuned/1")));
    assert_eq!((&found["outcome"], &found["lines"][0]), (&Value::from("rounded"), &Value::from(2)));
    assert_eq!(found["row"]["kernelName"], "fast");
    assert!(found["source"].as_str().unwrap().contains("ROCm/aiter@"));
    for format in ["text", "md", "csv"] {
        let (code, text) = kforge(folder.path(), &[&arguments[..6], &[format]].concat());
        assert!(code == 0 && text.contains("rounded") && text.contains("kernelName=fast"), "{text}");
    }
}

#[test]
fn an_audit_answers_no_only_where_it_finds_errors() {
    let good = folder(TABLE);
    assert_eq!(kforge(good.path(), &["t.csv", "--audit"]).0, 0);
    let bad = folder(&TABLE.replace("2.5", "nan"));
    let (code, text) = kforge(bad.path(), &["t.csv", "--audit", "--format", "csv"]);
    assert_eq!(code, 1);
    assert!(text.contains("error,time-not-a-number,t.csv,2,"), "{text}");
    assert_eq!(kforge(bad.path(), &["t.csv"]).0, 0);
}

#[test]
fn what_is_no_table_is_unusable_input_and_a_bad_shape_a_mistake_of_the_command_line() {
    let folder = folder("a,b\n1,2\n");
    let (code, text) = kforge(folder.path(), &["t.csv", "--format", "json"]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &answer["error"]["code"]), (3, &Value::from("tuning.header")));
    std::fs::write(folder.path().join("good.csv"), TABLE).unwrap();
    let (code, text) = kforge(folder.path(), &["good.csv", "t.csv", "--format", "json"]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &answer["data"]["refused"][0]["code"]), (3, &Value::from("tuning.header")));
    assert_eq!(kforge(folder.path(), &["missing.csv"]).0, 3);
    assert_eq!(kforge(folder.path(), &["good.csv", "--shape", "M"]).0, 2);
    assert_eq!(kforge(folder.path(), &["good.csv", "--gpu", "gfx942:many"]).0, 2);
}
