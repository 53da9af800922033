//! Why a durable value cannot be read or written.

/// What makes a durable value unusable.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A digest is not 64 lowercase hexadecimal digits.
    #[error("`{text}` is not a BLAKE3 digest of 64 lowercase hexadecimal digits")]
    Digest {
        /// The text that was met.
        text: String,
    },
    /// A git blob id has neither 40 nor 64 lowercase hexadecimal digits.
    #[error("`{text}` is not a git blob id of 40 or 64 lowercase hexadecimal digits")]
    Blob {
        /// The text that was met.
        text: String,
    },
    /// A real number is not in its shortest decimal form.
    #[error("`{text}` is not a real number in its shortest decimal form")]
    Real {
        /// The text that was met.
        text: String,
    },
    /// The bytes are not JSON of the expected schema.
    #[error("{what} is not readable: {reason}")]
    Malformed {
        /// Which durable value: `evidence`, `samples`, `lesson` or `journal entry`.
        what: &'static str,
        /// The parser's words, with line and column.
        reason: String,
    },
    /// A path of a subject is absolute, climbs out of its tree, or is not in normal form.
    #[error("subject path `{path}` is not a normal path relative to the repository's root")]
    Path {
        /// The path that was met.
        path: String,
    },
    /// A value could not be turned into JSON.
    #[error("{what} cannot be written as JSON: {reason}")]
    Unwritable {
        /// Which durable value.
        what: &'static str,
        /// The serialiser's words.
        reason: String,
    },
    /// A claim is not of the form `1.4x`, optionally followed by `on CASE`.
    #[error("claim `{text}` has no factor of the form `1.4x`")]
    Claim {
        /// The text that was met.
        text: String,
    },
    /// A policy name is not one of the policy's thresholds, or its value cannot be read.
    #[error("policy value {name} = {value} is refused: {why}")]
    Policy {
        /// The threshold's name.
        name: String,
        /// The text of the value.
        value: String,
        /// What is wrong with it.
        why: String,
    },
    /// Evidence is larger than an evidence file may be, even with its samples apart.
    #[error("evidence of {bytes} bytes exceeds the limit of {limit} bytes")]
    TooLarge {
        /// The size reached.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The samples cannot be judged.
    #[error("the samples cannot be judged")]
    Judge(#[from] kforge_stats::Error),
}

impl Error {
    /// The stable dotted code of this error.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Digest { .. } => "record.digest",
            Self::Blob { .. } => "record.blob",
            Self::Real { .. } => "record.real",
            Self::Malformed { .. } => "record.malformed",
            Self::Path { .. } => "record.path",
            Self::Unwritable { .. } => "record.unwritable",
            Self::Claim { .. } => "record.claim",
            Self::Policy { .. } => "record.policy",
            Self::TooLarge { .. } => "record.too-large",
            Self::Judge(_) => "record.judge",
        }
    }

    /// What to do about it, where something can be done.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Malformed { what: "lesson", .. } => Some(
                "keep one side where a merge left marks, or bring the file back from version control; then `kforge record --rebuild`"
                    .to_owned(),
            ),
            Self::Malformed { what: "journal entry", .. } => Some(
                "use the kforge that wrote it, a later one perhaps; a line that is skipped could hide a loss".to_owned(),
            ),
            Self::Malformed { .. } => Some(
                "evidence files are never edited; restore the file from version control or measure again"
                    .to_owned(),
            ),
            Self::Path { .. } => {
                Some("declare sources relative to the repository's root, without `..`".to_owned())
            }
            Self::Claim { .. } => Some("write the claim as `1.4x` or `1.4x on CASE`".to_owned()),
            Self::Policy { .. } => Some(
                "names, ranges and defaults are in docs/evidence.md; a looser value needs `reason = \"…\"`"
                    .to_owned(),
            ),
            Self::TooLarge { .. } => Some("declare fewer cases or outputs in one experiment".to_owned()),
            Self::Digest { .. } | Self::Blob { .. } | Self::Real { .. } => Some(
                "kforge writes it in one form only; restore the file from version control or measure again"
                    .to_owned(),
            ),
            Self::Unwritable { .. } => Some("this is a bug in kforge; please report it".to_owned()),
            Self::Judge(error) => error.hint(),
        }
    }
}
