//! AMD's `amd-smi` and its forerunner `rocm-smi`, by their JSON.
//!
//! `amd-smi` answers with a list or, in later versions, with the list under `gpu_data`; quantities are objects of value and unit, or `N/A`.
//! `rocm-smi` answers with texts under titles that changed over the years; both generations are read.

use super::facts::{GpuFacts, GpuUser, GpuVendor, normal_pci};
use serde_json::Value;
use std::collections::BTreeMap;

/// The commands of `amd-smi`: what does not change, what does, who uses it.
pub(super) fn commands() -> [Vec<String>; 3] {
    ["static", "metric", "process"].map(|part| ["amd-smi", part, "--json"].map(str::to_owned).to_vec())
}

/// The command of `rocm-smi`.
pub(super) fn old_command() -> Vec<String> {
    let words = [
        "rocm-smi",
        "--showproductname",
        "--showuniqueid",
        "--showbus",
        "--showmeminfo",
        "vram",
        "--showuse",
        "--showtemp",
        "--showpower",
        "--showclocks",
        "--showdriverversion",
        "--showcomputepartition",
        "--showmemorypartition",
        "--json",
    ];
    words.map(str::to_owned).to_vec()
}

/// The list of GPUs in an answer of `amd-smi`.
fn entries(text: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    match value {
        Value::Array(all) => all,
        Value::Object(mut fields) => match fields.remove("gpu_data") {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn number(value: &Value) -> Option<f64> {
    value.get("value").unwrap_or(value).as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// A quantity of memory in bytes; without a unit it is in MB, which the tool uses for 2^20.
fn memory(value: &Value) -> Option<u64> {
    let scale = match value.get("unit").and_then(Value::as_str) {
        Some("B") => 1.0,
        Some("KB") => 1024.0,
        Some("GB") => 1024.0 * 1024.0 * 1024.0,
        _ => 1024.0 * 1024.0,
    };
    Some((number(value)? * scale) as u64)
}

fn word(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty() && !text.eq_ignore_ascii_case("n/a")).then_some(text)
}

/// The first of several places in an answer.
fn at<'v>(value: &'v Value, places: &[&str]) -> &'v Value {
    places
        .iter()
        .map(|place| value.pointer(place).unwrap_or(&Value::Null))
        .find(|found| !found.is_null())
        .unwrap_or(&Value::Null)
}

/// Reads the three answers of `amd-smi`.
pub(super) fn read(fixed: &str, metric: Option<&str>, process: Option<&str>) -> Vec<GpuFacts> {
    let moving = metric.map(entries).unwrap_or_default();
    let users = process.map(entries);
    entries(fixed).iter().filter_map(|gpu| row(gpu, &moving, users.as_deref())).collect()
}

fn row(gpu: &Value, moving: &[Value], users: Option<&[Value]>) -> Option<GpuFacts> {
    let index = gpu.get("gpu")?.as_u64()?;
    let same = |entry: &&Value| entry.get("gpu").and_then(Value::as_u64) == Some(index);
    let now = moving.iter().find(same).unwrap_or(&Value::Null);
    let mut state = BTreeMap::new();
    for (name, places) in [
        ("clock_sm_mhz", &["/clock/gfx_0/clk", "/clock/gfx/clk"][..]),
        ("clock_sm_most_mhz", &["/clock/gfx_0/max_clk"][..]),
        ("clock_memory_mhz", &["/clock/mem_0/clk", "/clock/mem/clk"][..]),
        ("temperature_c", &["/temperature/hotspot", "/temperature/edge"][..]),
        ("power_w", &["/power/socket_power", "/power/current_power"][..]),
    ] {
        if let Some(value) = number(at(now, places)) {
            state.insert(name.to_owned(), value.to_string());
        }
    }
    let mut sharing = BTreeMap::new();
    for (name, places) in [
        ("compute_partition", &["/partition/compute_partition", "/partition/accelerator_partition"][..]),
        ("memory_partition", &["/partition/memory_partition"][..]),
    ] {
        if let Some(text) = word(at(gpu, places)) {
            sharing.insert(name.to_owned(), text);
        }
    }
    Some(GpuFacts {
        vendor: GpuVendor::Amd,
        index: u32::try_from(index).ok()?,
        pci: normal_pci(&word(at(gpu, &["/bus/bdf"]))?),
        uuid: word(at(gpu, &["/asic/asic_serial"])),
        name: word(at(gpu, &["/asic/market_name"])).unwrap_or_else(|| "unknown GPU".to_owned()),
        arch: word(at(gpu, &["/asic/target_graphics_version"])),
        driver: word(at(gpu, &["/driver/version", "/driver/driver_version"])),
        memory_bytes: memory(at(gpu, &["/vram/size", "/vram/vram_size"])),
        used_bytes: memory(at(now, &["/mem_usage/used_vram", "/vram_usage/vram_used"])),
        busy_percent: number(at(now, &["/usage/gfx_activity"])).map(|share| share as u32),
        users: users.map(|users| users.iter().find(same).map(users_of).unwrap_or_default()),
        sharing,
        state,
    })
}

fn users_of(entry: &Value) -> Vec<GpuUser> {
    let list = entry.get("process_list").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let rows = list.iter().filter_map(|process| {
        // A list without processes holds one text that says so.
        let info = process.get("process_info").unwrap_or(process);
        let pid = info.get("pid")?.as_u64()?;
        let bytes = memory(at(info, &["/mem_usage", "/memory_usage/vram_mem"]));
        Some(GpuUser { pid: u32::try_from(pid).ok()?, bytes })
    });
    rows.collect()
}

/// Reads the answer of `rocm-smi`.
pub(super) fn read_old(text: &str) -> Vec<GpuFacts> {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let driver = word(at(&value, &["/system/Driver version"]));
    let cards = value.as_object().into_iter().flatten();
    cards
        .filter_map(|(name, card)| {
            let index = name.strip_prefix("card")?.parse().ok()?;
            Some(old_row(index, card, driver.clone()))
        })
        .flatten()
        .collect()
}

fn old_row(index: u32, card: &Value, driver: Option<String>) -> Option<GpuFacts> {
    let fields = card.as_object()?;
    // Titles differ in capitals, and `(C)` was once `(c)`.
    let of = |titles: &[&str]| {
        titles.iter().find_map(|title| {
            let (_, value) = fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(title))?;
            word(value)
        })
    };
    let digits = |text: String| text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect::<String>();
    let mut state = BTreeMap::new();
    for (name, titles) in [
        ("clock_sm_mhz", &["sclk clock speed:"][..]),
        ("clock_memory_mhz", &["mclk clock speed:"][..]),
        ("temperature_c", &["Temperature (Sensor junction) (C)", "Temperature (Sensor edge) (C)"][..]),
        ("power_w", &["Current Socket Graphics Package Power (W)", "Average Graphics Package Power (W)"][..]),
    ] {
        if let Some(value) = of(titles).map(digits).filter(|value| !value.is_empty()) {
            state.insert(name.to_owned(), value);
        }
    }
    let mut sharing = BTreeMap::new();
    for (name, title) in
        [("compute_partition", "Compute Partition"), ("memory_partition", "Memory Partition")]
    {
        if let Some(value) = of(&[title]) {
            sharing.insert(name.to_owned(), value);
        }
    }
    Some(GpuFacts {
        vendor: GpuVendor::Amd,
        index,
        pci: normal_pci(&of(&["PCI Bus"])?),
        uuid: of(&["Unique ID"]),
        name: of(&["Card Series", "Device Name", "Card Model"]).unwrap_or_else(|| "unknown GPU".to_owned()),
        arch: of(&["GFX Version"]),
        driver,
        memory_bytes: of(&["VRAM Total Memory (B)"]).and_then(|text| text.parse().ok()),
        used_bytes: of(&["VRAM Total Used Memory (B)"]).and_then(|text| text.parse().ok()),
        busy_percent: of(&["GPU use (%)"]).and_then(|text| text.parse().ok()),
        users: None,
        sharing,
        state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // The shapes that amd-smi's documentation and its users' reports show; no AMD GPU was at hand.
    const STATIC: &str = r#"[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X", "asic_serial": "0x12345678", "target_graphics_version": "gfx942"},
        "bus": {"bdf": "0000:0C:00.0"}, "driver": {"version": "6.10.5"}, "vram": {"size": {"value": 196592, "unit": "MB"}},
        "partition": {"compute_partition": "SPX", "memory_partition": "NPS1"}}]"#;
    const METRIC: &str = r#"[{"gpu": 0, "usage": {"gfx_activity": {"value": 7, "unit": "%"}}, "power": {"socket_power": {"value": 140, "unit": "W"}},
        "clock": {"gfx_0": {"clk": {"value": 132, "unit": "MHz"}}}, "temperature": {"hotspot": {"value": 41, "unit": "C"}},
        "mem_usage": {"used_vram": {"value": 283, "unit": "MB"}}}]"#;

    #[test]
    fn both_shapes_of_the_new_tool_are_read() {
        for text in [STATIC.to_owned(), format!("{{\"gpu_data\": {STATIC}}}")] {
            let gpu = &read(
                &text,
                Some(METRIC),
                Some(r#"[{"gpu": 0, "process_list": [{"process_info": "No running processes"}]}]"#),
            )[0];
            assert_eq!((gpu.pci.as_str(), gpu.arch.as_deref()), ("0000:0c:00.0", Some("gfx942")));
            assert_eq!((gpu.memory_bytes, gpu.used_bytes), (Some(196_592 << 20), Some(283 << 20)));
            assert_eq!((gpu.busy_percent, gpu.users.as_deref()), (Some(7), Some(&[][..])));
            assert_eq!(
                (gpu.state["power_w"].as_str(), gpu.sharing["compute_partition"].as_str()),
                ("140", "SPX")
            );
            assert!(gpu.occupied().is_some_and(|why| why.contains("7 %")));
        }
    }

    // As users of rocm-smi report it (ROCm 6).
    #[test]
    fn the_old_tool_is_read_by_its_titles() {
        let text = r#"{"card0": {"Card series": "AMD Instinct MI210", "PCI Bus": "0000:C4:00.0", "Unique ID": "0x1234567890abcdef", "GFX Version": "gfx90a",
            "VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "27481079808", "GPU use (%)": "0",
            "Temperature (Sensor junction) (c)": "50.0", "Average Graphics Package Power (W)": "120.0", "sclk clock speed:": "(1500Mhz)"},
            "system": {"Driver version": "6.7.0"}}"#;
        let gpu = &read_old(text)[0];
        assert_eq!((gpu.name.as_str(), gpu.driver.as_deref()), ("AMD Instinct MI210", Some("6.7.0")));
        assert_eq!(
            (gpu.state["clock_sm_mhz"].as_str(), gpu.state["temperature_c"].as_str()),
            ("1500", "50.0")
        );
        assert!(gpu.occupied().is_some_and(|why| why.starts_with("25 GiB")));
    }

    #[test]
    fn what_is_no_answer_gives_no_gpu() {
        assert!(read("not json", None, None).is_empty());
        assert!(read_old("[]").is_empty());
    }
}
