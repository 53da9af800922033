//! What the engine needs of a runner and of whoever starts runners.
//!
//! Behind these traits are child processes in production and a model with a fake clock in the engine's own tests. Invariant: whatever
//! goes wrong with a runner is a [`RunnerFault`], an answer about its side; the engine never fails because of one.

use crate::dtype::Dtype;
use crate::expression::Params;
use crate::fill::Recipe;
use crate::wording::last_line;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The kinds of ways in which a runner gives no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It could not be started at all.
    NotStarted,
    /// The place where it should run has no such program, or will not run it.
    Absent,
    /// Something on its standard output is not a protocol line.
    Garbage,
    /// It ended while an answer was due.
    Died,
    /// It did not answer in time.
    Hung,
    /// It answered that it cannot.
    Refused,
    /// It is not the harness that kforge wrote.
    Foreign,
    /// The user asked to stop.
    Interrupted,
}

/// A runner that gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnerFault {
    /// The kind.
    pub kind: FaultKind,
    /// What happened, a clause without subject: `did not answer hello within 60 s`.
    pub what: String,
    /// The end of the runner's log; empty where it said nothing.
    pub log: String,
}

impl RunnerFault {
    /// A fault without a log.
    pub fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), log: String::new() }
    }
}

impl RunnerFault {
    /// True where nothing of the side ran: the fault lies with the place, not with the program.
    pub const fn is_environment(&self) -> bool {
        matches!(self.kind, FaultKind::NotStarted | FaultKind::Absent)
    }
}

impl fmt::Display for RunnerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match last_line(&self.log) {
            Some(line) => write!(f, " (its log ends: {line})"),
            None => Ok(()),
        }
    }
}

/// What a runner says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Hello {
    /// The protocol's version.
    pub protocol: u32,
    /// The stamp of the harness text that it was built with.
    pub harness: String,
    /// The language of the harness.
    #[serde(default)]
    pub language: String,
    /// Compiler or interpreter, with its version.
    #[serde(default)]
    pub toolchain: String,
    /// The device it computes on: `cpu`, `cuda` or `hip`.
    #[serde(default)]
    pub device: String,
    /// What it says of that device.
    #[serde(default)]
    pub device_facts: DeviceFacts,
    /// The clock that takes its samples.
    #[serde(default)]
    pub clock: String,
    /// One tick of that clock in ns, at least 1.
    pub tick_ns: u64,
    /// Its process id, where it runs.
    pub pid: i32,
    /// Its process group, where it runs.
    pub group: i32,
    /// Files it has loaded: modules and mapped libraries, as it sees them.
    #[serde(default)]
    pub files: Vec<String>,
    /// Reserved for groups of processes.
    #[serde(default)]
    pub world: Option<u32>,
}

/// What a runner says of the device it computes on; further facts are left aside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct DeviceFacts {
    /// The PCI address.
    #[serde(default)]
    pub pci: Option<String>,
    /// The product's name.
    #[serde(default)]
    pub name: Option<String>,
}

/// What an operand is to the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read only.
    Input,
    /// Written only.
    Output,
    /// Read and written in place; restored before each run.
    InOut,
}

impl Role {
    /// The word in the protocol.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Input => "in",
            Self::Output => "out",
            Self::InOut => "inout",
        }
    }
}

/// One operand of a case, the same for every slot but for its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Its name.
    pub name: String,
    /// What it is to the operation.
    pub role: Role,
    /// Its element type.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: Vec<u64>,
    /// What it holds; nothing for outputs.
    pub recipe: Recipe,
}

impl Operand {
    /// Elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product::<u64>() as usize
    }

    /// Bytes.
    pub fn bytes(&self) -> u64 {
        self.dtype.bytes(self.count()) as u64
    }
}

/// One case as a runner is told to hold it.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// The case's name, for the runner's log only.
    pub case: String,
    /// Its parameters.
    pub params: Params,
    /// Slots, each with inputs and outputs of its own.
    pub slots: u32,
    /// How many of them hold data of their own: slot `s` holds that of slot `s` mod this, in memory of its own.
    pub distinct: u32,
    /// All operands.
    pub operands: Vec<Operand>,
}

impl Preparation {
    /// Bytes of one slot.
    pub fn slot_bytes(&self) -> u64 {
        self.operands.iter().map(Operand::bytes).sum()
    }
}

/// Digests of one slot's inputs, by name; in-place operands only where they hold their first contents.
pub type InputDigests = BTreeMap<String, String>;

/// A timed or checked run: `batches` samples, each the time of `passes` rounds over `order`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Slots in the order of one round.
    pub order: Vec<u32>,
    /// Rounds in one sample.
    pub passes: u64,
    /// Samples.
    pub batches: u64,
    /// `warm` or `cold`.
    pub mode: &'static str,
    /// How calls reach the device.
    pub launch: Launching,
    /// Bytes to sweep through the caches before every sample; 0 leaves them as they are.
    pub flush: u64,
    /// Destroys the outputs of the batch's slots with this pattern before every sample.
    pub poison: Option<u64>,
}

impl Batch {
    /// A batch whose calls are made one by one, with the caches as they are.
    pub fn plain(order: Vec<u32>, passes: u64, batches: u64) -> Self {
        Self { order, passes, batches, mode: "warm", launch: Launching::Stream, flush: 0, poison: None }
    }
}

/// How calls reach a device. A processor knows the first way only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Launching {
    /// One by one, as the operation makes them.
    #[default]
    Stream,
    /// Recorded once into a graph of the device, then replayed.
    Graph,
    /// Queued behind a kernel that holds them back until all are there.
    Held,
}

impl Launching {
    /// The word in the protocol and in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Graph => "graph",
            Self::Held => "held",
        }
    }
}

/// What a run of batches answered, a figure a batch each, in ns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// From the first call's start to the last call's end, by the runner's clock.
    pub samples: Vec<u64>,
    /// How long the device still worked once the batch was said to be done; empty where there is nothing but the caller's thread.
    pub after: Vec<u64>,
    /// Host time beside the calls, such as restoring operands; empty where there is none.
    pub aside: Vec<u64>,
}

impl From<Vec<u64>> for Ran {
    fn from(samples: Vec<u64>) -> Self {
        Self { samples, ..Self::default() }
    }
}

/// One output of one slot, as the runner gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpedOutput {
    /// The slot.
    pub slot: u32,
    /// The output's name.
    pub name: String,
    /// Its element type, in the runner's words.
    pub dtype: String,
    /// Its extents, in the runner's words.
    pub shape: Vec<u64>,
    /// Its bytes, little endian, row-major.
    pub bytes: Vec<u8>,
}

/// What `dump` gives: outputs, and what the inputs of the same slots now hash to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dump {
    /// Outputs, slot by slot.
    pub outputs: Vec<DumpedOutput>,
    /// Input digests, one map a slot, in the order asked for.
    pub inputs: Vec<InputDigests>,
}

/// A process that was still there after its runner had ended; it was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Its number and its command line.
    pub process: String,
    /// It has removed the mark of its command, so that another side of the same launch may have started it.
    pub hides: bool,
}

impl Leftover {
    /// A clause about what a side left: `fast left process 4242 (`sleep 60`) behind`.
    pub(crate) fn clause(side: &str, left: &[Self]) -> Option<String> {
        let (first, more) = left.split_first()?;
        let others = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let process = &first.process;
        Some(if first.hides {
            format!("{side} or a side beside it left {process}{others} behind, which has removed its mark")
        } else {
            format!("{side} left {process}{others} behind")
        })
    }
}

/// How the system schedules a thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    /// Its niceness, -20 (first) to 19 (last).
    pub nice: i64,
    /// The scheduling policy as Linux numbers it: 0 is the usual one, 1 and 2 are real-time.
    pub policy: u32,
    /// The processors that it may use, as a list of ranges (`0-3,8`).
    pub processors: String,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "niceness {}, policy {}, processors {}", self.nice, self.policy, self.processors)
    }
}

/// A process that holds one side's operation and answers the verbs of protocol 1.
pub trait Runner {
    /// Says who it is.
    fn hello(&mut self) -> Result<Hello, RunnerFault>;
    /// Holds a case; gives the digests of every slot's inputs.
    fn prepare(&mut self, preparation: &Preparation) -> Result<Vec<InputDigests>, RunnerFault>;
    /// Overwrites every output with a pattern of this nonce.
    fn poison(&mut self, nonce: u64) -> Result<(), RunnerFault>;
    /// Runs; gives one sample a batch, in ns.
    fn run(&mut self, batch: &Batch) -> Result<Ran, RunnerFault>;
    /// Gives outputs and input digests of these slots.
    fn dump(&mut self, slots: &[u32]) -> Result<Dump, RunnerFault>;
    /// New data behind the same pointers; gives the new digests.
    fn refill(&mut self, operands: &[Operand]) -> Result<Vec<InputDigests>, RunnerFault>;
    /// Stops the process where it stands, so that it cannot work while another side is timed.
    fn pause(&mut self) -> Result<(), RunnerFault>;
    /// Lets it go on.
    fn resume(&mut self) -> Result<(), RunnerFault>;
    /// The files it has loaded, seen from outside where the system allows.
    fn loaded(&mut self) -> Result<Vec<String>, RunnerFault>;
    /// Processor time in ns that processes of this runner used so far where a pause does not reach them, each with its name.
    fn beside(&mut self) -> Vec<(String, u64)> {
        Vec::new()
    }
    /// Lets a pause reach processes of this runner that have left its group too; true where there was one that no look had met before.
    fn enclose(&mut self) -> bool {
        false
    }
    /// How the system schedules the threads of this runner; empty where that cannot be read.
    fn standing(&mut self) -> BTreeSet<Standing> {
        BTreeSet::new()
    }
    /// Ends it in order; what was still there afterwards was killed, and is named.
    fn quit(&mut self) -> Vec<Leftover>;
}

/// Starts fresh processes of a side.
pub trait Launcher {
    /// A new process of the side with this name; it has not said hello yet.
    fn launch(&self, side: &str) -> Result<Box<dyn Runner + '_>, RunnerFault>;
}
