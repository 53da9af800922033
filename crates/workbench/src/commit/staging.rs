//! A temporary index: HEAD, the subject's blobs, the ledger's files, and what `--also` names. The user's own index is
//! only read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kforge_ledger::{Effect, EffectKind, Layout};
use kforge_record::{Audited, Digest, SubjectEntry};

use super::verb::Request;
use crate::Error;
use crate::gate::BrokenLink;
use crate::git::{Git, TreeEntry};
use crate::project::Project;

/// The temporary index of one commit; its folder goes away on drop.
pub(super) struct Staging<'a> {
    project: &'a Project,
    git: &'a Git,
    audited: &'a Audited,
    folder: tempfile::TempDir,
    index: PathBuf,
    /// HEAD's commit; absent in a repository without commits.
    pub(super) head: Option<String>,
    /// Paths that the commit may change: exact ones.
    exact: BTreeSet<String>,
    /// The folder of the op's evidence, where the ledger lies in this repository: everything below it.
    evidence: Vec<String>,
    /// What `--also` names; the empty path is the whole working tree.
    also: Vec<String>,
}

impl<'a> Staging<'a> {
    pub(super) fn new(
        project: &'a Project,
        git: &'a Git,
        request: &Request,
        audited: &'a Audited,
    ) -> Result<Self, Error> {
        let folder =
            tempfile::tempdir().map_err(|source| Error::Io { path: std::env::temp_dir(), source })?;
        let index = folder.path().join("index");
        let entries = &audited.evidence.facts.sides.candidate.subject.entries;
        let exact: BTreeSet<String> =
            entries.iter().map(|entry| format!("{}{}", git.prefix, entry.path)).collect();
        let also = request
            .also
            .iter()
            .map(|path| inside(git, &request.folder, path))
            .collect::<Result<Vec<_>, _>>()?;
        let head = git.commit("HEAD")?;
        Ok(Self { project, git, audited, folder, index, head, exact, evidence: Vec::new(), also })
    }

    fn subject(&self) -> &'a [SubjectEntry] {
        &self.audited.evidence.facts.sides.candidate.subject.entries
    }

    fn write(&self, what: &str, act: &mut dyn FnMut() -> Result<(), Error>) -> Result<(), Error> {
        through(self.project, EffectKind::GitObject, Path::new(what), act)
    }

    /// Fills the index; refuses where the user staged something else.
    pub(super) fn fill(&mut self) -> Result<Option<BrokenLink>, Error> {
        let tree = self.head.clone();
        let read = match &tree {
            Some(head) => self.git.call(["read-tree", head.as_str()]),
            None => self.git.call(["read-tree", "--empty"]),
        };
        read.index(&self.index).bytes()?;
        self.add_subject()?;
        self.add_ledger()?;
        if let Some(link) = self.staged_otherwise()? {
            return Ok(Some(link));
        }
        if let Some(path) = self.foreign(None)? {
            let message = format!("{path} is staged and is not part of the evidence");
            let hint = "unstage it, commit it on its own, or allow it with `--also PATH`";
            return Ok(Some(BrokenLink::new("staged-code", message, hint).about(&path)));
        }
        self.add_also()?;
        Ok(self.changed_subject()?.map(|path| {
            // Between hashing and storing somebody wrote the file.
            BrokenLink::new(
                "subject-differs",
                format!("{path} changed while it was being committed"),
                "repeat the command",
            )
            .about(&path)
        }))
    }

    fn add_subject(&self) -> Result<(), Error> {
        let mut lines = Vec::new();
        for entry in self.subject() {
            let path = format!("{}{}", self.git.prefix, entry.path);
            let file = self.project.root.join(&entry.path);
            let mut blob = String::new();
            self.write(&path, &mut || {
                blob = if entry.mode == "120000" {
                    let target = std::fs::read_link(&file)
                        .map_err(|source| Error::Io { path: file.clone(), source })?;
                    let bytes = target.as_os_str().as_encoded_bytes().to_vec();
                    self.git.call(["hash-object", "-w", "--stdin", "--no-filters"]).input(bytes).text()?
                } else {
                    self.git.call(["hash-object", "-w", "--", path.as_str()]).text()?
                };
                Ok(())
            })?;
            lines.push(format!("{} {blob}\t{path}\0", entry.mode));
        }
        self.git
            .call(["update-index", "-z", "--add", "--index-info"])
            .index(&self.index)
            .input(lines.concat())
            .bytes()?;
        Ok(())
    }

    /// The ledger's files of the op, where the ledger lies in this repository.
    fn add_ledger(&mut self) -> Result<(), Error> {
        let Some(prefix) = self.project.ledger_prefix() else { return Ok(()) };
        let facts = &self.audited.evidence.facts;
        let folder = format!("{prefix}{}", facts.op);
        let disk = |path: &str| self.git.top.join(path);
        let mut wanted =
            vec![format!("{folder}/evidence"), format!("{folder}/notes.md"), format!("{prefix}README.md")];
        self.evidence.push(format!("{folder}/evidence/"));
        for name in std::fs::read_dir(disk(&folder))
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
        {
            if Layout::is_version_name(&name) {
                wanted.push(format!("{folder}/{name}"));
            }
        }
        // The experiment that was run belongs to its evidence; another one is the user's own work.
        let experiment = format!("{folder}/experiment.toml");
        let same = std::fs::read(disk(&experiment))
            .is_ok_and(|bytes| Digest::of_bytes(&bytes) == facts.run.experiment);
        if same {
            wanted.push(experiment);
        }
        wanted.retain(|path| disk(path).exists());
        self.exact.extend(wanted.iter().cloned());
        self.add(&wanted)
    }

    fn add_also(&self) -> Result<(), Error> {
        // What the user staged is what is committed; what is not staged is taken as it lies there. Neither replaces what was
        // measured and what the ledger holds.
        let mine = |path: &str| self.exact.contains(path) || covers(&self.evidence, path);
        let staged = self.git.staged_changes(self.head.as_deref(), None)?;
        let staged: Vec<_> = staged.into_iter().filter(|(path, _)| !mine(path)).collect();
        let (set, rest): (Vec<_>, Vec<_>) = self
            .also
            .iter()
            .cloned()
            .partition(|also| staged.iter().any(|(path, _)| covers(std::slice::from_ref(also), path)));
        let zero = self.git.zero()?;
        let lines: Vec<String> = staged
            .iter()
            .filter(|(path, _)| covers(&set, path))
            .map(|(path, entry)| match entry {
                Some(entry) => format!("{} {}\t{path}\0", entry.mode, entry.blob),
                None => format!("0 {zero}\t{path}\0"),
            })
            .collect();
        self.git
            .call(["update-index", "-z", "--add", "--index-info"])
            .index(&self.index)
            .input(lines.concat())
            .bytes()?;
        // The empty path is the whole working tree.
        self.add(
            &rest
                .into_iter()
                .map(|path| if path.is_empty() { ".".to_owned() } else { path })
                .collect::<Vec<_>>(),
        )
    }

    /// The first subject file that the user staged as something else than what was measured.
    fn staged_otherwise(&self) -> Result<Option<BrokenLink>, Error> {
        let staged = self.git.staged_changes(self.head.as_deref(), None)?;
        for entry in self.subject() {
            let path = format!("{}{}", self.git.prefix, entry.path);
            let Some((_, found)) = staged.iter().find(|(staged, _)| *staged == path) else { continue };
            if found.as_ref().is_some_and(|found| found.blob == entry.blob && found.mode == entry.mode) {
                continue;
            }
            let what = found
                .as_ref()
                .map_or_else(|| "as removed".to_owned(), |found| format!("as blob {}", found.blob.short()));
            let message = format!("{path} is staged {what}, and blob {} was measured", entry.blob.short());
            let hint = format!(
                "stage the measured file with `git add {path}`, or unstage it with `git restore --staged {path}`"
            );
            return Ok(Some(BrokenLink::new("staged-code", message, &hint).about(&path)));
        }
        Ok(None)
    }

    fn add(&self, paths: &[String]) -> Result<(), Error> {
        if paths.is_empty() {
            return Ok(());
        }
        let input = paths.iter().map(|path| format!("{path}\0")).collect::<Vec<_>>().concat();
        self.write("ledger", &mut || {
            let add =
                ["--literal-pathspecs", "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"];
            self.git.call(add).index(&self.index).input(input.clone()).bytes().map(|_| ())
        })
    }

    /// The first path that an index changes against HEAD and that the commit may not hold.
    fn foreign(&self, index: Option<&Path>) -> Result<Option<String>, Error> {
        let paths = self.git.staged_changes(self.head.as_deref(), index)?.into_iter().map(|(path, _)| path);
        let allowed = |path: &String| {
            self.exact.contains(path) || covers(&self.evidence, path) || covers(&self.also, path)
        };
        Ok(paths.into_iter().find(|path| !allowed(path)))
    }

    /// The first subject path whose entry in the temporary index is not the measured one.
    fn changed_subject(&self) -> Result<Option<String>, Error> {
        let staged = self.git.staged(Some(&self.index))?;
        let differs = |entry: &&SubjectEntry| {
            let path = format!("{}{}", self.git.prefix, entry.path);
            !staged
                .iter()
                .any(|staged| staged.path == path && staged.blob == entry.blob && staged.mode == entry.mode)
        };
        Ok(self.subject().iter().find(differs).map(|entry| entry.path.clone()))
    }

    /// The first subject file that is no longer the measured one on disk.
    fn changed_on_disk(&self) -> Result<Option<String>, Error> {
        let paths: Vec<String> = self.subject().iter().map(|entry| entry.path.clone()).collect();
        let present = self.git.present(&self.project.root, &paths)?;
        let pairs = self.subject().iter().zip(present);
        Ok(pairs
            .into_iter()
            .find(|(wanted, found)| found.as_ref() != Some(*wanted))
            .map(|(wanted, _)| wanted.path.clone()))
    }

    /// Runs the user's hooks over the temporary index and the message.
    pub(super) fn hooks(&self, message: &mut String) -> Result<Option<BrokenLink>, Error> {
        let file = self.folder.path().join("COMMIT_EDITMSG");
        let io = |source| Error::Io { path: file.clone(), source };
        std::fs::write(&file, format!("{}\n", message.trim_end())).map_err(io)?;
        let name = file.to_string_lossy().into_owned();
        let steps: [(&str, Vec<&str>); 3] = [
            ("pre-commit", Vec::new()),
            ("prepare-commit-msg", vec![&name, "message"]),
            ("commit-msg", vec![&name]),
        ];
        for (hook, arguments) in steps {
            if let Err(said) = self.git.hook(hook, &self.index, &arguments)? {
                let text = format!("the hook {hook} refused: {}", last_lines(&said));
                return Ok(Some(BrokenLink::new(
                    "hook-refused",
                    text,
                    "satisfy the hook; kforge never skips it",
                )));
            }
            let changed = match self.changed_subject()? {
                Some(path) => Some(path),
                None => self.changed_on_disk()?,
            };
            if let Some(path) = changed {
                let text = format!("the hook {hook} changed {path}, which was measured as it was before");
                let hint = "let the hook do its work first, then `kforge validate` again";
                return Ok(Some(BrokenLink::new("hook-changed-subject", text, hint).about(&path)));
            }
            if let Some(path) = self.foreign(Some(&self.index))? {
                let text = format!("the hook {hook} staged {path}, which is not part of the evidence");
                return Ok(Some(
                    BrokenLink::new("staged-code", text, "allow it with `--also PATH`").about(&path),
                ));
            }
        }
        let text = std::fs::read(&file).map_err(io)?;
        *message = self.git.call(["stripspace"]).input(text).text()?;
        let empty = message.trim().is_empty();
        Ok(empty.then(|| BrokenLink::new("empty-message", "the message is empty", "give one with `-m`")))
    }

    /// Writes the tree.
    pub(super) fn tree(&self) -> Result<String, Error> {
        let mut tree = String::new();
        self.write("tree", &mut || {
            tree = self.git.call(["write-tree"]).index(&self.index).text()?;
            Ok(())
        })?;
        Ok(tree)
    }

    /// The files that the tree changes against HEAD.
    pub(super) fn changed(&self, tree: &str) -> Result<Vec<String>, Error> {
        match &self.head {
            Some(head) => self.git.changed(head, tree),
            None => Ok(self.git.staged(Some(&self.index))?.into_iter().map(|entry| entry.path).collect()),
        }
    }

    /// The entries of the temporary index at these paths.
    pub(super) fn entries(&self, paths: &[String]) -> Result<Vec<TreeEntry>, Error> {
        let staged = self.git.staged(Some(&self.index))?;
        Ok(staged.into_iter().filter(|entry| paths.contains(&entry.path)).collect())
    }

    /// A folder for files that live as long as this commit's work.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Lets an act of git happen as an effect; its error keeps its words.
pub(super) fn through(
    project: &Project,
    kind: EffectKind,
    path: &Path,
    act: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    let mut failure = None;
    let mut wrapped = || match act() {
        Ok(()) => Ok(()),
        Err(error) => {
            failure = Some(error);
            Err(std::io::Error::other("the act failed"))
        }
    };
    let done = project.disk.perform(Effect { kind, path }, &mut wrapped);
    match (failure, done) {
        (Some(error), _) => Err(error),
        (None, Err(source)) => Err(Error::Io { path: path.to_owned(), source }),
        (None, Ok(())) => Ok(()),
    }
}

/// A path of the user, relative to the repository's top.
fn inside(git: &Git, folder: &Path, path: &str) -> Result<String, Error> {
    let refuse = || Error::Usage {
        message: format!("{path} is not in the repository"),
        hint: Some("give paths inside the working tree".to_owned()),
    };
    let whole =
        folder.canonicalize().map_err(|source| Error::Io { path: folder.to_owned(), source })?.join(path);
    // Only the folder part is resolved: the last part may itself be a link that is to be committed. A path that ends in `..`
    // names a folder by no name of its own.
    let resolved = match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) => parent.canonicalize().map(|parent| parent.join(name)),
        _ => whole.canonicalize(),
    };
    let resolved = resolved.map_err(|_| refuse())?;
    Ok(resolved.strip_prefix(&git.top).map_err(|_| refuse())?.to_string_lossy().into_owned())
}

/// Whether a path is one of these or lies below one of them; everything lies below the empty path.
fn covers(allowed: &[String], path: &str) -> bool {
    allowed.iter().any(|allowed| {
        let below = |rest: &str| rest.is_empty() || allowed.ends_with('/') || rest.starts_with('/');
        allowed.is_empty() || path.strip_prefix(allowed.as_str()).is_some_and(below)
    })
}

/// A hook's last lines are told; the cause often stands above the cure.
const TOLD: usize = 4;

/// The last lines of what a hook said, in one.
fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.get(lines.len().saturating_sub(TOLD)..).unwrap_or_default() {
        [] => "it said nothing".to_owned(),
        last => last.join("; "),
    }
}
