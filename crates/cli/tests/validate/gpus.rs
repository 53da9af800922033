//! GPUs without a GPU: a made-up `nvidia-smi` names one, and runners say that they compute on it. What is tested is everything but the device.

use crate::KFORGE;
use kforge_testkit::{ScaleProject as Project, is_timed, scale_operation, verdict};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The row of an idle H200, as nvidia-smi of driver 580 writes it.
const IDLE: &str = "0, 00000000:00:06.0, GPU-9503f90b, NVIDIA H200, 580.159.04, 9.0, 143771, 0, 0, Default, Disabled, 375, 3201, 1980, 35, 103.14, 700.00, 0x0000000000000001, Enabled";
const POLICY: &str = "\n[policy]\ndrawn_cases = 1\nlooks = [6]\nmin_blocks = 4\nblocks = 4\nsample_us = 200\nreason = \"a test\"\n";

/// A runner that says it computes on the GPU of this address; `time` is the body of its timing, after the batch was timed as `taken`.
fn runner(pci: &str, time: &str) -> String {
    format!(
        "import kforge_runner

class Gpu(kforge_runner.Host):
    device, clock = 'cuda', 'cuda events'

    def facts(self):
        return {{'pci': '{pci}', 'name': 'NVIDIA H200'}}

    def time(self, calls, passes, function, launch, flush, behind):
        if launch != 'stream':
            raise ValueError('no other way of launching')
        taken, _, _ = super().time(calls, passes, function, 'stream', 0)
        {time}

def scale(call):
    x, y = call.input('x'), call.output('y')
    for i in range(len(y)):
        y[i] = 2.0 * x[i]

kforge_runner.main(scale, Gpu())
"
    )
}

/// A project on the made-up GPU, with a folder of tools and one of leases.
struct OnGpu {
    project: Project,
    place: tempfile::TempDir,
}

impl OnGpu {
    fn new(row: &str) -> Self {
        let project =
            Project::with(KFORGE, &format!("device = \"gpu\"\n{}{POLICY}", scale_operation(600, 700)));
        let place = tempfile::tempdir().unwrap();
        let tool = place.path().join("nvidia-smi");
        fs::write(&tool, format!("#!/bin/sh\ncase $1 in --query-gpu*) echo '{row}' ;; esac\n")).unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        let baseline = runner("0000:00:06.0", "return taken, 9000, 0");
        fs::write(project.path("kernels/scale/baseline.py"), baseline).unwrap();
        Self { project, place }
    }

    fn leases(&self) -> PathBuf {
        self.place.path().join("leases")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        let tools = format!("{}:{}", self.place.path().display(), std::env::var("PATH").unwrap());
        command.env("PATH", tools).env("KFORGE_LEASE_DIR", self.leases());
        for name in ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"] {
            command.env_remove(name);
        }
        command
    }

    fn refused(&self, arguments: &[&str]) -> (String, Option<i32>) {
        let output: Output = self.command(arguments).output().unwrap();
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    }
}

#[test]
fn a_gpu_is_leased_shown_alone_to_its_runners_and_waited_for() {
    let mut gpu = OnGpu::new(IDLE);
    gpu.project
        .side("again", &runner("00000000:00:06.0", "return taken, 9000, 0"), "")
        .side("elsewhere", &runner("0000:00:06.0", "return taken // 10, taken - taken // 10, 0"), "")
        .side("other", &runner("0000:00:07.0", "return taken, 9000, 0"), "");
    gpu.project.finish();
    let output = gpu.command(&["--format", "json"]).output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let answer = &document["data"];
    assert_eq!(answer["device"], "NVIDIA H200", "{document:#}");
    let (word, reason) = verdict(&document, "again");
    assert!(is_timed(&word, &reason), "{word} {reason}");
    let (word, reason) = verdict(&document, "elsewhere");
    assert!(word == "void" && reason.starts_with("unfinished:"), "{word} {reason}");
    let (word, reason) = verdict(&document, "other");
    assert!(word == "incorrect" && reason.contains("computes on the GPU 0000:00:07.0"), "{word} {reason}");
    // Nothing is leased any more, and what the lease said is gone with it.
    let lease = gpu.leases().join("gpu-0000:00:06.0.lease");
    assert!(fs::File::open(&lease).unwrap().try_lock().is_ok());
    assert_eq!(fs::read(&lease).unwrap(), b"");
}

#[test]
fn a_gpu_that_is_taken_busy_or_not_there_is_the_environment() {
    let gpu = OnGpu::new(IDLE);
    gpu.project.finish();
    fs::create_dir_all(gpu.leases()).unwrap();
    let lease = fs::File::create(gpu.leases().join("gpu-0000:00:06.0.lease")).unwrap();
    lease.lock().unwrap();
    let (said, code) = gpu.refused(&["--wait", "0"]);
    assert!(
        code == Some(4) && said.contains("GPU 0000:00:06.0 is not free: another measurement has it"),
        "{said}"
    );
    drop(lease);
    let (said, code) = gpu.refused(&["--device", "0000:99:00.0"]);
    assert!(
        code == Some(4) && said.contains("there is no GPU `0000:99:00.0`") && said.contains("NVIDIA H200"),
        "{said}"
    );
    let busy = OnGpu::new(&IDLE.replace(" 0, 0, Default", " 0, 97, Default"));
    busy.project.finish();
    let (said, code) = busy.refused(&["--wait", "0"]);
    assert!(code == Some(4) && said.contains("it was busy 97 % of the last moment"), "{said}");
    let output = gpu.project.command(&["--wait", "0"]).env("PATH", "/usr/bin:/bin").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(4) && said.contains("no GPU was found"), "{said}");
}

#[test]
fn a_runner_on_the_processor_does_not_pass_for_one_on_the_gpu() {
    let mut gpu = OnGpu::new(IDLE);
    gpu.project.candidate("on_cpu", "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]");
    gpu.project.finish();
    let output = gpu.command(&["--format", "json"]).output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let (word, reason) = verdict(&document, "on_cpu");
    assert!(word == "incorrect" && reason.contains("computes on cpu"), "{word} {reason}");
}
