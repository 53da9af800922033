//! What a side is made of, bound by content, and whether that still holds after it was measured.
//!
//! Answers with the record's `Subject` and `Build`. Refuses nothing itself: what contradicts the rules of sealing is a
//! `VoidFinding`. Invariant: every file that the warmed processes had loaded is either in the subject, in the build, or part of the harness.

use super::artifacts::{artifact, files_below, hash_file};
use super::bench::{Bench, SideRoom, relative};
use super::dependencies::{dependency_files, prerequisites};
use crate::error::Error;
use crate::process::{Ended, Job, JobSpec, quoted};
use crate::runner::Hello;
use kforge_record::{Artifact, BlobId, Build, Digest, Subject, SubjectEntry, Tool, VoidCause, VoidFinding};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More outside inputs than this are bound folder by folder.
const MOST_SINGLE: usize = 60;

/// What was measured while a side was made ready.
#[derive(Clone, Debug, Default)]
pub(super) struct Preparations {
    /// From starting the runner to its hello, ns.
    pub(super) startup: u64,
    /// Warming every case, ns.
    pub(super) warm: u64,
}

/// A side bound by content.
#[derive(Clone, Debug)]
pub(super) struct Inventory {
    pub(super) subject: Subject,
    pub(super) build: Build,
    /// Files, as seen inside, that a process of this side may have loaded.
    known: BTreeSet<String>,
    /// Files of the tree, given or built, and their content.
    bound: BTreeMap<PathBuf, Digest>,
    /// Files in the caches.
    cached: BTreeSet<PathBuf>,
}

/// The files of a warmed side, sorted by where they came from.
#[derive(Default)]
struct Sorted {
    subject: BTreeSet<String>,
    made: BTreeSet<String>,
    cached: BTreeSet<PathBuf>,
    outside: BTreeSet<String>,
    findings: Vec<VoidFinding>,
}

/// Takes inventories.
pub(super) struct Sealing<'a> {
    pub(super) bench: &'a Bench<'a>,
    pub(super) op: &'a str,
    /// Every side's folders, so that a file of another side is recognised.
    pub(super) rooms: &'a [SideRoom],
}

fn finding(cause: VoidCause, detail: String) -> VoidFinding {
    VoidFinding { cause, detail }
}

/// Mappings that are no files.
fn is_file_name(path: &str) -> bool {
    !["/dev/", "/memfd:", "/SYSV", "/proc/", "/["].iter().any(|start| path.starts_with(start))
        && path.starts_with('/')
}

impl Sealing<'_> {
    /// The inventory of a warmed side, and what is wrong with it.
    ///
    /// # Errors
    /// Where a file cannot be read or git does not answer.
    pub(super) fn take(
        &self,
        room: &SideRoom,
        hello: &Hello,
        loaded: &[String],
        opened: &BTreeSet<String>,
        took: &Preparations,
    ) -> Result<(Inventory, Vec<VoidFinding>), Error> {
        let mut sorted = Sorted { subject: room.source_files().into_iter().collect(), ..Sorted::default() };
        sorted.subject.extend(room.original.intersection(opened).cloned());
        sorted.made.extend(room.spec.artifacts.iter().cloned());
        self.sort_dependencies(room, &mut sorted);
        let known: BTreeSet<String> = loaded.iter().filter(|path| is_file_name(path)).cloned().collect();
        for path in &known {
            self.sort_loaded(room, path, &mut sorted);
        }
        sorted.cached.extend(files_below(&room.cache));
        let subject = self.subject(room, &sorted.subject)?;
        let build = self.build(room, hello, &subject, &sorted, took)?;
        let mut bound: BTreeMap<PathBuf, Digest> = build
            .artifacts
            .iter()
            .map(|artifact| (room.tree.join(&artifact.path), artifact.blake3))
            .collect();
        for entry in &subject.entries {
            let path = room.tree.join(&entry.path);
            // A link to a folder, or to nothing, is bound by its target's name alone.
            if let Ok((_, content)) = hash_file(&path) {
                bound.insert(path, content);
            }
        }
        Ok((Inventory { subject, build, known, bound, cached: sorted.cached }, sorted.findings))
    }

    /// The declared files alone, before anything was built.
    pub(super) fn declared(&self, room: &SideRoom) -> Result<Subject, Error> {
        self.subject(room, &room.source_files().into_iter().collect())
    }

    /// Inputs that the compiler named.
    fn sort_dependencies(&self, room: &SideRoom, sorted: &mut Sorted) {
        for file in dependency_files(&room.tree) {
            if relative(&room.tree, &file).is_some_and(|name| room.original.contains(&name)) {
                continue;
            }
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            for name in prerequisites(&text) {
                // Compilers run in the tree's root, where relative names begin.
                let inside =
                    if name.starts_with('/') { name } else { format!("{}/{name}", self.name(&room.tree)) };
                self.sort_loaded(room, &normal(&inside), sorted);
            }
        }
    }

    fn name(&self, path: &Path) -> String {
        self.bench.place.inside(path).unwrap_or_default()
    }

    /// One file that the side was seen to use, named as inside.
    fn sort_loaded(&self, room: &SideRoom, path: &str, sorted: &mut Sorted) {
        if let Some(gone) = path.strip_suffix(" (deleted)") {
            sorted.findings.push(finding(
                VoidCause::Rebuilt,
                format!("{}: {gone} was replaced after it was loaded", room.spec.name),
            ));
            return;
        }
        let below = |folder: &Path| path.strip_prefix(&format!("{}/", self.name(folder))).map(str::to_owned);
        if below(&self.bench.harness.folder).is_some() {
            return;
        }
        if let Some(rest) = below(&room.tree) {
            if room.original.contains(&rest) {
                sorted.subject.insert(rest);
            } else if room.tree.join(&rest).exists() {
                sorted.made.insert(rest);
            } else {
                let detail = format!("{}: {rest} was used and is no longer there", room.spec.name);
                sorted.findings.push(finding(VoidCause::Rebuilt, detail));
            }
            return;
        }
        if below(&room.cache).is_some() {
            return;
        }
        if let Some(other) =
            self.rooms.iter().find(|other| other.spec.name != room.spec.name && below(&other.tree).is_some())
        {
            let detail = format!("{} uses {path}, a file of {}", room.spec.name, other.spec.name);
            sorted.findings.push(finding(VoidCause::Shadowed, detail));
            return;
        }
        if let Some(detail) = self.shadows(room, path) {
            sorted.findings.push(finding(VoidCause::Shadowed, detail));
            return;
        }
        sorted.outside.insert(path.to_owned());
    }

    /// A file from outside that stands in for one of the side's own.
    fn shadows(&self, room: &SideRoom, path: &str) -> Option<String> {
        let users = format!("{}/", self.bench.place.inside(&self.bench.repository.root)?);
        if let Some(rest) = path.strip_prefix(&users)
            && room.tree.join(rest).exists()
        {
            return Some(format!("{} uses {path} instead of the `{rest}` of its own tree", room.spec.name));
        }
        let file = Path::new(path).file_name()?;
        let own = room
            .spec
            .artifacts
            .iter()
            .find(|artifact| Path::new(artifact.as_str()).file_name() == Some(file))?;
        Some(format!("{} uses {path} instead of its own artifact `{own}`", room.spec.name))
    }

    fn subject(&self, room: &SideRoom, files: &BTreeSet<String>) -> Result<Subject, Error> {
        let (links, plain): (Vec<String>, Vec<String>) =
            files.iter().cloned().partition(|path| room.tree.join(path).is_symlink());
        let fail = |message: String| Error::Tool { tool: "git hash-object".to_owned(), message };
        let mut blobs: Vec<(String, BlobId)> = Vec::new();
        if !plain.is_empty() {
            let ids = self.bench.repository.blobs(&room.tree, &plain).map_err(fail)?;
            blobs.extend(plain.into_iter().zip(ids));
        }
        for link in links {
            let target =
                std::fs::read_link(room.tree.join(&link)).map_err(|error| Error::io(&link, error))?;
            // A link's blob is its target's text; its format is that of the repository's other blobs.
            let format = blobs.first().map_or(kforge_record::ObjectFormat::Sha1, |(_, id)| id.format());
            blobs.push((link, BlobId::of_bytes(format, target.to_string_lossy().as_bytes())));
        }
        let entries = blobs
            .into_iter()
            .map(|(path, blob)| SubjectEntry { mode: mode(&room.tree.join(&path)).to_owned(), path, blob })
            .collect();
        let spec = &room.spec;
        Ok(Subject::new(self.op, &spec.name, &spec.class, &spec.tree.text(), room.rev.clone(), entries)?)
    }

    fn build(
        &self,
        room: &SideRoom,
        hello: &Hello,
        subject: &Subject,
        sorted: &Sorted,
        took: &Preparations,
    ) -> Result<Build, Error> {
        let made = sorted
            .made
            .iter()
            .map(|name| {
                artifact(&room.tree.join(name), name).map_err(|error| Error::io(room.tree.join(name), error))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let code_objects = sorted
            .cached
            .iter()
            .filter_map(|path| artifact(path, &relative(&room.cache, path)?).ok())
            // Byte code of the interpreter carries times and paths; it is made from modules that are bound themselves.
            .filter(|object| Path::new(&object.path).extension().is_none_or(|ending| ending != "pyc"))
            .collect();
        let command = room.spec.build.clone();
        let words = command.iter().chain([&room.spec.runner]).flat_map(|text| text.split_whitespace());
        let flags = words.filter(|word| word.starts_with('-')).map(str::to_owned).collect();
        let build = Build {
            id: Digest::of_bytes(b""),
            subject: subject.id,
            command,
            runner: room.spec.runner.clone(),
            flags,
            toolchain: vec![Tool { name: hello.language.clone(), version: hello.toolchain.clone() }],
            artifacts: made,
            inputs: self.outside(&sorted.outside)?,
            code_objects,
            autotune: Vec::new(),
            build_ns: None,
            startup_ns: Some(took.startup),
            warm_ns: Some(took.warm),
        };
        Ok(build.identified()?)
    }

    /// Inputs from outside the tree, single or, where there are many, one entry a folder.
    fn outside(&self, paths: &BTreeSet<String>) -> Result<Vec<Artifact>, Error> {
        let mut single = Vec::new();
        for (path, here) in self.reachable(paths)? {
            // What a build saw may have been a temporary file of the compiler.
            if let Ok(found) = artifact(&here, &path) {
                single.push(found);
            }
        }
        if single.len() <= MOST_SINGLE {
            return Ok(single);
        }
        let mut folders: BTreeMap<String, Vec<Artifact>> = BTreeMap::new();
        for artifact in single {
            let parts: Vec<&str> = artifact.path.split('/').collect();
            let folder = parts
                .iter()
                .take(parts.len().saturating_sub(1).min(5))
                .copied()
                .collect::<Vec<_>>()
                .join("/");
            folders.entry(folder).or_default().push(artifact);
        }
        folders
            .into_iter()
            .map(|(folder, files)| {
                let bytes = files.iter().map(|file| file.bytes).sum();
                Ok(Artifact {
                    path: format!("{folder}/** ({} files)", files.len()),
                    blake3: Digest::of_value(&files)?,
                    bytes,
                })
            })
            .collect()
    }

    /// Files inside, each with a path here that has its content: itself where it is visible, else a copy in the scratch folder.
    fn reachable(&self, paths: &BTreeSet<String>) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut found = Vec::new();
        let mut hidden = Vec::new();
        for path in paths {
            match self.bench.place.outside(path) {
                Some(here) => found.push((path.clone(), here)),
                None => hidden.push(path.clone()),
            }
        }
        if hidden.is_empty() {
            return Ok(found);
        }
        let folder = self.bench.scratch.join("fetched");
        std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        let mut script = String::new();
        for (number, path) in hidden.iter().enumerate() {
            let copy = folder.join(number.to_string());
            let _ = writeln!(script, "cp {} {}", quoted(path), quoted(&self.name(&copy)));
            found.push((path.clone(), copy));
        }
        script.push_str("exit 0\n");
        let spec = JobSpec {
            command: &script,
            folder: &folder,
            env: &[],
            scratch: self.bench.scratch,
            label: "fetch",
            reads_input: false,
        };
        let mut job = Job::start(&spec, self.bench.place, self.bench.relay)
            .map_err(|error| Error::io(&folder, error))?;
        match job.wait(Duration::from_mins(5), self.bench.interrupt) {
            Ended::Interrupted => Err(Error::Interrupted),
            _ => Ok(found),
        }
    }
}

impl Inventory {
    /// What no longer holds: `loaded` is what a process of the side has loaded now.
    pub(super) fn recheck(&self, room: &SideRoom, loaded: &[String]) -> Vec<VoidFinding> {
        let side = &room.spec.name;
        let mut findings = Vec::new();
        for path in loaded.iter().filter(|path| is_file_name(path) && !self.known.contains(*path)) {
            let own =
                path.contains(&*room.tree.to_string_lossy()) || path.contains(&*room.cache.to_string_lossy());
            let cause =
                if own || path.ends_with(" (deleted)") { VoidCause::Rebuilt } else { VoidCause::Shadowed };
            findings.push(finding(cause, format!("{side} loaded {path} after it was sealed")));
        }
        for (path, sealed) in &self.bound {
            let same = hash_file(path).is_ok_and(|(_, now)| now == *sealed);
            if !same {
                findings.push(finding(
                    VoidCause::Rebuilt,
                    format!(
                        "{side}: `{}` changed after it was sealed",
                        path.strip_prefix(&room.tree).unwrap_or(path).display()
                    ),
                ));
            }
        }
        let present: BTreeSet<PathBuf> = files_below(&room.cache).into_iter().collect();
        let mut rebuilt = |path: &Path, how: &str| {
            findings.push(finding(VoidCause::Rebuilt, format!("{side}: {} {how} sealing", path.display())));
        };
        for path in present.iter().filter(|path| !self.cached.contains(*path)) {
            rebuilt(path, "appeared after");
        }
        for (path, sealed) in self.build.code_objects.iter().map(|code| (room.cache.join(&code.path), code)) {
            if !present.contains(&path) {
                rebuilt(&path, "was removed after");
            } else if is_code(&path) && hash_file(&path).map_or(true, |(_, now)| now != sealed.blake3) {
                rebuilt(&path, "changed after");
            }
        }
        findings
    }
}

/// Whether a file of a cache is what runs. Beside it caches keep times of use, locks and logs, which honest use writes.
fn is_code(path: &Path) -> bool {
    const ENDINGS: [&str; 17] = [
        "amdgcn", "cpp", "co", "cu", "cubin", "hip", "hsaco", "json", "ll", "llir", "o", "ptx", "py", "so",
        "spv", "ttgir", "ttir",
    ];
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Files of the tree that were opened after a side was sealed and are no part of what was.
pub(super) fn opened_late(room: &SideRoom, sealed: &Subject, opened: &BTreeSet<String>) -> Vec<VoidFinding> {
    let late = room.original.intersection(opened);
    let late = late.filter(|path| !sealed.entries.iter().any(|entry| entry.path == **path));
    late.map(|path| {
        let detail = format!("{} opened `{path}` of its tree after it was sealed", room.spec.name);
        finding(VoidCause::Rebuilt, detail)
    })
    .collect()
}

/// Git's file mode.
fn mode(path: &Path) -> &'static str {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => "120000",
        Ok(meta) if meta.permissions().mode() & 0o100 != 0 => "100755",
        _ => "100644",
    }
}

/// A name without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    format!("/{}", parts.join("/"))
}
