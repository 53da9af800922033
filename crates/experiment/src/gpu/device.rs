//! A GPU as the device under test: its record, its state around a measurement, its caches, and what nothing on it can be faster than.

use super::facts::{GpuFacts, GpuVendor, normal_pci};
use super::survey::survey;
use crate::device::{Cpu, Device, Observation};
use crate::process::Place;
use crate::runner::Hello;
use crate::spec::CacheMode;
use kforge_hardware::{Devices, Dtype, Found, Pipe, Query, Vendor};
use kforge_record::{Device as DeviceRecord, FloorStatus, Real};
use std::collections::BTreeMap;

/// What the data files know of a GPU, taken out of them once.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    id: String,
    last_level_cache: Option<u64>,
    memory_bytes_per_s: Option<u64>,
    operations_per_s: Option<u64>,
}

/// One GPU of a place.
#[derive(Debug)]
pub struct Gpu<'a> {
    place: &'a Place,
    facts: GpuFacts,
    known: Result<Known, String>,
}

impl<'a> Gpu<'a> {
    /// The GPU of these facts; `devices` is the table of known models.
    pub fn new(place: &'a Place, facts: GpuFacts, devices: &Devices) -> Self {
        let known = known(&facts, devices);
        Self { place, facts, known }
    }

    /// What the vendor's tool said of it when it was chosen.
    pub fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    /// The model in the table of known devices.
    ///
    /// # Errors
    /// Why it is not there, in one line.
    pub fn model(&self) -> Result<&str, &str> {
        self.known.as_ref().map(|known| known.id.as_str()).map_err(String::as_str)
    }
}

fn known(facts: &GpuFacts, devices: &Devices) -> Result<Known, String> {
    let query = Query {
        vendor: Some(match facts.vendor {
            GpuVendor::Nvidia => Vendor::Nvidia,
            GpuVendor::Amd => Vendor::Amd,
        }),
        name: Some(&facts.name),
        arch: facts.arch.as_deref(),
        memory_bytes: facts.memory_bytes,
        ..Query::default()
    };
    match devices.find(query) {
        Found::One(device) => {
            let share = match (facts.sharing.get("compute_partition"), facts.sharing.get("memory_partition"))
            {
                (Some(compute), Some(memory)) => device.share(compute, memory),
                _ => None,
            };
            let share = share.unwrap_or_else(|| kforge_hardware::Share::whole(device));
            // Limits are the most lenient figures: a doubt of ours must refuse nobody.
            let pairs = Pipe::ALL.into_iter().flat_map(|pipe| Dtype::ALL.map(|dtype| (pipe, dtype)));
            let dense = pairs.filter(|(pipe, _)| *pipe != Pipe::Sparse);
            Ok(Known {
                id: device.id().to_owned(),
                last_level_cache: share.last_level_cache().ok().map(|cell| cell.highest()),
                memory_bytes_per_s: share.memory_bandwidth().ok().map(|cell| cell.highest()),
                operations_per_s: dense.filter_map(|(pipe, dtype)| share.peak_limit(pipe, dtype).ok()).max(),
            })
        }
        Found::Ambiguous(several) => {
            let names: Vec<&str> = several.iter().map(|device| device.id()).collect();
            Err(format!("`{}` may be {}", facts.name, names.join(" or ")))
        }
        Found::Unknown(why) => Err(why.to_string()),
    }
}

impl Device for Gpu<'_> {
    fn describe(&self) -> DeviceRecord {
        let facts = &self.facts;
        let mut record: BTreeMap<String, String> = facts.sharing.clone();
        record.insert("pci".to_owned(), facts.pci.clone());
        for (name, value) in [("uuid", &facts.uuid), ("driver", &facts.driver)] {
            if let Some(value) = value {
                record.insert(name.to_owned(), value.clone());
            }
        }
        if let Some(bytes) = facts.memory_bytes {
            record.insert("memory_bytes".to_owned(), bytes.to_string());
        }
        if let Ok(known) = &self.known {
            record.insert("model".to_owned(), known.id.clone());
        }
        DeviceRecord {
            kind: match facts.vendor {
                GpuVendor::Nvidia => "nvidia".to_owned(),
                GpuVendor::Amd => "amd".to_owned(),
            },
            name: facts.name.clone(),
            arch: facts.arch.clone().unwrap_or_else(|| "unknown".to_owned()),
            facts: record,
        }
    }

    fn kernel(&self) -> String {
        Cpu.kernel()
    }

    fn governor(&self) -> Option<String> {
        Cpu.governor()
    }

    fn observe(&self) -> Observation {
        let mut observation = Cpu.observe();
        let Some(now) = survey(self.place).gpus.into_iter().find(|gpu| gpu.pci == self.facts.pci) else {
            return observation;
        };
        observation.facts.extend(now.state);
        for (name, value) in [
            ("gpu_used_bytes", now.used_bytes.map(|bytes| bytes.to_string())),
            ("gpu_busy_percent", now.busy_percent.map(|share| share.to_string())),
            ("gpu_users", now.users.map(|users| users.len().to_string())),
        ] {
            if let Some(value) = value {
                observation.facts.insert(name.to_owned(), value);
            }
        }
        observation
    }

    fn queues(&self) -> bool {
        true
    }

    fn contradicts(&self, hello: &Hello) -> Option<String> {
        let word = self.facts.vendor.runner_word();
        if hello.device != word {
            let said = if hello.device.is_empty() { "nothing that it names" } else { &hello.device };
            return Some(format!("computes on {said}, the experiment measures the GPU {}", self.facts.pci));
        }
        let other = hello.device_facts.pci.as_deref().map(normal_pci).filter(|pci| *pci != self.facts.pci)?;
        Some(format!("computes on the GPU {other}, the one under test is {}", self.facts.pci))
    }

    fn last_level_cache(&self) -> Option<u64> {
        self.known.as_ref().ok().and_then(|known| known.last_level_cache)
    }

    fn floor(&self, bytes: Option<u64>, flops: Option<u64>, mode: CacheMode) -> FloorStatus {
        let not_checked = |why: &str| FloorStatus::NotChecked { why: why.to_owned() };
        if bytes.is_none() && flops.is_none() {
            return not_checked("no [work] in experiment.toml");
        }
        let known = match &self.known {
            Ok(known) => known,
            Err(why) => return not_checked(&format!("unknown device: {why}")),
        };
        let (Some(bandwidth), Some(rate)) = (known.memory_bytes_per_s, known.operations_per_s) else {
            return not_checked("the device's peaks are not on record");
        };
        // Warm data may come from the caches, and how fast those are is not on record.
        if bytes.is_some() && mode == CacheMode::Warm {
            return not_checked("warm: the peak of the caches is not on record");
        }
        FloorStatus::Checked {
            bytes: bytes.unwrap_or(0),
            flops: flops.unwrap_or(0),
            peak_bytes_per_s: Real::new(bandwidth as f64),
            peak_flops: Real::new(rate as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str) -> GpuFacts {
        GpuFacts {
            vendor: GpuVendor::Nvidia,
            index: 0,
            pci: "0000:00:04.0".to_owned(),
            uuid: None,
            name: name.to_owned(),
            arch: Some("sm_90".to_owned()),
            driver: None,
            memory_bytes: Some(143_771 << 20),
            used_bytes: None,
            busy_percent: None,
            users: None,
            sharing: BTreeMap::new(),
            state: BTreeMap::new(),
        }
    }

    #[test]
    fn a_known_gpu_has_its_cache_and_a_floor_when_it_is_cold() {
        let (place, devices) = (Place::default(), Devices::builtin().unwrap());
        let gpu = Gpu::new(&place, facts("NVIDIA H200"), &devices);
        // An H200's driver reports 60 MiB, a document 90 MB: cold must be cold for the larger. 4.8 TB/s by NVIDIA's data sheet, to which
        // doubts may only add.
        assert!(gpu.last_level_cache().is_some_and(|cache| ((60 << 20)..=(96 << 20)).contains(&cache)));
        let floor = |mode| gpu.floor(Some(1 << 30), None, mode);
        match floor(CacheMode::Cold) {
            FloorStatus::Checked { peak_bytes_per_s, .. } => {
                assert!((4.8e12..5e12).contains(&peak_bytes_per_s.get()));
            }
            FloorStatus::NotChecked { why } => panic!("{why}"),
        }
        assert!(matches!(floor(CacheMode::Warm), FloorStatus::NotChecked { .. }));
    }

    #[test]
    fn an_unknown_gpu_has_neither() {
        let (place, devices) = (Place::default(), Devices::builtin().unwrap());
        let gpu = Gpu::new(&place, facts("NVIDIA X9000"), &devices);
        assert!(gpu.model().is_err());
        assert_eq!(gpu.last_level_cache(), None);
        match gpu.floor(Some(1), Some(1), CacheMode::Cold) {
            FloorStatus::NotChecked { why } => assert!(why.starts_with("unknown device"), "{why}"),
            FloorStatus::Checked { .. } => panic!("an unknown device has no limit"),
        }
    }
}
