//! The room in which sides are materialised, built and started: one folder, one helper, one environment a side.

use super::artifacts::{files_below, newer_source};
use super::git::Repository;
use super::materialise::materialise;
use crate::error::Error;
use crate::harness::Harness;
use crate::process::{Ended, Job, JobSpec, Place, ProcessRunner, Relay, Surroundings, unrunnable};
use crate::runner::{FaultKind, Leftover, RunnerFault};
use crate::spec::SideSpec;
use crate::{Clock, Interrupt};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Where every side is built and run.
pub struct Bench<'a> {
    /// The user's project, read only.
    pub repository: &'a Repository,
    /// Where commands run.
    pub place: &'a Place,
    /// The helper there.
    pub relay: &'a Relay,
    /// The harness texts of this run.
    pub harness: &'a Harness,
    /// The folder of the whole run; removed by its owner.
    pub scratch: &'a Path,
    /// The clock.
    pub clock: &'a dyn Clock,
    /// Whether the user wants to stop.
    pub interrupt: &'a dyn Interrupt,
}

/// One side's folders.
#[derive(Clone, Debug)]
pub(super) struct SideRoom {
    /// What the side is.
    pub(super) spec: SideSpec,
    /// Its files.
    pub(super) tree: PathBuf,
    /// Its compiler and JIT caches.
    pub(super) cache: PathBuf,
    /// The commit of its tree, where it has one.
    pub(super) rev: Option<String>,
    /// Its variables, values as seen inside.
    pub(super) env: Vec<(String, String)>,
    /// Its files before the build, relative to the tree.
    pub(super) original: BTreeSet<String>,
}

/// How a build ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BuildOutcome {
    /// There is nothing to build.
    Nothing,
    /// It made what it should, in this time.
    Built {
        /// Wall time.
        ns: u64,
    },
    /// It did not.
    Failed {
        /// A clause: `ended with status 1`.
        what: String,
        /// The end of its output.
        log: String,
    },
    /// There is nothing here that could run it.
    Absent {
        /// The program that is not there, or not to be run.
        program: String,
        /// What the shell said, as a clause.
        what: String,
        /// The end of its output.
        log: String,
    },
    /// It left an artifact that is older than a source.
    Stale {
        /// One line.
        what: String,
    },
}

/// Variables that point tools at a side's own caches: (name, folder below the cache).
const CACHES: [(&str, &str); 9] = [
    ("TRITON_CACHE_DIR", "triton"),
    ("TORCHINDUCTOR_CACHE_DIR", "inductor"),
    ("TORCH_EXTENSIONS_DIR", "torch_extensions"),
    ("CUDA_CACHE_PATH", "cuda"),
    ("AITER_JIT_DIR", "aiter"),
    ("FLASHINFER_WORKSPACE_BASE", "flashinfer"),
    ("TILELANG_CACHE_DIR", "tilelang"),
    ("PYTHONPYCACHEPREFIX", "pycache"),
    ("XDG_CACHE_HOME", "xdg"),
];

impl Bench<'_> {
    /// Materialises a side into folders of its own. `number` names them: names of one length keep the environment of one size.
    ///
    /// # Errors
    /// [`Error::Tree`], [`Error::Io`].
    pub(super) fn materialise(&self, spec: &SideSpec, number: u32) -> Result<SideRoom, Error> {
        let folder = self.scratch.join(format!("s{number:02}"));
        let (tree, cache) = (folder.join("tree"), folder.join("cache"));
        let rev = materialise(spec, self.repository, &tree, &folder.join("index"))?;
        for (_, name) in CACHES {
            let path = cache.join(name);
            fs::create_dir_all(&path).map_err(|error| Error::io(&path, error))?;
        }
        let tmp = folder.join("tmp");
        fs::create_dir_all(&tmp).map_err(|error| Error::io(&tmp, error))?;
        let original = files_below(&tree).iter().filter_map(|path| relative(&tree, path)).collect();
        let env = self.environment(spec, &tree, &cache, &tmp)?;
        let room = SideRoom { spec: spec.clone(), tree, cache, rev, env, original };
        room.check_sources()?;
        Ok(room)
    }

    fn inside(&self, path: &Path) -> Result<String, Error> {
        self.place.inside(path).ok_or_else(|| Error::Prefix {
            prefix: self.place.prefix.join(" "),
            probe: path.display().to_string(),
            message: "the path is not visible inside; map it".to_owned(),
        })
    }

    fn environment(
        &self,
        spec: &SideSpec,
        tree: &Path,
        cache: &Path,
        tmp: &Path,
    ) -> Result<Vec<(String, String)>, Error> {
        let harness = self.inside(&self.harness.folder)?;
        let tree = self.inside(tree)?;
        let mut env = vec![
            // Empty entries would mean the current folder.
            ("PYTHONPATH".to_owned(), format!("{harness}:{tree}")),
            ("CPATH".to_owned(), harness.clone()),
            ("KFORGE_RUNNERS".to_owned(), harness),
            ("KFORGE_TREE".to_owned(), tree),
            ("TMPDIR".to_owned(), self.inside(tmp)?),
            // A user's own modules outside the tree would shadow the tree's.
            ("PYTHONNOUSERSITE".to_owned(), "1".to_owned()),
        ];
        for (name, folder) in CACHES {
            env.push((name.to_owned(), self.inside(&cache.join(folder))?));
        }
        env.extend(spec.env.iter().map(|(name, value)| (name.clone(), value.clone())));
        Ok(env)
    }

    fn jobs(&self) -> Result<PathBuf, Error> {
        let folder = self.scratch.join("jobs");
        fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        Ok(folder)
    }

    /// Runs a side's build; names the processes that it left, which have been killed.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Io`]; a build that fails is an outcome.
    pub(super) fn build(&self, room: &SideRoom) -> Result<(BuildOutcome, Vec<Leftover>), Error> {
        let Some(command) = &room.spec.build else { return Ok((BuildOutcome::Nothing, Vec::new())) };
        // Folders of artifacts exist before the build, as they would after a first one.
        for artifact in &room.spec.artifacts {
            if let Some(folder) = room.tree.join(artifact).parent() {
                fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
            }
        }
        let jobs = self.jobs()?;
        let spec = JobSpec {
            command,
            folder: &room.tree,
            env: &room.env,
            scratch: &jobs,
            label: "build",
            reads_input: false,
        };
        let start = self.clock.now();
        let mut job = match Job::start(&spec, self.place, self.relay) {
            Ok(job) => job,
            Err(error) => {
                let what = format!("could not be started: {error}");
                return Ok((BuildOutcome::Failed { what, log: String::new() }, Vec::new()));
            }
        };
        let ended = job.wait(room.spec.build_deadline, self.interrupt);
        let log = job.log_tail();
        let ns = self.clock.now().since(start).0.unsigned_abs();
        let outcome = match ended {
            Ended::Interrupted => return Err(Error::Interrupted),
            Ended::NotRun(_) => {
                let (program, what) = unrunnable(command, &log);
                BuildOutcome::Absent { program, what, log }
            }
            Ended::Badly(what) => BuildOutcome::Failed { what, log },
            Ended::Late(after) => BuildOutcome::Failed {
                what: format!("did not end within {} s (build_deadline_s)", after.as_secs()),
                log,
            },
            Ended::Well => room.artifacts_are_made(&log).unwrap_or(BuildOutcome::Built { ns }),
        };
        Ok((outcome, job.left()))
    }

    /// Starts a fresh runner of a side.
    pub(super) fn start(&self, room: &SideRoom) -> Result<ProcessRunner<'_>, RunnerFault> {
        let jobs = self.jobs().map_err(|error| {
            RunnerFault::new(FaultKind::NotStarted, format!("could not be started: {error}"))
        })?;
        let spec = JobSpec {
            command: &room.spec.runner,
            folder: &room.tree,
            env: &room.env,
            scratch: &jobs,
            label: "runner",
            reads_input: true,
        };
        let surroundings = Surroundings {
            place: self.place,
            relay: self.relay,
            clock: self.clock,
            interrupt: self.interrupt,
            stamps: &self.harness.stamps,
        };
        ProcessRunner::start(&spec, room.spec.deadline, surroundings)
    }
}

impl SideRoom {
    /// Declared sources exist in the tree.
    fn check_sources(&self) -> Result<(), Error> {
        match self.spec.sources.iter().find(|source| !self.tree.join(source).exists()) {
            None => Ok(()),
            Some(source) => Err(Error::Tree {
                side: self.spec.name.clone(),
                tree: self.spec.tree.text(),
                message: format!("it has no `{source}`, which is declared as a source"),
                cure: Some(
                    "name the file as it is in the tree, or commit it where the tree is a commit".to_owned(),
                ),
            }),
        }
    }

    /// The declared sources as files, relative to the tree.
    pub(super) fn source_files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for source in &self.spec.sources {
            let below = format!("{source}/");
            files.extend(
                self.original.iter().filter(|path| *path == source || path.starts_with(&below)).cloned(),
            );
        }
        files
    }

    /// What is wrong with the artifacts after a build, if anything is.
    fn artifacts_are_made(&self, log: &str) -> Option<BuildOutcome> {
        let sources = self.source_files();
        self.spec.artifacts.iter().find_map(|artifact| {
            if !self.tree.join(artifact).is_file() {
                return Some(BuildOutcome::Failed {
                    what: format!("left no `{artifact}`"),
                    log: log.to_owned(),
                });
            }
            let source = newer_source(&self.tree, artifact, &sources)?;
            Some(BuildOutcome::Stale {
                what: format!(
                    "`{artifact}` is older than its source `{source}` although the build ended well"
                ),
            })
        })
    }

    /// Takes write permission from the caches, or gives it back.
    pub(super) fn set_cache_writable(&self, writable: bool) {
        let mut folders = vec![self.cache.clone()];
        let mode = if writable { 0o755 } else { 0o555 };
        while let Some(folder) = folders.pop() {
            // Where permissions cannot be changed, new files are still found by their names afterwards.
            let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(mode));
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            folders.extend(
                entries
                    .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                    .map(|entry| entry.path()),
            );
        }
    }
}

/// A path below a folder, as the record spells it.
pub(super) fn relative(folder: &Path, path: &Path) -> Option<String> {
    path.strip_prefix(folder).ok().map(|rest| rest.to_string_lossy().into_owned())
}
