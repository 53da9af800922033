//! Why a file is not readable as a capture.

/// The errors of the readers.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or read.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is something else than a capture.
    #[error("{file}: not a profiler capture: {looks_like}")]
    NotACapture {
        /// The file.
        file: String,
        /// What its content looks like.
        looks_like: String,
        /// What to do about it.
        cure: String,
    },
    /// The observer asked to stop.
    #[error("interrupted while reading {file}")]
    Interrupted {
        /// The file.
        file: String,
    },
}

impl Error {
    /// A stable dotted code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "capture.io",
            Self::NotACapture { .. } => "capture.not-a-capture",
            Self::Interrupted { .. } => "interrupted",
        }
    }

    /// The cure, where one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotACapture { cure, .. } => Some(cure.clone()),
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Some("check the path; kforge reads files where they are and fetches nothing".to_owned())
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::IsADirectory => {
                Some("name the capture file inside the folder".to_owned())
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                Some("let the user who runs kforge read the file (ls -l shows who may)".to_owned())
            }
            Self::Io { .. } | Self::Interrupted { .. } => None,
        }
    }

    /// True where the reader stopped because it was asked to.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted { .. })
    }
}
