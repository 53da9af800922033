//! `kforge validate`: its arguments, and which exit code its answer means.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::Args;
use kforge_report::validate as report;
use kforge_workbench::{ExitClass, validate};
use std::path::PathBuf;

/// Is the candidate right, and is it faster? Builds, checks and times candidates beside the baseline, and keeps the evidence.
///
/// Reads experiment.toml: every side is built in a folder of its own, compared with the reference on the declared cases and on cases drawn
/// afterwards, and timed in fresh processes. Exit code 0 only where every candidate is faster.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge validate rmsnorm\n  kforge validate kernels/rmsnorm --candidate fast --claim 1.4x\n  kforge validate rmsnorm --base HEAD\n  kforge validate rmsnorm --in 'docker exec -i rocm' --map /here:/there --format json"
)]
pub struct Arguments {
    /// An operation with kernels/OP/experiment.toml, or the path of an experiment.toml or its folder.
    target: String,
    /// Only this candidate; may be given several times.
    #[arg(long, value_name = "NAME")]
    candidate: Vec<String>,
    /// Compare the working tree with this revision: one side as the commit has it against the same side as it is now.
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Run builds and runners through this command prefix, or in the [env.NAME] of kforge.toml.
    #[arg(long = "in", value_name = "PREFIX")]
    place: Option<String>,
    /// A folder here and its name behind the prefix; may be given several times.
    #[arg(long, value_name = "HOST:INSIDE", requires = "place")]
    map: Vec<String>,
    /// Which GPU: a PCI address, a unique id, or the number that nvidia-smi or amd-smi gives it. Default: the first free one.
    #[arg(long, value_name = "GPU")]
    device: Option<String>,
    /// How long to wait for a free GPU, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    wait: u64,
    /// What is expected, said before measuring: `1.4x` or `1.4x on CASE`.
    #[arg(long, value_name = "TEXT")]
    claim: Option<String>,
    /// This run confirms an earlier result of the same pair.
    #[arg(long)]
    confirm: bool,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = validate::Request {
        target: arguments.target.clone(),
        folder: PathBuf::from("."),
        candidates: arguments.candidate.clone(),
        place: arguments.place.clone(),
        maps: arguments.map.clone(),
        device: arguments.device.clone(),
        patience: std::time::Duration::from_secs(arguments.wait),
        claim: arguments.claim.clone(),
        confirm: arguments.confirm,
        base: arguments.base.clone(),
    };
    let answer = validate::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = response.class();
            output::rendered(report::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}
