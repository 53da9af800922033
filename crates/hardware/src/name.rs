//! Names of devices as words, never as substrings: `MI300X` is not part of `MI300XHF`, and `H200` not of `GH200`.
//!
//! Invariant: a name fits a device only if every word of it is one that the device may have.

use crate::arch;

/// Words that say nothing about the model.
const SILENT: [&str; 19] = [
    "nvidia",
    "amd",
    "ati",
    "advanced",
    "micro",
    "devices",
    "inc",
    "corporation",
    "tesla",
    "instinct",
    "radeon",
    "graphics",
    "gpu",
    "device",
    "accelerator",
    "tensor",
    "core",
    "sramecc",
    "xnack",
];

/// The lower-case words of a text, cut at everything that is not a letter or digit.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The words of a name that say which model it is; none where only the vendor, the kind or the architecture is named.
pub(crate) fn telling(name: &str) -> Vec<String> {
    let silent = |word: &str| SILENT.contains(&word) || is_target(word);
    words(name).into_iter().filter(|word| !silent(word)).collect()
}

/// The architecture that a name mentions, as in `AMD Instinct MI210 (gfx90a:sramecc+:xnack-)`.
pub(crate) fn target(name: &str) -> Option<String> {
    words(name).into_iter().find(|word| is_target(word))
}

fn is_target(word: &str) -> bool {
    word.starts_with("gfx") && arch::normal(word).is_some()
}

/// What the name of a device must and may say.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// Sets of words, one of which must be there whole.
    pub(crate) require: Vec<Vec<String>>,
    /// Further words that may be there.
    pub(crate) allow: Vec<String>,
}

impl Names {
    /// Whether a name of these telling words can be this device.
    pub(crate) fn fit(&self, words: &[String]) -> bool {
        self.require.iter().any(|set| {
            set.iter().all(|word| words.contains(word))
                && words.iter().all(|word| set.contains(word) || self.allow.contains(word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, telling};

    fn names() -> Names {
        Names { require: vec![vec!["h100".into()]], allow: vec!["80gb".into(), "hbm3".into()] }
    }

    #[test]
    fn every_word_must_be_expected() {
        assert!(names().fit(&telling("NVIDIA H100 80GB HBM3")));
        assert!(names().fit(&telling("h100")));
        for other in ["NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA H100 NVL", "NVIDIA GH100", "80GB HBM3", ""]
        {
            assert!(!names().fit(&telling(other)), "{other}");
        }
    }

    #[test]
    fn names_without_a_model_tell_nothing() {
        for silent in ["AMD Radeon Graphics", "NVIDIA Graphics Device", "  "] {
            assert_eq!(telling(silent), [""; 0], "{silent}");
        }
    }
}
