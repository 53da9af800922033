//! What the kernels of a candidate take beside those of the baseline: registers, shared memory, spills, waves. It is no part of the verdict.
//!
//! Kernels are those in the files that a side was built into and in the caches of its compilers; what a library brings along (cuBLAS, the kernels
//! of PyTorch) is not among them. Invariant: nothing is said of a side whose kernels are not known.

use crate::Note;
use crate::inspect::{Change, KernelAnswer, Launch, differing, kernels_of};
use kforge_codeobject::{Resources as Takes, read};
use kforge_experiment::Shop;
use serde::Serialize;
use std::fs;

/// Larger files are programs and libraries whose kernels are not a candidate's alone.
const LARGEST: u64 = 64 << 20;
/// So many kernels of a side are listed.
const MOST: usize = 64;

/// The kernels of both sides.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Resources {
    /// Of the baseline; empty where none of its kernels is in a file of its own.
    pub baseline: Vec<KernelAnswer>,
    /// Of the candidate.
    pub candidate: Vec<KernelAnswer>,
    /// Figures of kernels of one name that differ.
    pub changes: Vec<Change>,
}

impl Resources {
    /// Reads the files of both sides.
    pub(super) fn of(shop: &Shop<'_>, candidate: &str) -> Self {
        let (baseline, candidate) = (kernels(shop, "baseline"), kernels(shop, candidate));
        let mut changes = Vec::new();
        for kernel in &candidate {
            let twin = |other: &&KernelAnswer| {
                other.kernel.name == kernel.kernel.name && other.kernel.arch == kernel.kernel.arch
            };
            let (mine, theirs) =
                (candidate.iter().filter(twin).count(), baseline.iter().filter(twin).count());
            // Variants of one name, as an autotuner makes them, are not paired by chance.
            if (mine, theirs) == (1, 1)
                && let Some(before) = baseline.iter().find(twin)
            {
                changes.extend(differing(before, kernel));
            }
        }
        Self { baseline, candidate, changes }
    }

    /// Absent where no kernel of either side is known.
    pub(super) fn known(self) -> Option<Self> {
        (!self.baseline.is_empty() || !self.candidate.is_empty()).then_some(self)
    }

    /// What is worse than in the baseline, in words.
    pub(super) fn notes(&self, candidate: &str) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut note = |message: String| {
            notes.push(Note::new("validate.takes-more", format!("{candidate}: {message}")));
        };
        for change in &self.changes {
            if let Some(message) = worse(change) {
                note(message);
            }
        }
        let spilled = |kernels: &[KernelAnswer]| kernels.iter().find(|kernel| spills(kernel)).map(name);
        let paired =
            |name: &str| self.changes.iter().any(|change| change.name == name && change.what == "spills");
        if let (Some(kernel), None) = (spilled(&self.candidate), spilled(&self.baseline))
            && !paired(&kernel)
        {
            note(format!(
                "its kernel {kernel} spills registers, and none of the baseline's that are known does"
            ));
        }
        notes
    }
}

fn name(kernel: &KernelAnswer) -> String {
    kernel.kernel.name.clone()
}

fn spills(kernel: &KernelAnswer) -> bool {
    matches!(&kernel.kernel.resources, Takes::Amd(amd) if amd.spills.is_some_and(|count| count > 0))
}

/// A figure that grew, or waves that became fewer.
fn worse(change: &Change) -> Option<String> {
    let (first, second) = (change.first?, change.second?);
    let kernel = &change.name;
    match change.what {
        "waves" if second < first => {
            Some(format!("{second} waves of its kernel {kernel} run side by side, of the baseline's {first}"))
        }
        "spills" | "scratch_bytes" | "stack_bytes" if second > first => {
            Some(format!("{} of its kernel {kernel} is {second}, of the baseline's {first}", change.what))
        }
        _ => None,
    }
}

fn kernels(shop: &Shop<'_>, side: &str) -> Vec<KernelAnswer> {
    let mut found = Vec::new();
    for path in shop.built_files(side) {
        let small = fs::metadata(&path).is_ok_and(|meta| meta.len() <= LARGEST);
        let Some(bytes) = small.then(|| fs::read(&path).ok()).flatten() else { continue };
        let Ok(code) = read(&bytes) else { continue };
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
        found.extend(kernels_of(code, file.as_ref(), Launch::default()));
        if found.len() >= MOST {
            found.truncate(MOST);
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(what: &'static str, first: u32, second: u32) -> Change {
        let (name, arch) = ("k".to_owned(), "gfx942".to_owned());
        Change { name, arch, what, first: Some(first), second: Some(second) }
    }

    #[test]
    fn fewer_waves_and_more_spills_are_told_and_more_registers_alone_are_not() {
        let changes = vec![
            change("vgpr", 64, 96),
            change("waves", 8, 5),
            change("spills", 0, 12),
            change("waves", 2, 4),
        ];
        let resources = Resources { changes, ..Resources::default() };
        let told: Vec<String> = resources.notes("fast").into_iter().map(|note| note.message).collect();
        assert_eq!(
            told,
            [
                "fast: 5 waves of its kernel k run side by side, of the baseline's 8",
                "fast: spills of its kernel k is 12, of the baseline's 0"
            ]
        );
    }
}
