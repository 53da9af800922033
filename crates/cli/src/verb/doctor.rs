//! `kforge doctor`: its arguments, and which exit code its answer means.

use super::format::FormatArg;
use super::init::ClassArg;
use crate::output;
use crate::progress::Terminal;
use clap::Args;
use kforge_workbench::{ExitClass, doctor};
use std::path::PathBuf;
use std::time::Duration;

/// Is this machine fit to measure? Says which tools and GPUs are there, what is busy, and what to do about it.
///
/// With --bringup the skeleton of a kernel class is carried from its build to verified evidence, in a folder of its own: warm, cold and short
/// calls, a verdict, a wrong candidate that must be caught. What happened is written to kforge-bringup-CLASS.md, for whoever has no such machine.
/// Exit code 1 where something does not fit or does not work.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge doctor\n  kforge doctor --root ~/aiter\n  kforge doctor --bringup hip\n  kforge doctor --in 'docker exec -i rocm' --map /here:/there --bringup triton"
)]
pub struct Arguments {
    /// Look through this library's tree too: locks that nobody holds, tuned tables that its loader refuses.
    #[arg(long, value_name = "DIR", conflicts_with = "place")]
    root: Option<PathBuf>,
    /// Run this class from its skeleton to verified evidence, and write a report.
    #[arg(long, value_enum, value_name = "CLASS")]
    bringup: Option<ClassArg>,
    /// Look behind this command prefix.
    #[arg(long = "in", value_name = "PREFIX")]
    place: Option<String>,
    /// A folder here and its name behind the prefix; may be given several times.
    #[arg(long, value_name = "HOST:INSIDE", requires = "place")]
    map: Vec<String>,
    /// Which GPU: a PCI address, a unique id, or the number that nvidia-smi or amd-smi gives it. Default: the first free one.
    #[arg(long, value_name = "GPU", requires = "bringup")]
    device: Option<String>,
    /// How long to wait for a free GPU, in seconds; at most a minute a step.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = doctor::Request {
        folder: PathBuf::from("."),
        root: arguments.root.clone(),
        bringup: arguments.bringup.map(Into::into),
        place: arguments.place.clone(),
        maps: arguments.map.clone(),
        device: arguments.device.clone(),
        patience: Duration::from_secs(arguments.wait),
    };
    let answer = doctor::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = response.class();
            output::rendered(kforge_report::doctor::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}
