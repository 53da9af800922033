//! What can be wrong with device files. What a driver reports never causes an error: an unknown device is an answer.

/// A device file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not the TOML that this room reads.
    #[error("device file {file}: {detail}")]
    Syntax {
        /// The file's name.
        file: String,
        /// The parser's account, with line and column.
        detail: String,
    },
    /// A source without a usable month.
    #[error("sources: {source_id} has the date \"{date}\", which is not yyyy-mm")]
    Date {
        /// The source's key.
        source_id: String,
        /// The date as written.
        date: String,
    },
    /// A figure that names a source nobody describes.
    #[error("device file {file}: {place} is from \"{source_id}\", which is no source")]
    UnknownSource {
        /// The file's name.
        file: String,
        /// The cell.
        place: String,
        /// The name as written.
        source_id: String,
    },
    /// A cell that is not one figure or one reason.
    #[error("device file {file}: {place} {what}")]
    Cell {
        /// The file's name.
        file: String,
        /// The cell.
        place: String,
        /// What is wrong with it.
        what: String,
    },
    /// A peak that its own clock, units and rate contradict.
    #[error(
        "device file {file}: {place} states {stated} operations a second, but clock, units and rate give {computed}"
    )]
    Disagrees {
        /// The file's name.
        file: String,
        /// The pipe and data type.
        place: String,
        /// Operations a second as stated.
        stated: u64,
        /// Operations a second as computed.
        computed: u64,
    },
    /// A peak that nothing reproduces and nobody explains.
    #[error("device file {file}: {place} cannot be checked: there is no {missing}")]
    Unchecked {
        /// The file's name.
        file: String,
        /// The pipe and data type.
        place: String,
        /// What the check lacks.
        missing: &'static str,
    },
    /// An explanation of a difference that is not there.
    #[error("device file {file}: {place} explains a deviation, but it is reproduced within 2 %")]
    NeedlessDeviation {
        /// The file's name.
        file: String,
        /// The pipe and data type.
        place: String,
    },
    /// A partition mode that does not divide the device.
    #[error("device file {file}: mode {mode} {what}")]
    Mode {
        /// The file's name.
        file: String,
        /// The mode's name.
        mode: String,
        /// What is wrong with it.
        what: &'static str,
    },
}

impl Error {
    /// The cure, where there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Syntax { .. } => {
                "compare with data/hardware/mi300x.toml; the keys are described in docs/hardware.md".to_owned()
            }
            Self::Date { .. } => "write the month of the document, or of the reading with `undated = true`".to_owned(),
            Self::UnknownSource { .. } => "describe the source in data/hardware/sources.toml".to_owned(),
            Self::Cell { .. } => {
                "give one positive `value` with `from` and `confidence`, or `why` it is unknown, or `none` and the reason"
                    .to_owned()
            }
            Self::Disagrees { .. } => {
                "correct the figure, the rate or the pipe's clock, or say in `deviates` why they differ".to_owned()
            }
            Self::Unchecked { .. } => "give `per_clock` with `rate_from`, or say in `deviates` why not".to_owned(),
            Self::NeedlessDeviation { .. } => "remove `deviates`".to_owned(),
            Self::Mode { .. } => "compare with the modes of data/hardware/mi300x.toml".to_owned(),
        })
    }

    /// The stable code of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "hardware.syntax",
            Self::Date { .. } => "hardware.date",
            Self::UnknownSource { .. } => "hardware.unknown-source",
            Self::Cell { .. } => "hardware.cell",
            Self::Disagrees { .. } => "hardware.disagrees",
            Self::Unchecked { .. } => "hardware.unchecked",
            Self::NeedlessDeviation { .. } => "hardware.needless-deviation",
            Self::Mode { .. } => "hardware.mode",
        }
    }
}
