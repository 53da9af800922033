//! The shipped captures say what was counted by other means, as `fixtures/manifest.toml` states it.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
struct Manifest {
    capture: Vec<Capture>,
}

#[derive(Deserialize)]
struct Capture {
    file: String,
    facts: Facts,
}

#[derive(Deserialize)]
struct Facts {
    kernels: u64,
    kernel_sum_ns: Option<i64>,
    graph_replay: u64,
    #[serde(default)]
    modules: Vec<Module>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    class: String,
    calls: u64,
    kernels_per_call: Option<u64>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn trace(capture: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_kforge"))
        .args(["trace", "--format", "json"])
        .arg(capture)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["data"].clone()
}

#[test]
fn every_shipped_capture_agrees_with_its_facts() {
    let manifest: Manifest =
        toml::from_str(&std::fs::read_to_string(fixtures().join("manifest.toml")).unwrap()).unwrap();
    assert!(manifest.capture.len() >= 4);
    for Capture { file, facts } in &manifest.capture {
        let data = trace(&fixtures().join(file));
        assert_eq!(data["activities"]["kernels"], facts.kernels, "{file}");
        assert_eq!(data["links"]["graph_replay"]["count"], facts.graph_replay, "{file}");
        if let Some(sum) = facts.kernel_sum_ns {
            assert_eq!(data["time"]["kernel_sum_ns"], sum, "{file}");
        }
        for module in &facts.modules {
            let rows = data["tables"]["module_types"]["rows"].as_array().unwrap();
            let row = rows.iter().find(|row| row["type"] == module.class.as_str()).unwrap();
            assert_eq!(row["count"], module.calls, "{file}: calls of {}", module.class);
            if let Some(each) = module.kernels_per_call {
                let kernels = row["subtree_kernels"].as_u64().unwrap();
                assert_eq!(kernels, each * module.calls, "{file}: kernels of {}", module.class);
            }
        }
    }
}

#[test]
fn in_every_table_rows_and_residual_are_the_whole() {
    for file in ["pair_before", "decode_step", "llama_decode_graph"] {
        let data = trace(&fixtures().join(format!("captures/{file}.json.gz")));
        for (table, time) in [
            ("kernels", "total_ns"),
            ("families", "total_ns"),
            ("transfers", "total_ns"),
            ("ops", "self_ns"),
            ("modules", "self_ns"),
            ("module_types", "self_ns"),
            ("sources", "ns"),
            ("steps", "total_ns"),
        ] {
            let table = &data["tables"][table];
            let rows: i64 =
                table["rows"].as_array().unwrap().iter().map(|row| row[time].as_i64().unwrap()).sum();
            assert_eq!(
                rows + table["residual_ns"].as_i64().unwrap(),
                table["whole_ns"].as_i64().unwrap(),
                "{file}"
            );
        }
    }
}
