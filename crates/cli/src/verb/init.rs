//! `kforge init`: the arguments, and what the answer means for a script.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kforge_report::init as report;
use kforge_workbench::{ExitClass, Silent, init};

use super::format::FormatArg;
use crate::output;

/// How do I start with a new operation? Writes a reference, a baseline, a candidate and the experiment that joins them.
///
/// From a skeleton (--class), or out of a file (--from): a test of an operation as in aiter's op_tests, a task as KernelBench has them, or a
/// function. The file is read, never run; what it does not say is marked TODO(kforge), and validate refuses the marks.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge init softmax --class triton\n  kforge init topk --class cuda\n  kforge init rmsnorm --from op_tests/test_rmsnorm2d.py::test_rmsnorm2d_fuseAdd\n  kforge init gelu --from python:mypackage.activations.gelu"
)]
pub struct Arguments {
    /// The operation's name; its files go into kernels/OP.
    op: String,
    /// What the kernels are written in.
    #[arg(long, value_enum, required_unless_present = "from")]
    class: Option<ClassArg>,
    /// Read the operation out of FILE, FILE::TEST or python:MODULE.FUNCTION.
    #[arg(long, value_name = "FILE", conflicts_with = "class")]
    from: Option<String>,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// The kernel classes that have a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ClassArg {
    /// AMDGPU assembly beside HIP C++.
    Asm,
    /// Instances of composable_kernel.
    Ck,
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
            ClassArg::Asm => Self::Asm,
            ClassArg::Ck => Self::Ck,
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
    let start = match (&arguments.from, arguments.class) {
        (Some(from), _) => init::Start::File(from.clone()),
        (None, class) => init::Start::Skeleton(class.unwrap_or(ClassArg::Cpu).into()),
    };
    let request = init::Request { folder: PathBuf::from("."), op: arguments.op.clone(), start };
    match init::run(&request, &Silent) {
        Ok(response) => output::rendered(report::render(&response, format), format, ExitClass::Yes),
        Err(error) => output::failure(&error, format),
    }
}
