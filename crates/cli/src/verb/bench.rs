//! `kforge bench`: its arguments, and which exit code its answer means.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use kforge_report::bench as report;
use kforge_workbench::ExitClass;
use kforge_workbench::validate::{CacheMode, bench};
use std::path::PathBuf;
use std::time::Duration;

/// Is one side right, and how long does a call take, warm and cold? Checks it like a candidate and times it without a rival.
///
/// The same harness, plans and checks as validate, in fresh processes: median, spread within and between processes, bytes and operations a
/// second by the experiment's [work], and the share of the device's limit where that is known. It shows no speedup and leaves no evidence.
/// Exit code 1 where the side is wrong or its times are doubtful.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge bench rmsnorm\n  kforge bench rmsnorm --side fast --cache cold --format json"
)]
pub struct Arguments {
    /// An operation with kernels/OP/experiment.toml, or the path of an experiment.toml or its folder.
    target: String,
    /// The baseline or a candidate. Default: the baseline.
    #[arg(long, value_name = "NAME")]
    side: Option<String>,
    /// In which state of the caches.
    #[arg(long, value_enum, default_value_t)]
    cache: Caches,
    /// In how many fresh processes.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    launches: u32,
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
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// States of the caches.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Caches {
    /// Warm, and cold where the last-level cache is known.
    #[default]
    Both,
    /// Operands stay in the caches that hold them.
    Warm,
    /// Every call meets its operands in memory.
    Cold,
    /// Every call is timed by itself behind a write of 256 MiB, as triton.testing.do_bench does.
    Swept,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = bench::Request {
        target: arguments.target.clone(),
        folder: PathBuf::from("."),
        side: arguments.side.clone(),
        cache: match arguments.cache {
            Caches::Both => None,
            Caches::Warm => Some(CacheMode::Warm),
            Caches::Cold => Some(CacheMode::Cold),
            Caches::Swept => Some(CacheMode::Swept),
        },
        launches: arguments.launches,
        place: arguments.place.clone(),
        maps: arguments.map.clone(),
        device: arguments.device.clone(),
        patience: Duration::from_secs(arguments.wait),
    };
    let answer = bench::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = response.class();
            output::rendered(report::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}
