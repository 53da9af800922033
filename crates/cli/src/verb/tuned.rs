//! `kforge tuned`: its arguments, and which exit code its answer means.

use super::format::FormatArg;
use crate::output;
use crate::progress::Terminal;
use clap::Args;
use kforge_workbench::{ExitClass, tuned};
use std::path::PathBuf;

/// What do tuned tables hold? The row that the library takes for a shape, and what is wrong with a table.
///
/// Reads aiter's tuned and untuned CSV files, the JSON files of SGLang and vLLM (mixture of experts, block-scaled FP8), and the
/// configurations of aiter's Triton kernels. A look-up follows the library's own loader and cites it. Exit code 1 where --audit finds errors,
/// 3 where a file is no tuned table.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge tuned aiter/configs/a8w8_tuned_gemm.csv --shape M=100,N=1280,K=8192 --gpu gfx942:304\n  kforge tuned configs/*.csv --audit --gpu MI300X\n  kforge tuned tuned.csv --untuned untuned.csv --format csv"
)]
pub struct Arguments {
    /// The tables.
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Look a shape up: columns and values, such as M=16,N=512,K=7168.
    #[arg(long, value_name = "NAME=VALUE,…")]
    shape: Option<String>,
    /// The GPU that runs the kernels: gfx942, gfx942:304, or a model such as MI300X.
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
    /// A list of shapes that should have rows; shapes without one and rows without a shape are named.
    #[arg(long, value_name = "FILE")]
    untuned: Option<PathBuf>,
    /// Judge every row: doubled, dominated, wrong, foreign, impossible.
    #[arg(long)]
    audit: bool,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let terminal = Terminal::default();
    let request = tuned::Request {
        files: arguments.files.clone(),
        shape: arguments.shape.clone(),
        gpu: arguments.gpu.clone(),
        untuned: arguments.untuned.clone(),
        audit: arguments.audit,
    };
    let answer = tuned::run(&request, &terminal);
    terminal.finish();
    match answer {
        Ok(response) => {
            let class = response.class();
            output::rendered(kforge_report::tuned::render(&response, format), format, class)
        }
        Err(error) => output::failure(&error, format),
    }
}
