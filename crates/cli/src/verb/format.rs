//! The `--format` option that every verb shares.

use clap::ValueEnum;
use kforge_report::Format;

/// How the answer is written to stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// A page for a person.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// Markdown tables.
    Md,
    /// Comma-separated values.
    Csv,
}

impl From<FormatArg> for Format {
    fn from(argument: FormatArg) -> Self {
        match argument {
            FormatArg::Text => Self::Text,
            FormatArg::Json => Self::Json,
            FormatArg::Md => Self::Markdown,
            FormatArg::Csv => Self::Csv,
        }
    }
}
