//! The few questions that are put to `git`, with the user's repository as a read-only source.

use crate::error::Error;
use kforge_record::{BlobId, ObjectFormat};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where an experiment's files live: a folder, and the repository around it where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The project's root: trees are materialised from here, commands run at its copy.
    pub root: PathBuf,
    /// The repository's own folder (`.git`), where there is a repository.
    pub git_dir: Option<PathBuf>,
    /// The project's root relative to the repository's, ending in `/`; empty where they are the same.
    pub prefix: String,
}

/// A `git` command that ignores where it was called from, never touches the user's index, and shows every object as it is:
/// replacement refs and grafts would put another one under the same id.
fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(name);
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        // Below a file there can be none, so that git neither reads nor warns.
        .env("GIT_GRAFT_FILE", "/dev/null/none")
        .env("LC_ALL", "C")
        .arg("-C")
        .arg(folder)
        .stdin(Stdio::null());
    command
}

/// Runs a command to its end; its output, or its complaint.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let done = command.output().map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    let complaint = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    Err(if complaint.is_empty() { done.status.to_string() } else { complaint })
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned()
}

/// One file of a commit.
pub(super) struct Listed {
    pub(super) mode: String,
    pub(super) id: String,
    pub(super) path: String,
}

impl Repository {
    /// The project around a folder: the nearest folder above with a kforge.toml, else the repository's root, else the folder itself
    /// (two above, where it is `kernels/OP`).
    ///
    /// # Errors
    /// Where the folder does not exist.
    pub fn around(folder: &Path) -> Result<Self, Error> {
        let folder = folder.canonicalize().map_err(|error| Error::io(folder, error))?;
        let top = output(git(&folder).args(["rev-parse", "--show-toplevel"]))
            .ok()
            .map(|bytes| PathBuf::from(line(&bytes)));
        let marked = folder.ancestors().find(|above| above.join("kforge.toml").is_file()).map(Path::to_owned);
        let above = folder.parent().filter(|above| above.file_name().is_some_and(|name| name == "kernels"));
        let plain = above.and_then(Path::parent).unwrap_or(&folder).to_owned();
        let root = marked.or_else(|| top.clone()).unwrap_or(plain);
        // A kforge.toml above the repository does not make its root part of it.
        let inside = top.as_ref().and_then(|top| root.strip_prefix(top).ok());
        let git_dir = match inside {
            Some(_) => output(git(&root).args(["rev-parse", "--absolute-git-dir"]))
                .ok()
                .map(|bytes| PathBuf::from(line(&bytes))),
            None => None,
        };
        let prefix = inside.map(|rest| rest.to_string_lossy().into_owned()).filter(|rest| !rest.is_empty());
        Ok(Self { root, git_dir, prefix: prefix.map(|rest| format!("{rest}/")).unwrap_or_default() })
    }

    /// The commit that a revision names.
    pub(super) fn commit(&self, revision: &str) -> Result<String, String> {
        let spec = format!("{revision}^{{commit}}");
        output(git(&self.root).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &spec]))
            .map(|bytes| line(&bytes))
            .map_err(|_| format!("`{revision}` names no commit"))
    }

    /// Files as they are now: tracked ones, and untracked ones that are not ignored; relative to the root, each once.
    pub(super) fn present(&self) -> Result<Vec<String>, String> {
        let bytes =
            output(git(&self.root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
        let mut paths: Vec<String> = bytes
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect();
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Writes the files of a commit below a folder, filters applied, and gives what the commit lists.
    pub(super) fn export(&self, commit: &str, to: &Path, index: &Path) -> Result<Vec<Listed>, String> {
        let tree = if self.prefix.is_empty() {
            commit.to_owned()
        } else {
            format!("{commit}:{}", self.prefix.trim_end_matches('/'))
        };
        // The index is a file of ours, so the user's staged changes are neither read nor written.
        output(git(&self.root).env("GIT_INDEX_FILE", index).args(["read-tree", &tree]))?;
        let target = format!("--prefix={}/", to.display());
        let mut checkout = git(&self.root);
        checkout.env("GIT_INDEX_FILE", index);
        if let Some(git_dir) = &self.git_dir {
            checkout.arg("--git-dir").arg(git_dir).arg("--work-tree").arg(&self.root);
        }
        output(checkout.args(["checkout-index", "--all", "--force", "--quiet", &target]))?;
        let listing = output(git(&self.root).args(["ls-tree", "-r", "-z", "--full-tree", &tree]))?;
        Ok(listing.split(|byte| *byte == 0).filter_map(listed).collect())
    }

    /// The blob ids that a commit of these files would have, filters applied; `folder` is a copy of the project's root.
    pub(super) fn blobs(&self, folder: &Path, paths: &[String]) -> Result<Vec<BlobId>, String> {
        let Some(git_dir) = &self.git_dir else {
            return paths
                .iter()
                .map(|path| {
                    std::fs::read(folder.join(path))
                        .map(|bytes| BlobId::of_bytes(ObjectFormat::Sha1, &bytes))
                        .map_err(|e| format!("{path}: {e}"))
                })
                .collect();
        };
        let mut child = git(folder)
            .arg("--git-dir")
            .arg(git_dir)
            .arg("--work-tree")
            .arg(folder)
            .args(["hash-object", "--stdin-paths"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let names = paths.join("\n") + "\n";
        let mut input = child.stdin.take();
        let writer = std::thread::spawn(move || input.as_mut().map(|pipe| pipe.write_all(names.as_bytes())));
        let done = child.wait_with_output().map_err(|error| error.to_string())?;
        let _ = writer.join();
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).trim().to_owned());
        }
        let ids: Vec<BlobId> = String::from_utf8_lossy(&done.stdout)
            .lines()
            .map(|id| id.parse::<BlobId>().map_err(|error| error.to_string()))
            .collect::<Result<_, _>>()?;
        if ids.len() == paths.len() {
            Ok(ids)
        } else {
            Err(format!("git hashed {} of {} files", ids.len(), paths.len()))
        }
    }

    /// A submodule of this project, checked out at this path.
    pub(super) fn submodule(&self, path: &str) -> Result<Self, String> {
        let root = self.root.join(path);
        let git_dir = output(git(&root).args(["rev-parse", "--absolute-git-dir"]))
            .map(|bytes| PathBuf::from(line(&bytes)))?;
        // An empty folder answers for the repository around it.
        if Some(&git_dir) == self.git_dir.as_ref() {
            return Err("it is not checked out".to_owned());
        }
        Ok(Self { root, git_dir: Some(git_dir), prefix: String::new() })
    }
}

/// `MODE TYPE ID<tab>PATH`.
fn listed(record: &[u8]) -> Option<Listed> {
    let text = String::from_utf8_lossy(record);
    let (head, path) = text.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, _kind, id) = (words.next()?, words.next()?, words.next()?);
    Some(Listed { mode: mode.to_owned(), id: id.to_owned(), path: path.to_owned() })
}
