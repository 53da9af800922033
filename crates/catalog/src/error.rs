//! What can be wrong with rule files. Names never cause an error: an unknown name is an answer.

/// A rule file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not the TOML this catalog reads.
    #[error("rule file {file}: {detail}")]
    Syntax {
        /// The rule file's name.
        file: String,
        /// The parser's account, with line and column.
        detail: String,
    },
    /// A rule that no name could ever select.
    #[error("rule file {file}: rule \"{rule}\" has no phrase to look for")]
    EmptyRule {
        /// The rule file's name.
        file: String,
        /// The rule's id.
        rule: String,
    },
    /// Two rules of one file share an id.
    #[error("rule file {file}: rule \"{rule}\" is defined twice")]
    DuplicateRule {
        /// The rule file's name.
        file: String,
        /// The rule's id.
        rule: String,
    },
    /// A phrase that the word splitter would never produce.
    #[error("rule file {file}: rule \"{rule}\": phrase \"{phrase}\" can never match")]
    DeadPhrase {
        /// The rule file's name.
        file: String,
        /// The rule's id.
        rule: String,
        /// The phrase as written.
        phrase: String,
    },
}

impl Error {
    /// The cure, where there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Syntax { .. } => {
                "compare with the shipped file of the same kind in data/catalog or data/frames; the keys of rules are described in docs/catalog.md".to_owned()
            }
            Self::EmptyRule { .. } => "give the rule at least one of `name`, `all` or `args`".to_owned(),
            Self::DuplicateRule { .. } => "rename one of the two rules".to_owned(),
            Self::DeadPhrase { .. } => {
                "phrases are lower-case words separated by spaces, without punctuation; `*` may open or close a word"
                    .to_owned()
            }
        })
    }

    /// The stable code of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "catalog.syntax",
            Self::EmptyRule { .. } => "catalog.empty-rule",
            Self::DuplicateRule { .. } => "catalog.duplicate-rule",
            Self::DeadPhrase { .. } => "catalog.dead-phrase",
        }
    }
}
