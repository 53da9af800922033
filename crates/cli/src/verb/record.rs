//! `kforge record`: the arguments, and what the answer means for a script.
//!
//! Recording a failed candidate is a success of this verb: exit 0.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kforge_report::record as report;
use kforge_workbench::{ExitClass, Silent, record};

use super::format::FormatArg;
use crate::output;

/// What did we learn? Gives evidence a version, notes, a patch and a line in the index.
///
/// Failed candidates are recorded like wins, with the reason. Running it twice changes nothing.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kforge record\n  kforge record rmsnorm --tag vec4 --layer instruction --what \"16-byte loads\"\n  kforge record --rebuild"
)]
pub struct Arguments {
    /// An op, or the first digits of an evidence id; every op where none is given.
    target: Option<String>,
    /// Only this candidate.
    #[arg(long, value_name = "NAME")]
    candidate: Option<String>,
    /// A short tag; the candidate's name where none is given.
    #[arg(long)]
    tag: Option<String>,
    /// At which layer the change works.
    #[arg(long, value_enum)]
    layer: Option<LayerArg>,
    /// One paragraph of what changed.
    #[arg(long, value_name = "TEXT")]
    what: Option<String>,
    /// Something that failed on the way; may be repeated.
    #[arg(long, value_name = "WHAT: REASON")]
    failed: Vec<String>,
    /// Something that was left out; may be repeated.
    #[arg(long, value_name = "WHAT: REASON")]
    not_tried: Vec<String>,
    /// Sign the evidence with this SSH key.
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
    /// Derive versions, notes and index again, and resolve what a merge left in them.
    #[arg(long, conflicts_with_all = ["target", "candidate", "tag", "layer", "what", "failed", "not_tried", "sign"])]
    rebuild: bool,
    /// How the answer is written to stdout.
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,
}

/// The layers of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LayerArg {
    /// Algorithm, fusion, dispatch.
    Structural,
    /// Barriers, atomics, launches.
    Sync,
    /// Instruction choice and order.
    Instruction,
    /// Registers, LDS, occupancy, tile sizes.
    Resource,
}

impl From<LayerArg> for record::Layer {
    fn from(layer: LayerArg) -> Self {
        match layer {
            LayerArg::Structural => Self::Structural,
            LayerArg::Sync => Self::Sync,
            LayerArg::Instruction => Self::Instruction,
            LayerArg::Resource => Self::Resource,
        }
    }
}

/// Answers the verb.
pub fn run(arguments: &Arguments) -> ExitClass {
    let format = arguments.format.into();
    let request = record::Request {
        folder: PathBuf::from("."),
        target: arguments.target.clone(),
        candidate: arguments.candidate.clone(),
        tag: arguments.tag.clone(),
        layer: arguments.layer.map(Into::into),
        what: arguments.what.clone(),
        failed: arguments.failed.clone(),
        not_tried: arguments.not_tried.clone(),
        sign: arguments.sign.clone(),
        rebuild: arguments.rebuild,
    };
    match record::run(&request, &Silent) {
        Ok(response) => output::rendered(report::render(&response, format), format, ExitClass::Yes),
        Err(error) => output::failure(&error, format),
    }
}
