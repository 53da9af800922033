//! `kforge trace`: the arguments, the request made of them, and what the answer means for a script.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use kforge_report::{Format, Rendered, trace as report, workbook};
use kforge_workbench::{Error, ExitClass, is_same_file, save, trace};
use std::path::{Path, PathBuf};

/// Where does the time go? Reads a profiler capture and shows kernels, modules, sources, launches and gaps.
///
/// Example: kforge trace capture.json.gz
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  kforge trace capture.json.gz\n  kforge trace capture.json.gz --format json
  kforge trace capture.json.gz -o report.xlsx"
)]
pub struct Arguments {
    /// The capture: a PyTorch profiler trace, .json or .json.gz, or `-` for what is piped in; found by content, not by name.
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
    /// Write the answer to this file instead of stdout, in the shape its name asks for: .xlsx (every table, by sheets),
    /// .json, .md, .csv or .txt.
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    output: Option<PathBuf>,
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
    match answer(arguments, format) {
        Ok(Some(rendered)) => output::rendered(Ok(rendered), format, ExitClass::Yes),
        Ok(None) => ExitClass::Yes,
        Err(error) => output::failure(&error, format),
    }
}

/// What goes to stdout, or nothing where a file was asked for.
fn answer(arguments: &Arguments, format: Format) -> Result<Option<Rendered>, Error> {
    let terminal = Terminal::default();
    let view = report::View {
        top: (!arguments.all).then_some(arguments.top),
        table: arguments.table.map(Into::into),
    };
    let request = trace::Request { capture: arguments.capture.clone() };
    let bug = |error: &dyn std::error::Error| Error::Bug(error.to_string());
    let Some(path) = &arguments.output else {
        let response = trace::run(&request, &terminal);
        terminal.finish();
        return Ok(Some(report::render(&response?, format, &view).map_err(|error| bug(&error))?));
    };
    let shape = Shape::of(path, &arguments.capture)?;
    let answer = trace::run_detailed(&request, &terminal);
    terminal.finish();
    let (response, details) = answer?;
    let (bytes, notes) = match shape {
        Shape::Workbook => {
            let book = workbook::trace(&response, &details, workbook::Limits::default())
                .map_err(|error| bug(&error))?;
            (book.bytes, book.notes)
        }
        Shape::Text(format) => {
            let rendered = report::render(&response, format, &view).map_err(|error| bug(&error))?;
            (rendered.text.into_bytes(), Vec::new())
        }
    };
    save(path, &bytes)?;
    output::saved(path, bytes.len(), &notes);
    Ok(None)
}

/// What the name of an output file asks for.
enum Shape {
    Workbook,
    Text(Format),
}

impl Shape {
    fn of(path: &Path, capture: &Path) -> Result<Self, Error> {
        if is_same_file(path, capture) {
            return Err(Error::Usage {
                message: format!("{} is the capture itself", path.display()),
                hint: Some("give -o another file".to_owned()),
            });
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("xlsx") => Ok(Self::Workbook),
            Some("json") => Ok(Self::Text(Format::Json)),
            Some("md") => Ok(Self::Text(Format::Markdown)),
            Some("csv") => Ok(Self::Text(Format::Csv)),
            Some("txt") => Ok(Self::Text(Format::Text)),
            _ => Err(Error::Usage {
                message: format!("{} has no ending that names a shape", path.display()),
                hint: Some("end the file's name in .xlsx, .json, .md, .csv or .txt".to_owned()),
            }),
        }
    }
}
