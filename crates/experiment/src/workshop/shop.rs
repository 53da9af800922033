//! The workshop of production: sides in folders of a scratch space, runners in child processes.

use super::artifacts::files_below;
use super::bench::{Bench, BuildOutcome, SideRoom};
use super::inventory::{Inventory, Preparations, Sealing, opened_late};
use super::opened::Opened;
use crate::error::Error;
use crate::expression::Params;
use crate::fill::RawFile;
use crate::operands::InputSource;
use crate::process::{Ended, Job, JobSpec, unrunnable};
use crate::runner::{FaultKind, Hello, Launcher, Runner, RunnerFault};
use crate::spec::Experiment;
use crate::stage::{ENVIRONMENT, Remark, SideBuild, SideSeal, SideTrouble, Workshop};
use kforge_record::{Digest, Subject, VoidCause, VoidFinding};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A generator that takes longer than this does not end.
const GENERATOR_DEADLINE: Duration = Duration::from_mins(10);

/// A generator's command, seed, parameters and length in bytes.
type Asked = (String, u64, Params, usize);

/// Sides of one experiment, materialised on demand.
pub struct Shop<'a> {
    bench: Bench<'a>,
    experiment: &'a Experiment,
    rooms: RefCell<Vec<SideRoom>>,
    sealed: RefCell<BTreeMap<String, Inventory>>,
    files: Cell<u64>,
    /// Input files by the BLAKE3 of their bytes: each side, launch and check asks for the same again. Sides can write to them, so that a file is
    /// handed out again only where it still holds what it held.
    written: RefCell<BTreeMap<[u8; 32], RawFile>>,
    /// What generators wrote and its BLAKE3, by what they were asked.
    generated: RefCell<BTreeMap<Asked, (RawFile, [u8; 32])>>,
    /// Artifacts that are older than their sources, by side.
    stale: RefCell<BTreeMap<String, String>>,
    /// The declared files as the build left them, by side.
    declared: RefCell<BTreeMap<String, Subject>>,
    /// What is opened in the trees, by side.
    opened: RefCell<BTreeMap<String, Opened>>,
}

impl<'a> Shop<'a> {
    /// An empty workshop on a bench.
    pub fn new(bench: Bench<'a>, experiment: &'a Experiment) -> Self {
        Self {
            bench,
            experiment,
            rooms: RefCell::new(Vec::new()),
            sealed: RefCell::new(BTreeMap::new()),
            files: Cell::new(0),
            written: RefCell::new(BTreeMap::new()),
            generated: RefCell::new(BTreeMap::new()),
            stale: RefCell::new(BTreeMap::new()),
            declared: RefCell::new(BTreeMap::new()),
            opened: RefCell::new(BTreeMap::new()),
        }
    }

    fn room(&self, side: &str) -> Option<SideRoom> {
        self.rooms.borrow().iter().find(|room| room.spec.name == side).cloned()
    }

    fn known(&self, side: &str) -> Result<SideRoom, Error> {
        self.room(side).ok_or_else(|| Error::Bug(format!("`{side}` was never materialised")))
    }

    /// The digest of the variables that builds and runners are given, with the scratch folder's own name left out.
    ///
    /// # Errors
    /// Never in practice.
    pub fn variables(&self) -> Result<Digest, Error> {
        let scratch = self.bench.place.inside(self.bench.scratch).unwrap_or_default();
        let rooms = self.rooms.borrow();
        let all: BTreeMap<&str, Vec<(String, String)>> = rooms
            .iter()
            .map(|room| {
                let env = self.bench.place.env.iter().chain(&room.env);
                (
                    room.spec.name.as_str(),
                    env.map(|(name, value)| (name.clone(), value.replace(&scratch, "$SCRATCH"))).collect(),
                )
            })
            .collect();
        Ok(Digest::of_value(&all)?)
    }

    /// Files here that a side was built into, and those in the caches of its compilers, as they are now.
    pub fn built_files(&self, side: &str) -> Vec<PathBuf> {
        let Some(room) = self.room(side) else { return Vec::new() };
        let artifacts = room.spec.artifacts.iter().map(|name| room.tree.join(name));
        artifacts.chain(files_below(&room.cache)).collect()
    }

    fn next_file(&self) -> Result<PathBuf, Error> {
        let folder = self.bench.scratch.join("inputs");
        fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        self.files.set(self.files.get() + 1);
        Ok(folder.join(format!("{:06}.bin", self.files.get())))
    }

    fn raw_file(&self, path: PathBuf) -> Result<RawFile, Error> {
        let inside = self
            .bench
            .place
            .inside(&path)
            .ok_or_else(|| Error::Bug("the scratch folder is not visible inside".to_owned()))?;
        Ok(RawFile { path, inside })
    }
}

/// The BLAKE3 of a file's bytes as they are now; nothing where it cannot be read.
fn digest_of(path: &Path) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(fs::File::open(path).ok()?).ok()?;
    Some(*hasher.finalize().as_bytes())
}

/// Files of the first subject that have another content or mode in the second, or are gone from it.
fn changed_sources<'s>(before: &'s Subject, after: &'s Subject) -> impl Iterator<Item = &'s str> {
    before.entries.iter().filter(|entry| !after.entries.contains(entry)).map(|entry| entry.path.as_str())
}

impl Launcher for Shop<'_> {
    fn launch(&self, side: &str) -> Result<Box<dyn Runner + '_>, RunnerFault> {
        let room = self.room(side).ok_or_else(|| {
            RunnerFault::new(FaultKind::NotStarted, format!("could not be started: `{side}` was never built"))
        })?;
        Ok(Box::new(self.bench.start(&room)?))
    }
}

impl InputSource for Shop<'_> {
    fn file(&self, bytes: &[u8]) -> Result<RawFile, Error> {
        let digest = *blake3::hash(bytes).as_bytes();
        let known = self.written.borrow().get(&digest).cloned();
        if let Some(known) = known.filter(|known| digest_of(&known.path) == Some(digest)) {
            return Ok(known);
        }
        let path = self.next_file()?;
        fs::write(&path, bytes).map_err(|error| Error::io(&path, error))?;
        let file = self.raw_file(path)?;
        self.written.borrow_mut().insert(digest, file.clone());
        Ok(file)
    }

    fn generated(&self, command: &str, seed: u64, params: &Params, length: usize) -> Result<RawFile, Error> {
        // Asked again, it is not run again: one that does not obey its seed would give every side other inputs.
        let asked = (command.to_owned(), seed, params.clone(), length);
        let known = self.generated.borrow().get(&asked).cloned();
        if let Some((known, digest)) = known
            && digest_of(&known.path) == Some(digest)
        {
            return Ok(known);
        }
        let file = self.raw_file(self.next_file()?)?;
        let mut env = vec![
            ("KFORGE_OUT".to_owned(), file.inside.clone()),
            ("KFORGE_SEED".to_owned(), seed.to_string()),
        ];
        env.push(("KFORGE_BYTES".to_owned(), length.to_string()));
        env.extend(
            params.iter().map(|(name, value)| {
                (format!("KFORGE_PARAM_{}", name.to_ascii_uppercase()), value.to_string())
            }),
        );
        let spec = JobSpec {
            command,
            folder: &self.bench.repository.root,
            env: &env,
            scratch: self.bench.scratch,
            label: "generator",
            reads_input: false,
        };
        let fail = |message: String| Error::Tool { tool: command.to_owned(), message };
        let mut job = Job::start(&spec, self.bench.place, self.bench.relay)
            .map_err(|error| fail(format!("could not be started: {error}")))?;
        match job.wait(GENERATOR_DEADLINE, self.bench.interrupt) {
            Ended::Well => {}
            Ended::Interrupted => return Err(Error::Interrupted),
            Ended::NotRun(_) => {
                let (tool, message) = unrunnable(command, &job.log_tail());
                return Err(Error::Tool { tool, message });
            }
            Ended::Badly(what) => return Err(fail(format!("{what}\n{}", job.log_tail()))),
            Ended::Late(after) => return Err(fail(format!("did not end within {} s", after.as_secs()))),
        }
        match fs::metadata(&file.path).map(|meta| meta.len()) {
            Ok(written) if written == length as u64 => {
                if let Some(digest) = digest_of(&file.path) {
                    self.generated.borrow_mut().insert(asked, (file.clone(), digest));
                }
                Ok(file)
            }
            Ok(written) => Err(fail(format!("wrote {written} bytes to $KFORGE_OUT, {length} are needed"))),
            Err(_) => Err(fail("wrote nothing to $KFORGE_OUT".to_owned())),
        }
    }
}

impl Workshop for Shop<'_> {
    fn build(&self, side: &str) -> Result<SideBuild, Error> {
        let experiment = self.experiment;
        let all = [&experiment.reference, &experiment.baseline].into_iter().chain(&experiment.candidates);
        let spec = all
            .into_iter()
            .find(|spec| spec.name == side)
            .ok_or_else(|| Error::Bug(format!("there is no side `{side}`")))?;
        let number = self.rooms.borrow().len() as u32;
        let room = self.bench.materialise(spec, number)?;
        let sealing = Sealing { bench: &self.bench, op: &experiment.op, rooms: &[] };
        let before = sealing.declared(&room)?;
        let opened = Opened::watch(&room.tree, &room.original);
        self.opened.borrow_mut().insert(side.to_owned(), opened);
        let (outcome, left) = self.bench.build(&room)?;
        let subject = sealing.declared(&room)?;
        self.declared.borrow_mut().insert(side.to_owned(), subject.clone());
        self.rooms.borrow_mut().push(room);
        let outcome = match outcome {
            BuildOutcome::Nothing => Ok(None),
            BuildOutcome::Built { ns } => Ok(Some(ns)),
            BuildOutcome::Failed { what, log } => Err(SideTrouble { stage: "build", what, log }),
            BuildOutcome::Absent { program, what, .. } if matches!(side, "reference" | "baseline") => {
                return Err(Error::Tool {
                    tool: program,
                    message: format!("{what}; the build of {side} needs it"),
                });
            }
            BuildOutcome::Absent { program, what, log } => Err(SideTrouble {
                stage: ENVIRONMENT,
                what: format!("the build needs `{program}`, which {what}"),
                log,
            }),
            BuildOutcome::Stale { what } => {
                self.stale.borrow_mut().insert(side.to_owned(), what);
                Ok(None)
            }
        };
        let changed = changed_sources(&before, &subject).map(|path| Remark {
            code: "source-changed",
            message: format!("{side}: its build changed `{path}`, a declared source; the evidence is for the changed file, which is not the tree's"),
        });
        let remarks = Remark::left(side, "after its build", &left).into_iter().chain(changed).collect();
        Ok(SideBuild { subject, outcome, remarks })
    }

    fn seal(
        &self,
        side: &str,
        hello: &Hello,
        loaded: &[String],
        startup_ns: u64,
        warm_ns: u64,
    ) -> Result<SideSeal, Error> {
        let room = self.known(side)?;
        let rooms = self.rooms.borrow().clone();
        let sealing = Sealing { bench: &self.bench, op: &self.experiment.op, rooms: &rooms };
        let took = Preparations { startup: startup_ns, warm: warm_ns };
        let opened = self.opened.borrow().get(side).map(Opened::seen).unwrap_or_default();
        let (inventory, mut findings) = sealing.take(&room, hello, loaded, &opened.files, &took)?;
        if let Some(built) = self.declared.borrow().get(side) {
            findings.extend(changed_sources(built, &inventory.subject).map(|path| VoidFinding {
                cause: VoidCause::Rebuilt,
                detail: format!("{side}: `{path}` was changed while its runner was warmed"),
            }));
        }
        if let Some(detail) = self.stale.borrow().get(side) {
            findings.push(VoidFinding { cause: VoidCause::Rebuilt, detail: format!("{side}: {detail}") });
        }
        room.set_cache_writable(false);
        let remarks = opened.incomplete.into_iter().map(|why| Remark {
            code: "subject-incomplete",
            message: format!("{side}: {why}: a file of the tree that no dependency file names may be missing from what is measured"),
        });
        let seal = SideSeal {
            subject: inventory.subject.clone(),
            build: inventory.build.clone(),
            findings,
            remarks: remarks.collect(),
        };
        self.sealed.borrow_mut().insert(side.to_owned(), inventory);
        Ok(seal)
    }

    fn recheck(&self, side: &str, loaded: &[String]) -> Vec<VoidFinding> {
        let sealed = self.sealed.borrow();
        match (self.room(side), sealed.get(side)) {
            (Some(room), Some(inventory)) => {
                let opened = self.opened.borrow().get(side).map(Opened::seen).unwrap_or_default();
                let mut findings = inventory.recheck(&room, loaded);
                findings.extend(opened_late(&room, &inventory.subject, &opened.files));
                findings
            }
            _ => Vec::new(),
        }
    }
}

impl Drop for Shop<'_> {
    /// The scratch folder's owner can remove it only where its folders are writable.
    fn drop(&mut self) {
        self.rooms.borrow().iter().for_each(|room| room.set_cache_writable(true));
    }
}
