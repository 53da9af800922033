//! What a vendor's tool says of one GPU.

use std::collections::BTreeMap;

/// Whose GPU it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuVendor {
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
}

impl GpuVendor {
    /// The word that runners use for devices of this vendor.
    pub const fn runner_word(self) -> &'static str {
        match self {
            Self::Nvidia => "cuda",
            Self::Amd => "hip",
        }
    }
}

/// A process that holds memory of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuUser {
    /// Its number as the tool sees it; inside a container that may be another one than here.
    pub pid: u32,
    /// What it holds.
    pub bytes: Option<u64>,
}

/// One GPU at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuFacts {
    /// Whose it is.
    pub vendor: GpuVendor,
    /// The tool's own number. Frameworks number by other orders; only the PCI address names a device for good.
    pub index: u32,
    /// The PCI address as `dddd:bb:dd.f`, lower case.
    pub pci: String,
    /// The vendor's unique id, where the tool gives one.
    pub uuid: Option<String>,
    /// The product's name.
    pub name: String,
    /// The architecture, where the tool gives it.
    pub arch: Option<String>,
    /// The driver's version.
    pub driver: Option<String>,
    /// All memory.
    pub memory_bytes: Option<u64>,
    /// Memory in use, by anybody.
    pub used_bytes: Option<u64>,
    /// Share of the last moment in which a kernel ran, in percent.
    pub busy_percent: Option<u32>,
    /// Processes that hold memory; absent where the tool cannot see them.
    pub users: Option<Vec<GpuUser>>,
    /// How it is shared: compute mode, MIG, partitions.
    pub sharing: BTreeMap<String, String>,
    /// Clocks, temperature, power, by name with unit.
    pub state: BTreeMap<String, String>,
}

/// More memory in use than this is somebody's: a driver alone takes less.
const OWN_USE: u64 = 5 << 30;
/// More activity than this is somebody's.
const OWN_BUSY: u32 = 5;

impl GpuFacts {
    /// Why the GPU is not free: a clause; absent where nothing speaks against using it. Processes may be invisible from inside a
    /// container, so memory and activity decide too.
    pub fn occupied(&self) -> Option<String> {
        if let Some(mode) =
            self.sharing.get("compute_mode").filter(|mode| !mode.eq_ignore_ascii_case("default"))
        {
            return Some(format!(
                "its compute mode {mode} does not let the three processes of a launch share it"
            ));
        }
        if let Some(user) = self.users.as_ref().and_then(|users| users.first()) {
            return Some(format!("process {} uses it", user.pid));
        }
        if let Some(used) = self.used_bytes.filter(|used| *used > OWN_USE) {
            return Some(format!("{} GiB of its memory are in use", used >> 30));
        }
        let busy = self.busy_percent.filter(|busy| *busy > OWN_BUSY)?;
        Some(format!("it was busy {busy} % of the last moment"))
    }
}

/// A PCI address in one spelling: four digits of domain, lower case. Tools write eight digits, capitals, or no domain.
pub(super) fn normal_pci(text: &str) -> String {
    let text = text.trim().to_ascii_lowercase();
    match text.split(':').collect::<Vec<_>>()[..] {
        [domain, bus, rest] => {
            let domain = domain.trim_start_matches('0');
            format!("{domain:0>4}:{bus}:{rest}")
        }
        [bus, rest] => format!("0000:{bus}:{rest}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_is_one() {
        for text in ["00000000:1B:00.0", "0000:1b:00.0", "1B:00.0"] {
            assert_eq!(normal_pci(text), "0000:1b:00.0");
        }
        assert_eq!(normal_pci("00010000:c1:00.0"), "10000:c1:00.0");
    }
}
