//! Where the real captures are, for tests that can use them.
//!
//! Answers with a folder that exists: `KFORGE_CORPUS` or `KFORGE_LAB` where set, else `../shared/corpus` and
//! `../shared/lab` beside the workspace root. Refuses to guess: where neither is there, the answer is `None` and one
//! line on stderr names the test that was skipped and how to run it. Invariant: a folder that is named by an
//! environment variable and is missing is an error of the caller, so it is reported as such and not replaced.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Captures of public projects, read where they are and never copied. `None` prints a skip line for `test`.
pub fn corpus(test: &str) -> Option<PathBuf> {
    found_or_skip(test, "corpus", "KFORGE_CORPUS")
}

/// Captures made for this project. `None` prints a skip line for `test`.
pub fn lab(test: &str) -> Option<PathBuf> {
    found_or_skip(test, "lab", "KFORGE_LAB")
}

/// The root of this workspace.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn found_or_skip(test: &str, name: &str, variable: &str) -> Option<PathBuf> {
    match folder(&workspace_root(), name, std::env::var_os(variable).map(PathBuf::from)) {
        Ok(folder) => Some(folder),
        Err(missing) => {
            let missing = missing.display();
            // Written past the capture of test output, so that a skip is seen in a green run too.
            let _ = writeln!(
                std::io::stderr(),
                "skipped {test}: no {name} at {missing}; set {variable} to its folder"
            );
            None
        }
    }
}

/// The folder called `name`, or the path at which it was looked for.
fn folder(root: &Path, name: &str, named: Option<PathBuf>) -> Result<PathBuf, PathBuf> {
    let beside = || root.parent().unwrap_or(root).join("shared").join(name);
    let wanted = named.unwrap_or_else(beside);
    if wanted.is_dir() { Ok(wanted) } else { Err(wanted) }
}

#[cfg(test)]
mod tests {
    use super::{folder, workspace_root};
    use std::path::Path;

    #[test]
    fn the_workspace_root_holds_the_manifest_of_all_rooms() {
        assert!(workspace_root().join("layers.toml").is_file());
    }

    #[test]
    fn the_folder_beside_the_workspace_is_found_and_a_missing_one_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("kernel-forge");
        let shared = scratch.path().join("shared/lab");
        assert_eq!(folder(&root, "lab", None), Err(shared.clone()));
        std::fs::create_dir_all(&shared).unwrap();
        assert_eq!(folder(&root, "lab", None), Ok(shared));
    }

    #[test]
    fn a_named_folder_wins_and_is_not_replaced_when_missing() {
        let scratch = tempfile::tempdir().unwrap();
        let named = scratch.path().join("own");
        assert_eq!(folder(Path::new("root"), "lab", Some(named.clone())), Err(named.clone()));
        std::fs::create_dir(&named).unwrap();
        assert_eq!(folder(Path::new("root"), "lab", Some(named.clone())), Ok(named));
    }
}
