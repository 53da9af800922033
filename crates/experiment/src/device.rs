//! The device under test: what it is, what was going on around the measurement, and what it cannot be faster than.

use crate::runner::Hello;
use crate::spec::CacheMode;
use kforge_record::{Device as DeviceRecord, FloorStatus};
use std::collections::BTreeMap;
use std::fs;

/// What was seen around the measurement at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// Load average over one minute in thousandths.
    pub load_milli: Option<u64>,
    /// Further facts, by name: temperature, clocks, other users.
    pub facts: BTreeMap<String, String>,
}

/// A device that runners compute on.
pub trait Device {
    /// What it is.
    fn describe(&self) -> DeviceRecord;
    /// The release of the operating system's kernel.
    fn kernel(&self) -> String;
    /// The frequency governor, where the system names one.
    fn governor(&self) -> Option<String>;
    /// What is going on right now.
    fn observe(&self) -> Observation;
    /// Whether calls are queued to it, so that launching them and running them are two things.
    fn queues(&self) -> bool;
    /// Why a runner that says this of itself does not compute on this device; absent where it does.
    fn contradicts(&self, hello: &Hello) -> Option<String>;
    /// Bytes of the cache that all its memory traffic passes last, where known.
    fn last_level_cache(&self) -> Option<u64>;
    /// The physical limit of an operation that moves and computes this much per call. Cold, all of it passes the memory: slots together exceed
    /// twice the last-level cache, or the caches are swept before each call.
    fn floor(&self, bytes: Option<u64>, flops: Option<u64>, mode: CacheMode) -> FloorStatus;
}

/// The processor of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn cpuinfo(field: &str) -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Caches of the first core: (level, kind, bytes).
fn caches() -> Vec<(u32, String, u64)> {
    (0..8)
        .filter_map(|index| {
            let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
            let level = read(&format!("{folder}/level"))?.parse().ok()?;
            let size = read(&format!("{folder}/size"))?;
            let (digits, unit) =
                size.split_at(size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len()));
            let scale = match unit {
                "K" => 1 << 10,
                "M" => 1 << 20,
                _ => 1,
            };
            Some((level, read(&format!("{folder}/type"))?, digits.parse::<u64>().ok()? * scale))
        })
        .collect()
}

impl Device for Cpu {
    fn describe(&self) -> DeviceRecord {
        let mut facts = BTreeMap::new();
        for (level, kind, bytes) in caches() {
            facts.insert(format!("cache_l{level}_{}", kind.to_ascii_lowercase()), bytes.to_string());
        }
        let threads = std::thread::available_parallelism()
            .map_or_else(|_| "unknown".to_owned(), |count| count.to_string());
        facts.insert("threads".to_owned(), threads);
        if let Some(source) = read("/sys/devices/system/clocksource/clocksource0/current_clocksource") {
            facts.insert("clock_source".to_owned(), source);
        }
        if let Some(turbo) = read("/sys/devices/system/cpu/intel_pstate/no_turbo") {
            facts.insert("no_turbo".to_owned(), turbo);
        }
        DeviceRecord {
            kind: "cpu".to_owned(),
            name: cpuinfo("model name").unwrap_or_else(|| "unknown processor".to_owned()),
            arch: std::env::consts::ARCH.to_owned(),
            facts,
        }
    }

    fn kernel(&self) -> String {
        read("/proc/sys/kernel/osrelease").unwrap_or_else(|| std::env::consts::OS.to_owned())
    }

    fn governor(&self) -> Option<String> {
        read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    }

    fn observe(&self) -> Observation {
        let load = read("/proc/loadavg")
            .and_then(|text| text.split(' ').next().and_then(|first| first.parse::<f64>().ok()));
        let mut facts = BTreeMap::new();
        if let Some(kilohertz) = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq") {
            facts.insert("cpu0_khz".to_owned(), kilohertz);
        }
        if let Some(millidegrees) = read("/sys/class/thermal/thermal_zone0/temp") {
            facts.insert("zone0_millidegrees".to_owned(), millidegrees);
        }
        Observation { load_milli: load.map(|load| (load * 1000.0) as u64), facts }
    }

    fn queues(&self) -> bool {
        false
    }

    fn contradicts(&self, hello: &Hello) -> Option<String> {
        let here = hello.device.is_empty() || hello.device == "cpu";
        (!here).then(|| format!("computes on {}, the experiment measures the processor", hello.device))
    }

    fn last_level_cache(&self) -> Option<u64> {
        caches()
            .into_iter()
            .filter(|(_, kind, _)| kind != "Instruction")
            .max_by_key(|(level, _, _)| *level)
            .map(|(_, _, bytes)| bytes)
    }

    fn floor(&self, bytes: Option<u64>, flops: Option<u64>, _mode: CacheMode) -> FloorStatus {
        let why = if bytes.is_none() && flops.is_none() {
            "no [work] in experiment.toml".to_owned()
        } else {
            "cpu: no peak rates are on record".to_owned()
        };
        FloorStatus::NotChecked { why }
    }
}
