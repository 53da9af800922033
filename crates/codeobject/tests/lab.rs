//! Kernels whose figures other tools have printed: Triton 3.6 for AMD and NVIDIA, ptxas and cuobjdump of CUDA 13.0.

#![expect(clippy::unwrap_used, reason = "tests")]

use kforge_codeobject::{AmdResources, Found, Kernel, NvidiaResources, Resources, read};
use std::path::Path;

fn found(path: &Path) -> Found {
    read(&std::fs::read(path).unwrap()).unwrap()
}

fn one(path: &Path) -> Kernel {
    let found = found(path);
    assert_eq!(found.members.len(), 1, "{found:#?}");
    found.kernels().next().unwrap().clone()
}

#[test]
fn print_all() {
    let Some(lab) = kforge_testkit::lab("print") else { return };
    let mut files = kforge_testkit::captures::files_of(&lab.join("codeobjects"));
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending != "json")) {
        for kernel in found(file).kernels() {
            println!("{} {kernel:?}", file.display());
        }
    }
}
