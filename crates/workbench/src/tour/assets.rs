//! What the tour unpacks: a real capture and the CPU example, from the binary itself.

use crate::Error;
use std::path::Path;

/// Every file of the tour with its path in the new folder.
const FILES: [(&str, &[u8]); 11] = [
    ("captures/norm_step.json.gz", include_bytes!("../../../../fixtures/captures/norm_step.json.gz")),
    (".gitignore", include_bytes!("../../../../examples/rmsnorm-cpu/.gitignore")),
    ("kforge.toml", include_bytes!("../../../../examples/rmsnorm-cpu/kforge.toml")),
    (
        "kernels/rmsnorm/experiment.toml",
        include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/experiment.toml"),
    ),
    (
        "kernels/rmsnorm/reference.cpp",
        include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/reference.cpp"),
    ),
    (
        "kernels/rmsnorm/baseline.cpp",
        include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/baseline.cpp"),
    ),
    (
        "kernels/rmsnorm/again.cpp",
        include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/again.cpp"),
    ),
    ("kernels/rmsnorm/tail.cpp", include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/tail.cpp")),
    (
        "kernels/rmsnorm/cached.cpp",
        include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/cached.cpp"),
    ),
    ("kernels/rmsnorm/slow.cpp", include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/slow.cpp")),
    (super::plan::WINNER, include_bytes!("../../../../examples/rmsnorm-cpu/kernels/rmsnorm/fast.cpp")),
];

/// Writes the files into `folder`, which is new.
pub(super) fn unpack(folder: &Path) -> Result<(), Error> {
    for (path, bytes) in FILES {
        let path = folder.join(path);
        let failed = |source| Error::Io { path: path.clone(), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        std::fs::write(&path, bytes).map_err(failed)?;
    }
    Ok(())
}
