//! Why a file could not be read as an operation.

/// What stands in the way. A file that only leaves something open is no error: what is open is a finding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is not Python.
    #[error("{file}:{line} is not Python")]
    Syntax {
        /// The file.
        file: String,
        /// The first line that is not, from 1.
        line: usize,
    },
    /// Nothing in the file has a shape that is known here.
    #[error("{file} holds neither a test of an operation nor a task: {missing}")]
    NoTask {
        /// The file.
        file: String,
        /// What was looked for.
        missing: String,
    },
    /// There is more than one, and none was named.
    #[error("{file} has {count} tests: {list}")]
    Several {
        /// The file.
        file: String,
        /// How many.
        count: usize,
        /// Their names with their lines.
        list: String,
    },
    /// The one that was named is not there.
    #[error("{file} has no `{name}`")]
    NotThere {
        /// The file.
        file: String,
        /// The name.
        name: String,
        /// What is there.
        known: Vec<String>,
    },
    /// It is there and cannot be turned into an experiment.
    #[error("{file}:{line}: {what}")]
    Shapeless {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is missing.
        what: String,
    },
}

impl Error {
    /// A stable dotted code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "sources.syntax",
            Self::NoTask { .. } => "sources.no-task",
            Self::Several { .. } => "sources.several",
            Self::NotThere { .. } => "sources.not-there",
            Self::Shapeless { .. } => "sources.shapeless",
        }
    }

    /// The cure.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Syntax { .. } => Some("mend that line; the file is read as Python 3".to_owned()),
            Self::NoTask { .. } => Some(
                "give a test that compares a result with a reference (checkAllclose, assert_close), a file with class Model and get_inputs, \
                 or python:MODULE.FUNCTION"
                    .to_owned(),
            ),
            Self::Several { file, .. } => Some(format!("name one: --from {file}::TEST")),
            Self::NotThere { known, .. } if !known.is_empty() => Some(format!("there are {}", known.join(", "))),
            Self::NotThere { .. } => Some("nothing of its kind is in the file; give the one that defines it".to_owned()),
            Self::Shapeless { .. } => {
                Some("start from the skeleton of a class (--class) and move the operation into it".to_owned())
            }
        }
    }
}
