//! NVIDIA's `nvidia-smi`, by its query options: comma-separated values without units, in the order asked for.

use super::facts::{GpuFacts, GpuUser, GpuVendor, normal_pci};
use std::collections::BTreeMap;

/// What is asked of every GPU. Fields that a driver does not know answer `[N/A]` or the like.
const FIELDS: [&str; 19] = [
    "index",
    "pci.bus_id",
    "uuid",
    "name",
    "driver_version",
    "compute_cap",
    "memory.total",
    "memory.used",
    "utilization.gpu",
    "compute_mode",
    "mig.mode.current",
    "clocks.sm",
    "clocks.mem",
    "clocks.max.sm",
    "temperature.gpu",
    "power.draw",
    "power.limit",
    "clocks_event_reasons.active",
    "ecc.mode.current",
];

/// The command that asks for [`FIELDS`].
pub(super) fn command() -> Vec<String> {
    let fields = FIELDS.join(",");
    vec!["nvidia-smi".to_owned(), format!("--query-gpu={fields}"), "--format=csv,noheader,nounits".to_owned()]
}

/// The command that asks which processes compute where.
pub(super) fn users_command() -> Vec<String> {
    ["nvidia-smi", "--query-compute-apps=gpu_uuid,pid,used_gpu_memory", "--format=csv,noheader,nounits"]
        .map(str::to_owned)
        .to_vec()
}

fn known(text: &str) -> Option<&str> {
    let text = text.trim();
    let absent = text.is_empty() || text.starts_with('[') || text.eq_ignore_ascii_case("n/a");
    (!absent).then_some(text)
}

/// Reads both answers; lines that are no rows are passed over.
pub(super) fn read(gpus: &str, users: Option<&str>) -> Vec<GpuFacts> {
    gpus.lines().filter_map(|line| row(line, users)).collect()
}

fn row(line: &str, users: Option<&str>) -> Option<GpuFacts> {
    let cells: Vec<&str> = line.split(',').collect();
    if cells.len() != FIELDS.len() {
        return None;
    }
    let cell = |field: &str| FIELDS.iter().position(|known| *known == field).and_then(|at| known(cells[at]));
    let mebibytes =
        |field: &str| cell(field).and_then(|text| text.parse::<u64>().ok()).map(|size| size << 20);
    let named = |names: &[(&str, &str)]| -> BTreeMap<String, String> {
        let pairs =
            names.iter().filter_map(|(name, field)| Some(((*name).to_owned(), cell(field)?.to_owned())));
        pairs.collect()
    };
    let uuid = cell("uuid").map(str::to_owned);
    Some(GpuFacts {
        vendor: GpuVendor::Nvidia,
        index: cell("index")?.parse().ok()?,
        pci: normal_pci(cell("pci.bus_id")?),
        name: cell("name")?.to_owned(),
        arch: cell("compute_cap").map(|text| format!("sm_{}", text.replace('.', ""))),
        driver: cell("driver_version").map(str::to_owned),
        memory_bytes: mebibytes("memory.total"),
        used_bytes: mebibytes("memory.used"),
        busy_percent: cell("utilization.gpu").and_then(|text| text.parse().ok()),
        users: users.map(|text| users_of(text, uuid.as_deref())),
        uuid,
        sharing: named(&[
            ("compute_mode", "compute_mode"),
            ("mig", "mig.mode.current"),
            ("ecc", "ecc.mode.current"),
        ]),
        state: named(&[
            ("clock_sm_mhz", "clocks.sm"),
            ("clock_memory_mhz", "clocks.mem"),
            ("clock_sm_most_mhz", "clocks.max.sm"),
            ("temperature_c", "temperature.gpu"),
            ("power_w", "power.draw"),
            ("power_limit_w", "power.limit"),
            ("clock_event_reasons", "clocks_event_reasons.active"),
        ]),
    })
}

fn users_of(text: &str, uuid: Option<&str>) -> Vec<GpuUser> {
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [gpu, pid, used] = cells[..] else { return None };
        let bytes = known(used).and_then(|used| used.parse::<u64>().ok()).map(|used| used << 20);
        (Some(gpu) == uuid).then_some(GpuUser { pid: pid.parse().ok()?, bytes })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Written by nvidia-smi of driver 580 on one H200, without its units.
    const IDLE: &str = "0, 00000000:00:04.0, GPU-9d3c, NVIDIA H200, 580.159.04, 9.0, 143771, 0, 0, Default, Disabled, 345, 3201, 1980, 31, 77.49, 700.00, 0x0000000000000001, Enabled\n";

    #[test]
    fn a_row_becomes_facts_and_what_is_not_available_is_absent() {
        let gpu = &read(IDLE, Some(""))[0];
        assert_eq!((gpu.index, gpu.pci.as_str(), gpu.arch.as_deref()), (0, "0000:00:04.0", Some("sm_90")));
        assert_eq!((gpu.memory_bytes, gpu.used_bytes), (Some(143_771 << 20), Some(0)));
        assert_eq!(gpu.state["power_w"], "77.49");
        assert_eq!(gpu.occupied(), None);
        let without = IDLE
            .replace("77.49", "[N/A]")
            .replace(" 0, 0, Default", " [Insufficient Permissions], [N/A], Default");
        let gpu = &read(&without, None)[0];
        assert!(!gpu.state.contains_key("power_w"));
        assert_eq!((gpu.used_bytes, gpu.busy_percent, gpu.users.as_deref()), (None, None, None));
    }

    #[test]
    fn other_users_of_the_same_gpu_are_seen() {
        let users = "GPU-9d3c, 4242, 1024\nGPU-ffff, 1, 5\n";
        let gpu = &read(IDLE, Some(users))[0];
        assert_eq!(gpu.users.as_ref().map(Vec::len), Some(1));
        assert_eq!(gpu.occupied().as_deref(), Some("process 4242 uses it"));
    }

    #[test]
    fn what_is_no_row_is_passed_over() {
        assert!(
            read("NVIDIA-SMI has failed because it couldn't communicate with the driver.\n", None).is_empty()
        );
    }
}
