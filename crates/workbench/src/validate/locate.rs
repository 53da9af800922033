//! Finds an experiment.toml by path or by the operation's name.

use crate::Error;
use std::path::{Path, PathBuf};

const FILE: &str = "experiment.toml";

/// The experiment.toml that a target means: a file, a folder with one, or `kernels/OP` in this folder or one above it.
pub(super) fn experiment(target: &str, folder: &Path) -> Result<PathBuf, Error> {
    let path = folder.join(target);
    if path.is_file() {
        return Ok(path);
    }
    if path.join(FILE).is_file() {
        return Ok(path.join(FILE));
    }
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let named = absolute
        .ancestors()
        .map(|above| above.join("kernels").join(target).join(FILE))
        .find(|file| file.is_file());
    named.ok_or_else(|| Error::Usage {
        message: format!(
            "there is no experiment `{target}`: neither {} nor kernels/{target}/{FILE} exists",
            path.display()
        ),
        hint: Some(format!("give an operation that has kernels/OP/{FILE}, or the path of an {FILE}")),
    })
}

/// A path as a person would write it from a folder: relative where it is below it.
pub(super) fn shown(path: &Path, folder: &Path) -> String {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    path.strip_prefix(&absolute).or_else(|_| path.strip_prefix(folder)).unwrap_or(path).display().to_string()
}
