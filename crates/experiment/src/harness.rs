//! The harness texts inside the binary, and their way into a run.
//!
//! Invariant: what a runner loads is what this binary holds. Each text is stamped with its own hash when it is written out, the runner
//! reports the stamp, and a copy from a repository, which has no stamp or another, is refused.

use crate::error::Error;
use kforge_record::Digest;
use std::path::{Path, PathBuf};

/// The texts of one language: the first is the one that carries the stamp, and the stamp covers all of them.
type Texts = &'static [(&'static str, &'static str)];

const CPP: Texts = &[
    ("kforge_runner.hpp", include_str!("../../../runners/kforge_runner.hpp")),
    ("kforge_runner_backend.hpp", include_str!("../../../runners/kforge_runner_backend.hpp")),
    ("kforge_runner_fill.hpp", include_str!("../../../runners/kforge_runner_fill.hpp")),
    ("kforge_runner_gpu.hpp", include_str!("../../../runners/kforge_runner_gpu.hpp")),
    ("kforge_runner_json.hpp", include_str!("../../../runners/kforge_runner_json.hpp")),
];
const PYTHON: Texts = &[
    ("kforge_runner.py", include_str!("../../../runners/kforge_runner.py")),
    ("kforge_runner_torch.py", include_str!("../../../runners/kforge_runner_torch.py")),
];
/// The word in the texts that the stamp replaces.
const UNSTAMPED: &str = "\"unstamped\"";

/// The harness files of one run.
#[derive(Clone, Debug)]
pub struct Harness {
    /// The folder that holds them; first on every search path.
    pub folder: PathBuf,
    /// The stamps of the texts, one a language.
    pub stamps: Vec<String>,
}

impl Harness {
    /// Writes the texts into a folder.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(folder: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
        let mut stamps = Vec::new();
        for texts in [CPP, PYTHON] {
            let stamp = stamp(texts);
            for (name, text) in texts {
                let path = folder.join(name);
                let stamped = text.replacen(UNSTAMPED, &format!("\"{stamp}\""), 1);
                std::fs::write(&path, stamped).map_err(|error| Error::io(path, error))?;
            }
            stamps.push(stamp);
        }
        Ok(Self { folder: folder.to_owned(), stamps })
    }

    /// One digest for all texts.
    pub fn digest() -> Digest {
        Digest::of_bytes(format!("{} {}", stamp(CPP), stamp(PYTHON)).as_bytes())
    }
}

/// The hash of a language's texts, each under its name.
fn stamp(texts: Texts) -> String {
    let all: Vec<String> = texts.iter().map(|(name, text)| format!("{name}\0{text}")).collect();
    Digest::of_bytes(all.join("\0").as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_is_stamped_once_with_the_hash_of_its_texts() {
        let folder = tempfile::tempdir().unwrap();
        let harness = Harness::write(folder.path()).unwrap();
        for (texts, stamp) in [(CPP, &harness.stamps[0]), (PYTHON, &harness.stamps[1])] {
            let marks: usize = texts.iter().map(|(_, text)| text.matches(UNSTAMPED).count()).sum();
            assert_eq!(marks, 1);
            let written = std::fs::read_to_string(folder.path().join(texts[0].0)).unwrap();
            assert!(written.contains(stamp.as_str()) && !written.contains(UNSTAMPED));
        }
        assert_ne!(harness.stamps[0], harness.stamps[1]);
    }
}
