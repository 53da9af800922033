//! `kforge trace`: the arguments, the request made of them, and what the answer means for a script.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use kforge_report::trace as report;
use kforge_workbench::{ExitClass, trace};
use std::path::PathBuf;

/// Where does the time go? Reads a profiler capture and shows kernels, modules, sources, launches and gaps.
///
/// Example: kforge trace capture.json.gz
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  kforge trace capture.json.gz\n  kforge trace capture.json.gz --format json"
)]
pub struct Arguments {
    /// The capture: a PyTorch profiler trace, .json or .json.gz; found by content, not by name.
    capture: PathBuf,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
    /// Rows a table shows; what is left out is stated below it. JSON and CSV are never cut.
    #[arg(long, default_value_t = 12, value_name = "ROWS")]
    top: usize,
    /// Show every row of every table.
    #[arg(long, conflicts_with = "top")]
    all: bool,
    /// Show only this table (for CSV: the table to write; kernels by default).
    #[arg(long, value_enum)]
    table: Option<TableArg>,
}

/// A table of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableArg {
    /// Kernels by name.
    Kernels,
    /// Kernels by family.
    Families,
    /// Copies and fills by name.
    Transfers,
    /// Framework ops by name.
    Ops,
    /// The module tree.
    Modules,
    /// Modules by type.
    ModuleTypes,
    /// Python source lines.
    Sources,
    /// Steps in time order.
    Steps,
}

impl From<TableArg> for report::Section {
    fn from(table: TableArg) -> Self {
        match table {
            TableArg::Kernels => Self::Kernels,
            TableArg::Families => Self::Families,
            TableArg::Transfers => Self::Transfers,
            TableArg::Ops => Self::Ops,
            TableArg::Modules => Self::Modules,
            TableArg::ModuleTypes => Self::ModuleTypes,
            TableArg::Sources => Self::Sources,
            TableArg::Steps => Self::Steps,
        }
    }
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let view = report::View {
        top: (!arguments.all).then_some(arguments.top),
        table: arguments.table.map(Into::into),
    };
    let request = trace::Request { capture: arguments.capture.clone() };
    let answer = trace::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => output::rendered(report::render(&response, format, &view), format, ExitClass::Yes),
        Err(error) => output::failure(&error, format),
    }
}
