//! Every question to `git`, and every change made through it. Children get a pinned locale and none of the variables by which
//! a caller's git names a repository, an index, objects, notes or pathspecs, so that the same repository answers alike from a
//! shell, a hook or a worktree. Configuration of the caller (`GIT_CONFIG_*`), identities and dates stay: they are the user's.

mod child;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use kforge_record::{BlobId, SubjectEntry};

use crate::error::Error;
use crate::inside_commit;
use child::child;

/// A repository and the project's place in it.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    /// The working tree's top folder.
    pub(crate) top: PathBuf,
    /// The repository's own folder for this working tree.
    pub(crate) folder: PathBuf,
    /// The project's root relative to `top`, ending in `/`; empty where they are the same.
    pub(crate) prefix: String,
}

/// One file of a tree or an index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TreeEntry {
    /// Relative to the repository's top.
    pub(crate) path: String,
    /// Git's mode.
    pub(crate) mode: String,
    /// The blob; a submodule's commit also has this shape.
    pub(crate) blob: BlobId,
}

/// One call of git.
pub(crate) struct Call<'a> {
    git: &'a Git,
    arguments: Vec<OsString>,
    index: Option<&'a Path>,
    input: Option<Vec<u8>>,
    /// Hooks run in it, while a commit is made.
    committing: bool,
}

impl<'a> Call<'a> {
    /// Uses this index file instead of the repository's.
    pub(crate) fn index(mut self, index: &'a Path) -> Self {
        self.index = Some(index);
        self
    }

    /// Tells hooks that a commit is being made.
    fn committing(mut self) -> Self {
        self.committing = true;
        self
    }

    /// Gives these bytes on standard input.
    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// Runs to the end, whatever the answer.
    pub(crate) fn output(self) -> Result<Output, Error> {
        let words = self.words();
        let refuse = |source: io::Error| Error::Git { command: words.clone(), message: source.to_string() };
        let mut command = child(&self.git.top);
        command.args(&self.arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(index) = self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        if self.committing {
            command.env(inside_commit::MARK, "1");
        }
        let Some(bytes) = self.input else { return command.output().map_err(refuse) };
        let mut running = command.stdin(Stdio::piped()).spawn().map_err(refuse)?;
        let pipe = running.stdin.take();
        let writer = std::thread::spawn(move || pipe.map_or(Ok(()), |mut pipe| pipe.write_all(&bytes)));
        let output = running.wait_with_output().map_err(refuse);
        // A child that stopped reading has said why on its own.
        let _ = writer.join();
        output
    }

    /// Runs to the end and gives stdout.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Error> {
        let command = self.words();
        let output = self.output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let message = if said.is_empty() { output.status.to_string() } else { said };
        Err(Error::Git { command, message })
    }

    /// Runs to the end and gives stdout without its last line end.
    pub(crate) fn text(self) -> Result<String, Error> {
        self.bytes().map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned())
    }

    /// As `text`; absent where git says no.
    pub(crate) fn maybe(self) -> Result<Option<String>, Error> {
        let output = self.output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
        Ok(output.status.success().then_some(text))
    }

    fn words(&self) -> String {
        let words = self.arguments.iter().take(3).map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    }
}

impl Git {
    /// The repository around a project's root; absent where there is none.
    pub(crate) fn around(root: &Path) -> Result<Option<Self>, Error> {
        let ask = |what: &str| -> Result<Option<PathBuf>, Error> {
            let output = child(root).args(["rev-parse", what]).output().map_err(|source| Error::Git {
                command: format!("rev-parse {what}"),
                message: source.to_string(),
            })?;
            let line = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
            match distrusted(&String::from_utf8_lossy(&output.stderr)) {
                Some(error) if !output.status.success() => Err(error),
                _ => Ok(output.status.success().then(|| PathBuf::from(line))),
            }
        };
        let (Some(top), Some(folder)) = (ask("--show-toplevel")?, ask("--absolute-git-dir")?) else {
            return Ok(None);
        };
        let Ok(inside) = root.strip_prefix(&top) else { return Ok(None) };
        let inside = inside.to_string_lossy().into_owned();
        let prefix = if inside.is_empty() { inside } else { format!("{inside}/") };
        Ok(Some(Self { top, folder, prefix }))
    }

    /// The objects of a repository without a working tree: a bare one, or the inside of any `.git`. The folder of the
    /// repository stands for its top.
    pub(crate) fn objects(folder: &Path) -> Result<Option<Self>, Error> {
        let output = child(folder).args(["rev-parse", "--absolute-git-dir"]).output();
        let output = output.map_err(|source| Error::Git {
            command: "rev-parse --absolute-git-dir".to_owned(),
            message: source.to_string(),
        })?;
        let line = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
        let found = output.status.success() && !line.is_empty();
        Ok(found.then(|| Self { top: line.clone().into(), folder: line.into(), prefix: String::new() }))
    }

    /// Whether there is any commit at all.
    pub(crate) fn has_commits(&self) -> Result<bool, Error> {
        let found = self.call(["rev-list", "--all", "--max-count=1"]).text()?;
        Ok(!found.is_empty() || self.commit("HEAD")?.is_some())
    }

    /// A call with these arguments at the repository's top.
    pub(crate) fn call<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Call<'_> {
        Call {
            git: self,
            arguments: arguments.into_iter().map(Into::into).collect(),
            index: None,
            input: None,
            committing: false,
        }
    }

    /// The commit a revision names.
    pub(crate) fn commit(&self, revision: &str) -> Result<Option<String>, Error> {
        let spec = format!("{revision}^{{commit}}");
        self.call(["rev-parse", "--verify", "--quiet", "--end-of-options", spec.as_str()]).maybe()
    }

    /// The present blob ids, with the repository's filters, of files under the project's root; absent where there is
    /// no file. Nothing is written.
    pub(crate) fn present(&self, root: &Path, paths: &[String]) -> Result<Vec<Option<SubjectEntry>>, Error> {
        let mut entries = Vec::with_capacity(paths.len());
        let mut regular = Vec::new();
        for path in paths {
            let file = root.join(path);
            let Ok(meta) = std::fs::symlink_metadata(&file) else {
                entries.push(None);
                continue;
            };
            if meta.is_symlink() {
                let target =
                    std::fs::read_link(&file).map_err(|source| Error::Io { path: file.clone(), source })?;
                let blob = self.hash(target.as_os_str().as_encoded_bytes().to_vec())?;
                entries.push(Some(SubjectEntry { path: path.clone(), mode: "120000".to_owned(), blob }));
            } else if meta.is_file() && !reads_alike(&self.prefix, path) {
                let whole = format!("{}{path}", self.prefix);
                let id = self.call(["hash-object", "--", whole.as_str()]).text()?;
                let mode = mode_of(&meta).to_owned();
                let blob = id.parse::<BlobId>().map_err(Error::Record)?;
                entries.push(Some(SubjectEntry { path: path.clone(), mode, blob }));
            } else if meta.is_file() {
                regular.push((entries.len(), format!("{}{path}", self.prefix)));
                let mode = mode_of(&meta);
                let blob = "0".repeat(40).parse().ok();
                entries.push(blob.map(|blob| SubjectEntry {
                    path: path.clone(),
                    mode: mode.to_owned(),
                    blob,
                }));
            } else {
                entries.push(None);
            }
        }
        if regular.is_empty() {
            return Ok(entries);
        }
        let names = regular.iter().map(|(_, path)| format!("{path}\n")).collect::<Vec<_>>().concat();
        let ids = self.call(["hash-object", "--stdin-paths"]).input(names).text()?;
        for ((slot, _), id) in regular.iter().zip(ids.lines()) {
            let blob = id.parse::<BlobId>().map_err(Error::Record)?;
            if let Some(Some(entry)) = entries.get_mut(*slot) {
                entry.blob = blob;
            }
        }
        Ok(entries)
    }

    fn hash(&self, bytes: Vec<u8>) -> Result<BlobId, Error> {
        let id = self.call(["hash-object", "--stdin", "--no-filters"]).input(bytes).text()?;
        id.parse().map_err(Error::Record)
    }

    /// The entries at these paths (relative to the top) in a commit or tree.
    pub(crate) fn entries(&self, tree: &str, paths: &[String]) -> Result<Vec<TreeEntry>, Error> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let fixed =
            ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", tree, "--"].map(str::to_owned);
        // Paths go in portions, so that a long subject does not exceed the length of a command line.
        let mut found = Vec::new();
        for portion in paths.chunks(200) {
            let bytes = self.call(fixed.iter().chain(portion).cloned()).bytes()?;
            found.extend(records(&bytes).filter_map(tree_entry));
        }
        Ok(found)
    }

    /// What a tree holds under these names themselves, folders included and not looked into; perhaps their neighbours too.
    pub(crate) fn entries_at(&self, tree: &str, paths: &[String]) -> Result<Vec<TreeEntry>, Error> {
        let words = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--"].map(str::to_owned);
        let bytes = self.call(words.iter().chain(paths).cloned()).bytes()?;
        Ok(records(&bytes).filter_map(tree_entry).collect())
    }

    /// The files that a commit changes against its first parent, or all of its files where it has none.
    pub(crate) fn changed_by(&self, commit: &str) -> Result<Vec<String>, Error> {
        if let Some(parent) = self.commit(&format!("{commit}^1"))? {
            return self.changed(&parent, commit);
        }
        let bytes = self.call(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit]).bytes()?;
        Ok(names(&bytes))
    }

    /// The files that differ between two commits or trees.
    pub(crate) fn changed(&self, from: &str, to: &str) -> Result<Vec<String>, Error> {
        let bytes = self.call(["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]).bytes()?;
        Ok(names(&bytes))
    }

    /// What the files that differ between two commits or trees were in the first; without those that are new.
    pub(crate) fn before(&self, from: &str, to: &str) -> Result<Vec<TreeEntry>, Error> {
        let bytes =
            self.call(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to]).bytes()?;
        let fields = names(&bytes);
        let records = fields.chunks(2).filter_map(|record| {
            let [head, path] = record else { return None };
            let mut words = head.trim_start_matches(':').split(' ');
            let (mode, _after, blob) = (words.next()?, words.next()?, words.next()?);
            let entry = TreeEntry { path: path.clone(), mode: mode.to_owned(), blob: blob.parse().ok()? };
            (mode != "000000").then_some(entry)
        });
        Ok(records.collect())
    }

    /// The renames and copies that git finds between two commits or trees, (from, to). Rename and copy detection are asked
    /// apart: the first gives each source one target only, the second gives each target its likest source only.
    pub(crate) fn moves(&self, from: &str, to: &str) -> Result<Vec<(String, String)>, Error> {
        let mut found = Vec::new();
        for detection in ["--find-renames", "--find-copies"] {
            // Without a limit on the number of files, which would leave out exactly the large changes.
            let words =
                ["diff-tree", "-r", "-z", "-l0", "--name-status", "--diff-filter=RC", detection, from, to];
            let bytes = self.call(words).bytes()?;
            let fields = names(&bytes);
            for record in fields.chunks(3) {
                if let [_, from, to] = record {
                    found.push((from.clone(), to.clone()));
                }
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The files that an index holds: all of them, with mode and blob.
    pub(crate) fn staged(&self, index: Option<&Path>) -> Result<Vec<TreeEntry>, Error> {
        let call = self.call(["ls-files", "-s", "-z"]);
        let bytes = match index {
            Some(index) => call.index(index).bytes()?,
            None => call.bytes()?,
        };
        Ok(records(&bytes).filter_map(index_entry).collect())
    }

    /// What an index changes against a commit, or against nothing: each path with its entry, absent where it is removed.
    pub(crate) fn staged_changes(
        &self,
        head: Option<&str>,
        index: Option<&Path>,
    ) -> Result<Vec<(String, Option<TreeEntry>)>, Error> {
        let base = match head {
            Some(head) => head.to_owned(),
            None => self.empty_tree()?,
        };
        // A path that was only announced (`add --intent-to-add`) has no staged content.
        let words = ["--ita-invisible-in-index", "--cached", "-z", "--raw", "--no-abbrev", "--no-renames"];
        let call = self.call(["diff-index"].into_iter().chain(words).chain([base.as_str()]));
        let bytes = if let Some(index) = index { call.index(index) } else { call }.bytes()?;
        Ok(names(&bytes).chunks(2).filter_map(raw_change).collect())
    }

    /// The content of a blob.
    pub(crate) fn blob(&self, id: &BlobId) -> Result<Option<Vec<u8>>, Error> {
        let output = self.call(["cat-file", "blob", id.as_str()]).output()?;
        Ok(output.status.success().then_some(output.stdout))
    }

    /// Runs a hook of the user, if there is one; gives what it said where it refused.
    pub(crate) fn hook(
        &self,
        name: &str,
        index: &Path,
        arguments: &[&str],
    ) -> Result<Result<(), String>, Error> {
        let mut words = vec!["hook", "run", "--ignore-missing", name];
        if !arguments.is_empty() {
            words.push("--");
            words.extend(arguments);
        }
        let output = self.call(words).index(index).committing().output()?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        Ok(if output.status.success() { Ok(()) } else { Err(said) })
    }

    /// The id of the empty tree, which git knows without having it.
    pub(crate) fn empty_tree(&self) -> Result<String, Error> {
        self.call(["hash-object", "-t", "tree", "--stdin"]).input("").text()
    }

    /// The id that names nothing: as many zeros as an id of this repository has digits.
    pub(crate) fn zero(&self) -> Result<String, Error> {
        Ok("0".repeat(self.empty_tree()?.len()))
    }

    /// A yes or no of the configuration, in any of the words that git takes for one.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Error> {
        Ok(self.call(["config", "--type=bool", "--get", name]).maybe()?.as_deref() == Some("true"))
    }

    /// A value of the configuration.
    pub(crate) fn config(&self, name: &str) -> Result<Option<String>, Error> {
        self.call(["config", "--get", name]).maybe()
    }
}

/// What git says about a repository that belongs to another user, and its cure: there is a repository, and git will not look.
fn distrusted(said: &str) -> Option<Error> {
    let lines = || said.lines().map(str::trim);
    let line = lines().find(|line| line.contains("dubious ownership"))?;
    let cure = lines().find(|line| line.starts_with("git config ")).map(str::to_owned);
    let cure = cure.unwrap_or_else(|| "git config --global --add safe.directory FOLDER".to_owned());
    Some(Error::Repository {
        message: format!("git refuses the repository: {}", line.trim_start_matches("fatal: ")),
        hint: Some(format!("it belongs to another user; if you trust it, `{cure}`")),
    })
}

/// Git's mode of a regular file.
fn mode_of(meta: &std::fs::Metadata) -> &'static str {
    use std::os::unix::fs::PermissionsExt as _;
    if meta.permissions().mode() & 0o100 != 0 { "100755" } else { "100644" }
}

/// Whether git reads a name from a line as it is: it takes quotes at the start, a line end and a return at the end for its own.
fn reads_alike(prefix: &str, path: &str) -> bool {
    let first = if prefix.is_empty() { path } else { prefix };
    !path.contains('\n') && !prefix.contains('\n') && !first.starts_with('"') && !path.ends_with('\r')
}

fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// NUL-separated names; a name that is not text cannot be a subject's and is shown with replacement characters.
pub(crate) fn names(bytes: &[u8]) -> Vec<String> {
    records(bytes).map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// `MODE TYPE ID<tab>PATH` of `ls-tree`.
fn tree_entry(record: &[u8]) -> Option<TreeEntry> {
    let text = std::str::from_utf8(record).ok()?;
    let (head, path) = text.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, _kind, id) = (words.next()?, words.next()?, words.next()?);
    Some(TreeEntry { path: path.to_owned(), mode: mode.to_owned(), blob: id.parse().ok()? })
}

/// `:MODE MODE ID ID STATUS` and a path, of `diff-index --raw -z`.
fn raw_change(record: &[String]) -> Option<(String, Option<TreeEntry>)> {
    let [head, path] = record else { return None };
    let mut words = head.split(' ').skip(1);
    let (mode, _before, id, status) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let entry = TreeEntry { path: path.clone(), mode: mode.to_owned(), blob: id.parse().ok()? };
    Some((path.clone(), (!status.starts_with('D')).then_some(entry)))
}

/// `MODE ID STAGE<tab>PATH` of `ls-files -s`.
fn index_entry(record: &[u8]) -> Option<TreeEntry> {
    let text = std::str::from_utf8(record).ok()?;
    let (head, path) = text.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, id) = (words.next()?, words.next()?);
    Some(TreeEntry { path: path.to_owned(), mode: mode.to_owned(), blob: id.parse().ok()? })
}

/// The patch between the folders `a` and `b` at a place, with paths as in a repository.
pub(crate) fn patch_between(place: &Path) -> Result<Vec<u8>, Error> {
    let output = child(place)
        .args([
            "-c",
            "core.quotePath=false",
            "diff",
            "--no-index",
            "--no-prefix",
            "--no-color",
            "--no-ext-diff",
        ])
        .args(["--no-textconv", "--find-renames", "a", "b"])
        .output()
        .map_err(|source| Error::Git {
            command: "diff --no-index".to_owned(),
            message: source.to_string(),
        })?;
    // 1 says that there are differences.
    match output.status.code() {
        Some(0 | 1) => Ok(output.stdout),
        _ => Err(Error::Git {
            command: "diff --no-index".to_owned(),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        }),
    }
}
