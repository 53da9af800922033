//! `kforge init`: the arguments, and what the answer means for a script.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kforge_report::init as report;
use kforge_workbench::{ExitClass, Silent, init};

use super::format::FormatArg;
use crate::output;

/// How do I start with a new operation? Writes a reference, a baseline, a candidate and the experiment that joins them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kforge init softmax --class triton\n  kforge init topk --class cuda")]
pub struct Arguments {
    /// The operation's name; its files go into kernels/OP.
    op: String,
    /// What the kernels are written in.
    #[arg(long, value_enum)]
    class: ClassArg,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// The kernel classes that have a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClassArg {
    /// C++ on the processor.
    Cpu,
    /// CUDA C++.
    Cuda,
    /// HIP C++.
    Hip,
    /// Triton, with PyTorch as the baseline.
    Triton,
}

impl From<ClassArg> for init::Class {
    fn from(class: ClassArg) -> Self {
        match class {
            ClassArg::Cpu => Self::Cpu,
            ClassArg::Cuda => Self::Cuda,
            ClassArg::Hip => Self::Hip,
            ClassArg::Triton => Self::Triton,
        }
    }
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let request =
        init::Request { folder: PathBuf::from("."), op: arguments.op.clone(), class: arguments.class.into() };
    match init::run(&request, &Silent) {
        Ok(response) => output::rendered(report::render(&response, format), format, ExitClass::Yes),
        Err(error) => output::failure(&error, format),
    }
}
