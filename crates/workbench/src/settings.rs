//! What kforge.toml may say: every table and every key, for all verbs alike.
//!
//! Invariant: a name that no verb knows is refused, not passed over. A misspelt table would switch off what it was meant to set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;

/// How a commit says which evidence it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Binding {
    /// A git note under `refs/notes/kforge`.
    #[default]
    Note,
    /// A `Kforge-Evidence:` trailer of the message.
    Trailer,
    /// Neither: `verify` finds evidence by the blobs alone.
    None,
}

/// The file, as it is spelled.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// `[ledger]`.
    pub(crate) ledger: LedgerTable,
    /// `[commit]`.
    pub(crate) commit: CommitTable,
    /// `[verify]`.
    pub(crate) verify: VerifyTable,
    /// `[policy]`: thresholds by name, and `reasons`.
    pub(crate) policy: BTreeMap<String, toml::Value>,
    /// `[env.NAME]`: places that `--in` may name.
    pub(crate) env: BTreeMap<String, PlaceTable>,
}

/// `[ledger]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LedgerTable {
    /// Another folder for the ledger, relative to the project's root.
    pub(crate) root: Option<PathBuf>,
}

/// `[commit]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CommitTable {
    /// How commits are bound.
    pub(crate) binding: Binding,
}

/// `[verify]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct VerifyTable {
    /// Whose signatures count, as `ssh-keygen(1)` describes the file.
    pub(crate) allowed_signers: Option<PathBuf>,
}

/// `[env.NAME]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PlaceTable {
    /// The command prefix.
    pub(crate) prefix: String,
    /// Folders here and their names behind the prefix, `HOST:INSIDE`.
    pub(crate) map: Vec<String>,
    /// A folder that both see.
    pub(crate) scratch: Option<PathBuf>,
    /// Variables for what runs behind the prefix.
    pub(crate) env: BTreeMap<String, String>,
}

impl Settings {
    /// Reads a text; what is wrong with it, with its line, where it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            match line {
                Some(line) => format!("line {line}: {}", error.message()),
                None => error.message().to_owned(),
            }
        })
    }

    /// Reads the kforge.toml of a project; none is the same as an empty one.
    ///
    /// # Errors
    /// Where it is there and cannot be read, or says what no verb knows.
    pub(crate) fn read(root: &Path) -> Result<Self, Error> {
        let path = root.join("kforge.toml");
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).map_err(|message| Error::Settings { path, message, hint: None }),
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(Error::Io { path, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_table_or_key_is_refused_with_its_line() {
        for (text, line, name) in [
            ("[verfy]\nallowed_signers = \"list\"\n", 1, "verfy"),
            ("[commit]\nbinding = \"note\"\n[ledger]\nrooot = \"x\"\n", 4, "rooot"),
            ("[env.rocm]\nprefx = \"docker exec rocm\"\n", 2, "prefx"),
        ] {
            let error = Settings::parse(text).unwrap_err();
            assert!(error.contains(&format!("line {line}:")) && error.contains(name), "{error}");
        }
    }

    #[test]
    fn every_table_that_is_written_down_is_read() {
        let text = "[ledger]\nroot = \"../l\"\n[commit]\nbinding = \"trailer\"\n[verify]\nallowed_signers = \"s\"\n[policy]\nmin_blocks = 8\n[env.rocm]\nprefix = \"docker exec rocm\"\nmap = [\"/a:/b\"]\n";
        let settings = Settings::parse(text).unwrap();
        assert_eq!(settings.ledger.root.as_deref(), Some(Path::new("../l")));
        assert_eq!(settings.commit.binding, Binding::Trailer);
        assert_eq!(settings.env["rocm"].map, ["/a:/b"]);
    }
}
