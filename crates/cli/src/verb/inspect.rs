//! `kforge inspect`: its arguments, and which exit code its answer means.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::Args;
use kforge_workbench::{ExitClass, inspect};
use std::path::PathBuf;

/// What does a compiled kernel take, what limits its occupancy, and what changed between two builds?
///
/// Reads code objects of AMD (.hsaco, .co, versions 2 to 6) and NVIDIA (.cubin), offload bundles and fat binaries, plain or compressed, and the
/// programs and libraries that carry them: registers, shared memory, scratch, spills, and how many waves run side by side. Nothing is run. Exit
/// code 1 where a part could not be read.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge inspect kernel.hsaco\n  kforge inspect ~/.triton/cache --format csv\n  kforge inspect old.cubin new.cubin --block 256"
)]
pub struct Arguments {
    /// A code object, a program or library that carries some, or a folder of them.
    file: PathBuf,
    /// Another build of the same: what it takes more or less.
    second: Option<PathBuf>,
    /// Threads of a block. Default: the most that each kernel was compiled for.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    block: Option<u32>,
    /// Dynamic shared memory of a block, in bytes, beside what the kernels declare.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    shared: u32,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = inspect::Request {
        path: arguments.file.clone(),
        against: arguments.second.clone(),
        block: arguments.block,
        shared_bytes: arguments.shared,
    };
    let answer = inspect::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = response.class();
            output::rendered(kforge_report::inspect::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}
