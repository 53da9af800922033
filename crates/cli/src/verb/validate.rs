//! `kforge validate`: its arguments, and which exit code its answer means.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::Args;
use kforge_report::validate as report;
use kforge_workbench::ExitClass;
use kforge_workbench::validate::{self, pairs, reuse};
use std::path::PathBuf;
use std::time::Duration;

/// The heading of the options for two commands.
const PAIRS: &str = "Two benchmark commands";
/// How long a run of a benchmark command may take where nothing is said.
const DEADLINE: u64 = 600;

/// Is the candidate right, and is it faster? Builds, checks and times candidates beside the baseline, and keeps the evidence.
///
/// Reads experiment.toml: every side is built in a folder of its own, compared with the reference on the declared cases and on cases drawn
/// afterwards, and timed in fresh processes. Exit code 0 only where every candidate is faster. With --a and --b two benchmark commands are
/// compared by the numbers that they print: self-timed, and never recorded.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge validate rmsnorm\n  kforge validate kernels/rmsnorm --candidate fast --claim 1.4x\n  kforge validate rmsnorm --base HEAD\n  kforge validate rmsnorm --reuse 9a5d10f2ab34\n  kforge validate --a './bench old' --b './bench new' --metric 'time: ([0-9.]+ us)'\n  kforge validate rmsnorm --in 'docker exec -i rocm' --map /here:/there --format json"
)]
pub struct Arguments {
    /// An operation with kernels/OP/experiment.toml, or the path of an experiment.toml or its folder.
    #[arg(required_unless_present_any = ["a", "b"])]
    target: Option<String>,
    /// Only this candidate; may be given several times.
    #[arg(long, value_name = "NAME")]
    candidate: Vec<String>,
    /// Compare the working tree with this revision: one side as the commit has it against the same side as it is now.
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Measure nothing: judge this evidence again by the thresholds that hold now; may be given several times.
    #[arg(
        long, value_name = "ID",
        conflicts_with_all = ["candidate", "base", "place", "device", "wait", "claim", "confirm", "a"],
    )]
    reuse: Vec<String>,
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
    /// A benchmark command that stands for what is in use; with --b, two commands are compared by what they print.
    #[arg(
        long, value_name = "CMD", requires = "b", requires = "metric", help_heading = PAIRS,
        conflicts_with_all = ["target", "candidate", "base", "device", "wait", "claim", "confirm"],
    )]
    a: Option<String>,
    /// A benchmark command that stands for what shall replace it.
    #[arg(long, value_name = "CMD", requires = "a", help_heading = PAIRS)]
    b: Option<String>,
    /// Where the number is in the standard output: the first group of this regular expression, with ns, us, ms, s or no unit.
    #[arg(long, value_name = "REGEX", requires = "a", help_heading = PAIRS)]
    metric: Option<String>,
    /// A command that must end with 0 before anything is timed, once with KFORGE_SIDE=a and once with KFORGE_SIDE=b.
    #[arg(long, value_name = "CMD", requires = "a", help_heading = PAIRS)]
    check: Option<String>,
    /// At most so many blocks of A, A again and B. Default: what the judge's last look needs, 24.
    #[arg(long, value_name = "N", requires = "a", help_heading = PAIRS)]
    runs: Option<u32>,
    /// The metric is a rate: more is better.
    #[arg(long, requires = "a", help_heading = PAIRS)]
    higher_is_better: bool,
    /// How long one run of a command may take, in seconds. Default: 600.
    #[arg(long, value_name = "SECONDS", requires = "a", value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = PAIRS)]
    deadline: Option<u64>,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    match (&arguments.a, &arguments.b, &arguments.metric) {
        (Some(a), Some(b), Some(metric)) => commands(arguments, a, b, metric),
        _ if !arguments.reuse.is_empty() => again(arguments),
        _ => experiment(arguments),
    }
}

fn again(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let request = reuse::Request {
        target: arguments.target.clone().unwrap_or_default(),
        folder: PathBuf::from("."),
        evidence: arguments.reuse.clone(),
    };
    match reuse::run(&request) {
        Ok(response) => {
            let class = response.class();
            output::rendered(kforge_report::reuse::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}

fn commands(arguments: &Arguments, a: &str, b: &str, metric: &str) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = pairs::Request {
        folder: PathBuf::from("."),
        a: a.to_owned(),
        b: b.to_owned(),
        metric: metric.to_owned(),
        check: arguments.check.clone(),
        runs: arguments.runs,
        higher_is_better: arguments.higher_is_better,
        deadline: Duration::from_secs(arguments.deadline.unwrap_or(DEADLINE)),
        place: arguments.place.clone(),
        maps: arguments.map.clone(),
    };
    let answer = pairs::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = response.class();
            output::rendered(kforge_report::pairs::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}

fn experiment(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = validate::Request {
        target: arguments.target.clone().unwrap_or_default(),
        folder: PathBuf::from("."),
        candidates: arguments.candidate.clone(),
        place: arguments.place.clone(),
        maps: arguments.map.clone(),
        device: arguments.device.clone(),
        patience: Duration::from_secs(arguments.wait),
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
