//! Why a file is no tuned table: each refusal names the file and the line, and has a cure.

/// What stands in the way. What is wrong inside a table is a [`Finding`](crate::Finding) instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file holds bytes that are no text.
    #[error("{file}:{line}: byte {byte} is not UTF-8")]
    Encoding {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The byte, from 0.
        byte: usize,
    },
    /// No line of the file is a header that is known here.
    #[error("{file}:{line}: no header of a tuned table; the first line is \"{seen}\"")]
    Header {
        /// The file.
        file: String,
        /// The line of the first text, from 1.
        line: usize,
        /// The line's beginning.
        seen: String,
    },
    /// There is nothing in the file.
    #[error("{file}:1: the file is empty")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file is not JSON.
    #[error("{file}:{line}: byte {byte} is not JSON: {what}")]
    Json {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The byte, from 0.
        byte: usize,
        /// What was expected.
        what: &'static str,
    },
    /// The JSON has another shape than a table of configurations.
    #[error("{file}:{line}: no table of configurations: {what}")]
    Shape {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What differs.
        what: String,
    },
}

impl Error {
    /// A stable dotted code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Encoding { .. } => "tuning.encoding",
            Self::Header { .. } => "tuning.header",
            Self::Empty { .. } => "tuning.empty",
            Self::Json { .. } => "tuning.json",
            Self::Shape { .. } => "tuning.shape",
        }
    }

    /// The cure.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Encoding { .. } => "save the file as UTF-8".to_owned(),
            Self::Header { .. } => {
                "a tuned table names its shape (M,N,K or token,model_dim,inter_dim,expert,topk) and its choice (us, kernelId, kernelName, block_m) in one line"
                    .to_owned()
            }
            Self::Empty { .. } => "write at least the header".to_owned(),
            Self::Json { .. } => "mend the file there; the library's loader refuses it too".to_owned(),
            Self::Shape { .. } => {
                "a table maps M (\"16\"), or M_LEQ_16, M_GEQ_16 and any, to an object of configuration values".to_owned()
            }
        })
    }
}
