//! What changed between two builds, kernel by kernel.

use super::answer::{KernelAnswer, OccupancyAnswer, Response};
use kforge_codeobject::{Kernel, Resources};
use serde::Serialize;
use std::collections::BTreeMap;

/// A second build beside the first.
#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    /// The second build's own answer.
    pub second: Response,
    /// Kernels of both builds whose figures differ.
    pub changes: Vec<Change>,
    /// Kernels of both builds that take the same.
    pub same: u64,
    /// Kernels of the first build alone.
    pub only_first: Vec<String>,
    /// Kernels of the second build alone.
    pub only_second: Vec<String>,
}

/// One figure of one kernel that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The kernel.
    pub name: String,
    /// The processor.
    pub arch: String,
    /// Which figure: `vgpr`, `registers`, `lds_bytes`, `waves`.
    pub what: &'static str,
    /// In the first build; absent where it is not known there.
    pub first: Option<u32>,
    /// In the second.
    pub second: Option<u32>,
}

/// The figures of a kernel that are compared, by name.
pub(crate) fn figures(kernel: &KernelAnswer) -> Vec<(&'static str, Option<u32>)> {
    let mut figures = match &kernel.kernel.resources {
        Resources::Amd(amd) => vec![
            ("vgpr", amd.vgpr),
            ("agpr", amd.agpr),
            ("sgpr", amd.sgpr),
            ("lds_bytes", amd.lds_bytes),
            ("scratch_bytes", amd.scratch_bytes),
            ("spills", amd.spills),
            ("wave_size", amd.wave_size),
        ],
        Resources::Nvidia(nvidia) => vec![
            ("registers", nvidia.registers),
            ("shared_bytes", nvidia.shared_bytes),
            ("stack_bytes", nvidia.stack_bytes),
            ("barriers", nvidia.barriers),
        ],
    };
    let waves = match &kernel.occupancy {
        OccupancyAnswer::Known(occupancy) => Some(occupancy.waves),
        OccupancyAnswer::Missing { .. } => None,
    };
    figures.push(("waves", waves));
    figures
}

type Key = (String, String, usize);

/// Kernels by name and processor; those of one name are told apart by their order.
fn keyed(kernels: &[KernelAnswer]) -> BTreeMap<Key, &KernelAnswer> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut keyed = BTreeMap::new();
    for answer in kernels {
        let Kernel { name, arch, .. } = &answer.kernel;
        let number = seen.entry((name, arch)).or_default();
        keyed.insert((name.clone(), arch.clone(), *number), answer);
        *number += 1;
    }
    keyed
}

/// Compares two builds.
pub(super) fn compare(first: &[KernelAnswer], second: Response) -> Changes {
    let (mine, theirs) = (keyed(first), keyed(&second.kernels));
    let shown = |(name, arch, number): &Key| match number {
        0 => format!("{name} ({arch})"),
        number => format!("{name} ({arch}, {})", number + 1),
    };
    let only = |a: &BTreeMap<Key, _>, b: &BTreeMap<Key, _>| -> Vec<String> {
        a.keys().filter(|key| !b.contains_key(*key)).map(shown).collect()
    };
    let (only_first, only_second) = (only(&mine, &theirs), only(&theirs, &mine));
    let (mut changes, mut same) = (Vec::new(), 0);
    for (key, before) in &mine {
        let Some(after) = theirs.get(key) else { continue };
        let found = differing(before, after);
        same += u64::from(found.is_empty());
        changes.extend(found);
    }
    Changes { second, changes, same, only_first, only_second }
}

/// The figures of two kernels that differ.
pub(crate) fn differing(before: &KernelAnswer, after: &KernelAnswer) -> Vec<Change> {
    let (old, new) = (figures(before), figures(after));
    let value = |figures: &[(&str, Option<u32>)], what: &str| {
        figures.iter().find(|(name, _)| *name == what).and_then(|(_, value)| *value)
    };
    let mut names: Vec<&'static str> = old.iter().chain(&new).map(|(what, _)| *what).collect();
    names.dedup();
    let mut seen = Vec::new();
    for what in names {
        let (first, second) = (value(&old, what), value(&new, what));
        let known = seen.iter().any(|change: &Change| change.what == what);
        if first != second && !known {
            let Kernel { name, arch, .. } = &after.kernel;
            seen.push(Change { name: name.clone(), arch: arch.clone(), what, first, second });
        }
    }
    seen
}
