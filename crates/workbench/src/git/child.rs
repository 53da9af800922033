//! What every `git` child inherits, and what it does not.

use std::path::Path;
use std::process::{Command, Stdio};

/// Variables by which a caller's git could redirect ours.
const INHERITED: [&str; 16] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_SHALLOW_FILE",
    "GIT_NOTES_REF",
    "GIT_ATTR_SOURCE",
    "GIT_REPLACE_REF_BASE",
];

/// Where a server keeps what is being pushed until its hooks have agreed; git names the place to them alone.
const QUARANTINE: (&str, [&str; 2]) =
    ("GIT_QUARANTINE_PATH", ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]);

/// A `git` child at a folder.
pub(super) fn child(folder: &Path) -> Command {
    let mut command = Command::new("git");
    let (mark, places) = QUARANTINE;
    let pushed = std::env::var_os(mark).is_some();
    for name in INHERITED.iter().filter(|name| !(pushed && places.contains(name))) {
        command.env_remove(name);
    }
    command
        .env("LC_ALL", "C")
        .env("LANGUAGE", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", ":")
        // What a commit holds is what its id names: replacement refs and grafts show other objects under the same id, and
        // whoever pushes may push them. A path below a file cannot exist, so that git neither reads nor warns.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", "/dev/null/none")
        .arg("-C")
        .arg(folder)
        .stdin(Stdio::null());
    command
}
