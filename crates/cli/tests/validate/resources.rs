//! What a candidate's kernels take, beside its verdict and in `kforge inspect`.

use crate::KFORGE;
use kforge_testkit::ScaleProject as Project;
use serde_json::Value;
use std::process::Command;

#[test]
fn kernels_in_the_caches_of_a_side_are_told_beside_its_verdict() {
    let Some(lab) = kforge_testkit::lab("resources") else { return };
    let object = lab.join("codeobjects/matmul_128x128x64w4.gfx942.hsaco");
    let mut project = Project::new(KFORGE);
    // As a compiler does that keeps what it has made.
    project.candidate(
        "compiles",
        &format!(
            "    import os, shutil\n    kept = os.path.join(os.environ['TRITON_CACHE_DIR'], 'k.hsaco')\n    os.path.exists(kept) or shutil.copy('{}', kept)\n    for i in range(len(y)):\n        y[i] = 2.0 * x[i]",
            object.display()
        ),
    );
    project.finish();
    let (answer, _) = project.json(&[]);
    let kernels = &answer["data"]["candidates"][0]["resources"]["candidate"];
    // Triton's matmul for gfx942: 296 registers, 64 of them accumulators, as llvm-readelf prints its metadata; 512 / 296 leaves one wave.
    assert_eq!(
        (&kernels[0]["name"], &kernels[0]["vgpr"], &kernels[0]["agpr"]),
        (&"matmul_kernel".into(), &296.into(), &64.into()),
        "{answer:#}"
    );
    assert_eq!(kernels[0]["occupancy"]["waves"], 1);
    assert_eq!(answer["data"]["candidates"][0]["resources"]["baseline"], Value::Array(Vec::new()));
}

/// The answer of `kforge inspect` and its exit code.
fn inspect(arguments: &[&str]) -> (Value, i32) {
    let done =
        Command::new(KFORGE).arg("inspect").args(arguments).args(["--format", "json"]).output().unwrap();
    (serde_json::from_slice(&done.stdout).unwrap(), done.status.code().unwrap())
}

#[test]
fn inspect_answers_for_a_file_a_folder_and_two_builds() {
    let Some(lab) = kforge_testkit::lab("inspect") else { return };
    let path = |name: &str| lab.join("codeobjects").join(name).display().to_string();
    let (one, status) = inspect(&[&path("rmsnorm4096.gfx942.hsaco")]);
    assert_eq!((status, &one["schema"]), (0, &"kforge.inspect/1".into()), "{one:#}");
    let kernel = &one["data"]["kernels"][0];
    for (figure, value) in
        [("vgpr", 32), ("sgpr", 22), ("lds_bytes", 0), ("scratch_bytes", 0), ("spills", 0), ("wave_size", 64)]
    {
        assert_eq!(kernel[figure], value, "{figure}");
    }
    assert_eq!((&kernel["occupancy"]["waves"], &kernel["occupancy"]["most"]), (&8.into(), &8.into()));
    let (all, _) = inspect(&[&lab.join("codeobjects").display().to_string()]);
    assert_eq!(
        (all["data"]["kernels"].as_array().unwrap().len(), &all["data"]["other_files"]),
        (20, &9.into())
    );
    // The same program for two processors has no kernel in common; with itself it changes nothing.
    let (pair, _) = inspect(&[&path("softmax16k.gfx942.hsaco"), &path("softmax16k.gfx950.hsaco")]);
    assert_eq!(pair["data"]["against"]["only_first"][0], "softmax_kernel (gfx942)");
    let (same, _) = inspect(&[&path("zoo.sm_90.cubin"), &path("zoo.sm_90.cubin"), "--block", "256"]);
    assert_eq!(
        (&same["data"]["against"]["same"], &same["data"]["against"]["changes"]),
        (&11.into(), &Value::Array(Vec::new()))
    );
    let (missing, status) = inspect(&["/no/such/file"]);
    assert_eq!((status, &missing["error"]["code"]), (3, &"io".into()));
    let (foreign, status) = inspect(&[&lab.join("README.md").display().to_string()]);
    assert_eq!((status, &foreign["error"]["code"]), (3, &"codeobject.foreign".into()));
}
