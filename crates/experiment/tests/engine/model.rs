//! A model of runners and of their machine: time passes only when a model says so, and nothing real is measured.

use kforge_experiment::{
    Batch, CacheMode, Clock, Device, Dtype, Dump, DumpedOutput, Engine, Error, Event, Experiment, FaultKind,
    Hello, InputDigests, InputSource, Launcher, Leftover, Observation, Operand, Params, Preparation, Ran,
    RawFile, Role, Runner, RunnerFault, SideBuild, SideSeal, Stream, Uninterrupted, Workshop, tensor_digest,
};
use kforge_record::{
    BlobId, Build, Device as DeviceRecord, Digest, FloorStatus, ObjectFormat, Policy, Subject, SubjectEntry,
    VoidCause, VoidFinding,
};
use kforge_testkit::{scale_operation, scale_side};
use kforge_units::Instant;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;

/// How a modelled side behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Manner {
    /// Right, and so many ns a call.
    Honest(f64),
    /// Right when looked at before timing, then it does nothing and is quick.
    LazyWhenTimed,
    /// Reports half of the time it takes.
    HalfClock,
    /// A tenth of its work is in its samples; the rest runs on after its batches were said to be done.
    RunsOn,
    /// Reports less than half of the second batch of every run.
    HidesInOneBatch,
    /// Leaves two fifths of the work out wherever its result is still there.
    LeavesWhereDone,
    /// Remembers results by slot.
    Cached,
    /// Loads a file after it was sealed.
    LoadsLate,
    /// Ends in the third launch.
    DiesWhenTimed,
    /// Holds other inputs than it was told to.
    OtherInputs,
    /// Changes an input.
    Mutates,
}

#[derive(Default)]
pub struct ModelClock(Cell<i64>);

impl Clock for ModelClock {
    fn now(&self) -> Instant {
        Instant(self.0.get())
    }
}

pub struct Model {
    pub clock: ModelClock,
    manners: BTreeMap<String, Manner>,
    noise: RefCell<Stream>,
    launches: Cell<u32>,
    /// What the engine asked for, in order.
    pub log: RefCell<Vec<String>>,
}

pub fn experiment() -> Experiment {
    let sides = [("reference", "r"), ("baseline", "b"), ("c", "c")]
        .map(|(name, runner)| scale_side(name, runner, "a", ""));
    let text = format!("op = \"scale\"\n{}{}", sides.concat(), scale_operation(64, 200));
    Experiment::parse(Path::new("experiment.toml"), &text, &Policy::default()).unwrap()
}

impl Model {
    pub fn new(candidate: Manner, seed: u64) -> Self {
        let manners = [
            ("reference", Manner::Honest(10_000.0)),
            ("baseline", Manner::Honest(20_000.0)),
            ("c", candidate),
        ];
        Self {
            clock: ModelClock::default(),
            manners: manners.into_iter().map(|(name, manner)| (name.to_owned(), manner)).collect(),
            noise: RefCell::new(Stream::new(seed, 9)),
            launches: Cell::new(0),
            log: RefCell::new(Vec::new()),
        }
    }

    pub fn engine<'a>(&'a self, experiment: &'a Experiment) -> Engine<'a> {
        Engine {
            experiment,
            workshop: self,
            device: self,
            clock: &self.clock,
            interrupt: &Uninterrupted,
            report: &|_: Event| {},
        }
    }

    /// A factor around 1 with this spread.
    fn factor(&self, spread: f64) -> f64 {
        let word = f64::from(self.noise.borrow_mut().word()) / f64::from(u32::MAX);
        1.0 + (word - 0.5) * spread
    }

    fn pass(&self, ns: f64) {
        self.clock.0.set(self.clock.0.get() + ns as i64);
    }
}

struct ModelRunner<'a> {
    model: &'a Model,
    side: String,
    manner: Manner,
    /// What this process is slower by than another one of the same program.
    launch_factor: f64,
    number: u32,
    held: Vec<Vec<(Operand, Vec<u8>)>>,
    memory: BTreeMap<u32, Vec<u8>>,
    paused: bool,
}

impl ModelRunner<'_> {
    fn fill(&mut self, operands: &[Operand], slots: u32, distinct: u32) -> Vec<InputDigests> {
        let mut digests = Vec::new();
        self.held.clear();
        for slot in 0..slots {
            let mut tensors = Vec::new();
            let mut digest = InputDigests::new();
            for operand in operands {
                let mut bytes =
                    operand.recipe.bytes(operand.dtype, operand.count(), slot % distinct).unwrap();
                if operand.role != Role::Output {
                    if self.manner == Manner::OtherInputs {
                        bytes[0] ^= 1;
                    }
                    digest.insert(operand.name.clone(), tensor_digest(&bytes));
                }
                tensors.push((operand.clone(), bytes));
            }
            self.held.push(tensors);
            digests.push(digest);
        }
        digests
    }

    /// Whether a slot's output is there already.
    fn is_done(&self, slot: u32) -> bool {
        let tensors = &self.held[slot as usize];
        let of = |role| tensors.iter().find(|(operand, _)| operand.role == role);
        let (Some((x, input)), Some((y, output))) = (of(Role::Input), of(Role::Output)) else { return false };
        let doubled = x.dtype.patterns(input).map(|bits| y.dtype.round(2.0 * x.dtype.value(bits)));
        y.dtype.pack(doubled) == *output
    }

    fn call(&mut self, slot: u32) {
        let manner = self.manner;
        let timed = self.number > 8;
        let tensors = &mut self.held[slot as usize];
        let x =
            tensors.iter().find(|(operand, _)| operand.name == "x").map(|(_, bytes)| bytes.clone()).unwrap();
        if manner == Manner::Mutates {
            tensors.iter_mut().find(|(operand, _)| operand.name == "x").unwrap().1[0] ^= 1;
        }
        let (output, bytes) = tensors.iter_mut().find(|(operand, _)| operand.role == Role::Output).unwrap();
        if manner == Manner::LazyWhenTimed && timed {
            return;
        }
        let dtype = output.dtype;
        let made = dtype.pack(Dtype::F32.patterns(&x).map(|bits| dtype.round(2.0 * Dtype::F32.value(bits))));
        *bytes =
            if manner == Manner::Cached { self.memory.entry(slot).or_insert(made).clone() } else { made };
    }
}

impl Runner for ModelRunner<'_> {
    fn hello(&mut self) -> Result<Hello, RunnerFault> {
        self.model.pass(3e6);
        let json = r#"{"protocol":1,"harness":"model","tick_ns":20,"pid":1,"group":1}"#;
        Ok(serde_json::from_str(json).unwrap())
    }

    fn prepare(&mut self, preparation: &Preparation) -> Result<Vec<InputDigests>, RunnerFault> {
        self.memory.clear();
        Ok(self.fill(&preparation.operands, preparation.slots, preparation.distinct))
    }

    fn poison(&mut self, nonce: u64) -> Result<(), RunnerFault> {
        for (operand, bytes) in self.held.iter_mut().flatten() {
            if operand.role == Role::Output {
                *bytes =
                    operand.dtype.pack(std::iter::repeat_n(operand.dtype.poison(nonce), operand.count()));
            }
        }
        Ok(())
    }

    fn run(&mut self, batch: &Batch) -> Result<Ran, RunnerFault> {
        assert!(!self.paused, "{} was asked to run while it stood still", self.side);
        self.model.log.borrow_mut().push(format!("run {}", self.side));
        if self.manner == Manner::DiesWhenTimed && self.number > 12 {
            return Err(RunnerFault::new(FaultKind::Died, "was ended by SIGSEGV before it answered run"));
        }
        if let Some(nonce) = batch.poison {
            self.poison(nonce)?;
        }
        let there = batch.order.iter().filter(|slot| self.is_done(**slot)).count() as f64;
        for slot in &batch.order {
            self.call(*slot);
        }
        let call_ns = match self.manner {
            Manner::Honest(ns) => ns,
            Manner::LazyWhenTimed if self.number > 8 => 100.0,
            Manner::LeavesWhereDone => {
                let rounds = batch.passes as f64;
                let again =
                    1.0 - (batch.order.len() as f64 - there) / (batch.order.len().max(1) as f64 * rounds);
                20_000.0 * (1.0 - 0.4 * again)
            }
            _ => 20_000.0,
        };
        let calls = batch.order.len() as f64 * batch.passes as f64;
        self.model.pass(200_000.0 * self.model.factor(0.5));
        let mut ran = Ran::default();
        for number in 0..batch.batches {
            let took = calls * call_ns * self.launch_factor * self.model.factor(0.01);
            self.model.pass(took);
            let (shown, after) = match self.manner {
                Manner::HalfClock => (took / 2.0, 0.0),
                Manner::HidesInOneBatch if number == 1 => (took / 2.4, 0.0),
                Manner::RunsOn => (took / 10.0, took * 0.9),
                _ => (took, 0.0),
            };
            ran.samples.push(shown as u64);
            ran.after.push(after as u64);
        }
        Ok(ran)
    }

    fn dump(&mut self, slots: &[u32]) -> Result<Dump, RunnerFault> {
        let mut dump = Dump::default();
        for slot in slots {
            let mut digests = InputDigests::new();
            for (operand, bytes) in &self.held[*slot as usize] {
                if operand.role == Role::Output {
                    dump.outputs.push(DumpedOutput {
                        slot: *slot,
                        name: operand.name.clone(),
                        dtype: operand.dtype.name().to_owned(),
                        shape: operand.shape.clone(),
                        bytes: bytes.clone(),
                    });
                } else {
                    digests.insert(operand.name.clone(), tensor_digest(bytes));
                }
            }
            dump.inputs.push(digests);
        }
        Ok(dump)
    }

    fn refill(&mut self, operands: &[Operand]) -> Result<Vec<InputDigests>, RunnerFault> {
        let slots = self.held.len() as u32;
        Ok(self.fill(operands, slots, slots))
    }

    fn pause(&mut self) -> Result<(), RunnerFault> {
        self.paused = true;
        Ok(())
    }

    fn resume(&mut self) -> Result<(), RunnerFault> {
        self.paused = false;
        Ok(())
    }

    fn loaded(&mut self) -> Result<Vec<String>, RunnerFault> {
        let late = self.manner == Manner::LoadsLate && self.number > 8;
        Ok(if late { vec!["/late.so".to_owned()] } else { Vec::new() })
    }

    fn quit(&mut self) -> Vec<Leftover> {
        Vec::new()
    }
}

impl Launcher for Model {
    fn launch(&self, side: &str) -> Result<Box<dyn Runner + '_>, RunnerFault> {
        self.launches.set(self.launches.get() + 1);
        self.log.borrow_mut().push(format!("launch {side}"));
        Ok(Box::new(ModelRunner {
            model: self,
            side: side.to_owned(),
            manner: self.manners[side],
            launch_factor: self.factor(0.01),
            number: self.launches.get(),
            held: Vec::new(),
            memory: BTreeMap::new(),
            paused: false,
        }))
    }
}

impl InputSource for Model {
    fn file(&self, _bytes: &[u8]) -> Result<RawFile, Error> {
        Err(Error::Bug("the model has no files".to_owned()))
    }

    fn generated(
        &self,
        _command: &str,
        _seed: u64,
        _params: &Params,
        _length: usize,
    ) -> Result<RawFile, Error> {
        Err(Error::Bug("the model has no files".to_owned()))
    }
}

/// One file a side, each its own.
fn subject(side: &str) -> Result<Subject, Error> {
    let blob = BlobId::of_bytes(ObjectFormat::Sha1, side.as_bytes());
    let entry = SubjectEntry { path: format!("{side}.cpp"), mode: "100644".to_owned(), blob };
    Ok(Subject::new("scale", side, "cpu", "worktree", None, vec![entry])?)
}

impl Workshop for Model {
    fn build(&self, side: &str) -> Result<SideBuild, Error> {
        self.log.borrow_mut().push(format!("build {side}"));
        Ok(SideBuild { subject: subject(side)?, outcome: Ok(Some(1)), remarks: Vec::new() })
    }

    fn seal(
        &self,
        side: &str,
        _hello: &Hello,
        _loaded: &[String],
        startup_ns: u64,
        warm_ns: u64,
    ) -> Result<SideSeal, Error> {
        self.log.borrow_mut().push(format!("seal {side}"));
        let subject = subject(side)?;
        let build = Build {
            id: Digest::of_bytes(b""),
            subject: subject.id,
            command: None,
            runner: side.to_owned(),
            flags: Vec::new(),
            toolchain: Vec::new(),
            artifacts: Vec::new(),
            inputs: Vec::new(),
            code_objects: Vec::new(),
            autotune: Vec::new(),
            build_ns: None,
            startup_ns: Some(startup_ns),
            warm_ns: Some(warm_ns),
        };
        Ok(SideSeal { subject, build: build.identified()?, findings: Vec::new(), remarks: Vec::new() })
    }

    fn recheck(&self, side: &str, loaded: &[String]) -> Vec<VoidFinding> {
        let finding = |path: &String| VoidFinding {
            cause: VoidCause::Rebuilt,
            detail: format!("{side} loaded {path} after it was sealed"),
        };
        loaded.iter().map(finding).collect()
    }
}

impl Device for Model {
    fn describe(&self) -> DeviceRecord {
        DeviceRecord {
            kind: "model".to_owned(),
            name: "model".to_owned(),
            arch: "none".to_owned(),
            facts: BTreeMap::new(),
        }
    }

    fn kernel(&self) -> String {
        "none".to_owned()
    }

    fn governor(&self) -> Option<String> {
        None
    }

    fn observe(&self) -> Observation {
        Observation::default()
    }

    fn queues(&self) -> bool {
        false
    }

    fn contradicts(&self, _hello: &Hello) -> Option<String> {
        None
    }

    fn last_level_cache(&self) -> Option<u64> {
        Some(1 << 20)
    }

    fn floor(&self, _bytes: Option<u64>, _flops: Option<u64>, _mode: CacheMode) -> FloorStatus {
        FloorStatus::NotChecked { why: "a model has no limit".to_owned() }
    }
}
