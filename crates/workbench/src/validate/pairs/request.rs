//! What is asked of a pair of commands.

use std::path::PathBuf;
use std::time::Duration;

/// Two commands, and how their output is read.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The folder in which the commands run.
    pub folder: PathBuf,
    /// The command that stands for what is in use.
    pub a: String,
    /// The command that stands for what shall replace it.
    pub b: String,
    /// A regular expression; its first group is the number, with a unit or without.
    pub metric: String,
    /// A command that ends with 0 where the side in `KFORGE_SIDE` is right.
    pub check: Option<String>,
    /// At most so many blocks; absent: as many as the judge's last look needs.
    pub runs: Option<u32>,
    /// The metric is a rate: more is better.
    pub higher_is_better: bool,
    /// How long one run may take.
    pub deadline: Duration,
    /// A command prefix, or the NAME of an `[env.NAME]` in kforge.toml; absent: commands run here.
    pub place: Option<String>,
    /// Path maps `HOST:INSIDE` for a prefix given in words.
    pub maps: Vec<String>,
}
