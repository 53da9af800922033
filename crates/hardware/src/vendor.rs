//! Who made a device, however a driver spells it.

use serde::{Deserialize, Serialize};

use crate::name::words;

/// A maker of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vendor {
    /// Advanced Micro Devices.
    Amd,
    /// NVIDIA.
    Nvidia,
}

impl Vendor {
    /// Reads `NVIDIA Corporation`, `Advanced Micro Devices, Inc. [AMD/ATI]`, `0x10de`, `1002` and the like.
    pub fn parse(text: &str) -> Option<Self> {
        let words = words(text);
        let has = |word: &str| words.iter().any(|one| one == word);
        let amd = has("amd")
            || has("ati")
            || has("1002")
            || has("0x1002")
            || words.starts_with(&own(["advanced", "micro", "devices"]));
        let nvidia = has("nvidia") || has("10de") || has("0x10de");
        match (amd, nvidia) {
            (true, false) => Some(Self::Amd),
            (false, true) => Some(Self::Nvidia),
            _ => None,
        }
    }

    /// The word of the data files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Amd => "amd",
            Self::Nvidia => "nvidia",
        }
    }
}

fn own<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Vendor;

    #[test]
    fn spellings_of_a_vendor_meet_and_two_vendors_at_once_are_none() {
        for text in ["AMD", "Advanced Micro Devices, Inc. [AMD/ATI]", "Advanced Micro Devices Inc.", "0x1002"]
        {
            assert_eq!(Vendor::parse(text), Some(Vendor::Amd), "{text}");
        }
        for text in ["NVIDIA Corporation", "nvidia", "10DE"] {
            assert_eq!(Vendor::parse(text), Some(Vendor::Nvidia), "{text}");
        }
        for text in ["", "Intel", "AMD and NVIDIA", "amdahl"] {
            assert_eq!(Vendor::parse(text), None, "{text}");
        }
    }
}
