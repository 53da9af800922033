//! The runner protocol over a child's pipes.

use super::dump_file;
use super::job::{Ended, Job, JobSpec, how, unrunnable};
use super::place::Place;
use super::relay::Relay;
use crate::clock::Clock;
use crate::fill::Fill;
use crate::interrupt::Interrupt;
use crate::runner::{
    Batch, Dump, FaultKind, Hello, InputDigests, Leftover, Operand, Preparation, Ran, Runner, RunnerFault,
    Standing,
};
use crate::wording::one_line;
use kforge_units::Instant;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::Duration;

/// The version of the protocol spoken here.
pub const PROTOCOL: u32 = 1;
/// A line longer than this is no answer.
const LONGEST_LINE: usize = 16 << 20;
/// A clock that ticks more slowly than this is none, ns; harnesses look no further.
const COARSEST_TICK_NS: u64 = 1_000_000;
/// Figures above this are no times: 104 days, and the end of what a double holds exactly.
const LONGEST_NS: u64 = 1 << 53;
/// How often waiting looks at interrupts.
const SLICE_MS: u16 = 50;

/// A runner in a child process.
pub struct ProcessRunner<'a> {
    job: Job<'a>,
    command: String,
    place: &'a Place,
    clock: &'a dyn Clock,
    interrupt: &'a dyn Interrupt,
    deadline: Duration,
    exchange: PathBuf,
    stamps: &'a [String],
    pid: i32,
    serial: u64,
    pending: Vec<u8>,
    paused: bool,
}

/// What a process runner needs beside its command.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Where commands run.
    pub place: &'a Place,
    /// The helper there.
    pub relay: &'a Relay,
    /// The clock for deadlines.
    pub clock: &'a dyn Clock,
    /// Whether the user wants to stop.
    pub interrupt: &'a dyn Interrupt,
    /// The stamps of the harness texts that this kforge wrote.
    pub stamps: &'a [String],
}

#[derive(Serialize)]
struct TensorMessage<'a> {
    name: &'a str,
    role: &'static str,
    dtype: &'static str,
    shape: &'a [u64],
    fill: Fill,
}

impl<'a> TensorMessage<'a> {
    fn of(operand: &'a Operand) -> Self {
        Self {
            name: &operand.name,
            role: operand.role.word(),
            dtype: operand.dtype.name(),
            shape: &operand.shape,
            fill: operand.recipe.message(),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
enum Message<'a> {
    Hello {
        protocol: u32,
        rank: u32,
        world: u32,
    },
    Prepare {
        case: &'a str,
        params: &'a BTreeMap<String, i64>,
        slots: u32,
        distinct: u32,
        tensors: Vec<TensorMessage<'a>>,
    },
    Poison {
        nonce: String,
    },
    Run {
        order: &'a [u32],
        passes: u64,
        batches: u64,
        mode: &'static str,
        launch: &'static str,
        flush: u64,
        poison: Option<String>,
    },
    Dump {
        slots: &'a [u32],
        path: String,
    },
    Refill {
        tensors: Vec<TensorMessage<'a>>,
    },
    Quit,
}

impl Message<'_> {
    const fn word(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Prepare { .. } => "prepare",
            Self::Poison { .. } => "poison",
            Self::Run { .. } => "run",
            Self::Dump { .. } => "dump",
            Self::Refill { .. } => "refill",
            Self::Quit => "quit",
        }
    }
}

#[derive(Serialize)]
struct Envelope<'a> {
    id: u64,
    #[serde(flatten)]
    message: &'a Message<'a>,
}

impl<'a> ProcessRunner<'a> {
    /// Starts a runner; it has not said hello yet.
    pub fn start(
        spec: &JobSpec<'_>,
        deadline: Duration,
        surroundings: Surroundings<'a>,
    ) -> Result<Self, RunnerFault> {
        let started = Job::start(spec, surroundings.place, surroundings.relay);
        let mut job = started.map_err(|error| {
            RunnerFault::new(FaultKind::NotStarted, format!("could not be started: {error}"))
        })?;
        job.watch();
        if let Some(input) = &job.child.stdin {
            // A write that cannot go on has to see the deadline.
            let flags = OFlag::from_bits_truncate(fcntl(input, FcntlArg::F_GETFL).unwrap_or(0));
            let _ = fcntl(input, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK));
        }
        Ok(Self {
            job,
            command: spec.command.to_owned(),
            place: surroundings.place,
            clock: surroundings.clock,
            interrupt: surroundings.interrupt,
            deadline,
            exchange: spec.scratch.to_owned(),
            stamps: surroundings.stamps,
            pid: 0,
            serial: 0,
            pending: Vec::new(),
            paused: false,
        })
    }

    fn fault(&self, kind: FaultKind, what: impl Into<String>) -> RunnerFault {
        RunnerFault { kind, what: what.into(), log: self.job.log_tail() }
    }

    /// One message out, its answer back.
    fn call(&mut self, message: &Message<'_>) -> Result<Value, RunnerFault> {
        self.serial += 1;
        let mut line = serde_json::to_vec(&Envelope { id: self.serial, message })
            .map_err(|error| self.fault(FaultKind::Refused, error.to_string()))?;
        line.push(b'\n');
        self.send(&line, message.word())?;
        let line = self.answer(message.word())?;
        let text = String::from_utf8_lossy(&line).into_owned();
        let garbage = |runner: &Self| {
            let shown: String = one_line(&text).chars().take(80).collect();
            runner.fault(
                FaultKind::Garbage,
                format!("wrote something that is no answer to {}: `{shown}`", message.word()),
            )
        };
        let value: Value = serde_json::from_str(&text).map_err(|_| garbage(self))?;
        if value.get("ok").and_then(Value::as_bool) == Some(false) {
            let error = value.get("error").and_then(Value::as_str).unwrap_or("without a reason");
            let error = one_line(error);
            return Err(self.fault(FaultKind::Refused, format!("refused {}: {error}", message.word())));
        }
        if value.get("id").and_then(Value::as_u64) != Some(self.serial) {
            return Err(garbage(self));
        }
        Ok(value)
    }

    /// Writes a message, within the deadline: a pipe holds 64 KiB, and a runner may have stopped to read.
    fn send(&mut self, line: &[u8], verb: &str) -> Result<(), RunnerFault> {
        let start = self.clock.now();
        let mut left = line;
        while !left.is_empty() {
            let Some(input) = self.job.child.stdin.as_mut() else { return Err(self.died(verb)) };
            match input.write(left) {
                Ok(0) => return Err(self.died(verb)),
                Ok(count) => left = left.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    let mut waiting = [PollFd::new(input.as_fd(), PollFlags::POLLOUT)];
                    let _ = poll(&mut waiting, PollTimeout::from(SLICE_MS));
                    self.go_on(start, "take", verb)?;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(self.died(verb)),
            }
        }
        Ok(())
    }

    /// Whether there is still time to wait; a runner that has used it up is killed.
    fn go_on(&mut self, start: Instant, did_not: &str, verb: &str) -> Result<(), RunnerFault> {
        if self.interrupt.is_set() {
            return Err(self.fault(FaultKind::Interrupted, "was interrupted"));
        }
        let limit = i64::try_from(self.deadline.as_nanos()).unwrap_or(i64::MAX);
        if self.clock.now().since(start).0 > limit {
            self.job.kill();
            return Err(self.fault(
                FaultKind::Hung,
                format!("did not {did_not} {verb} within {} s (deadline_s)", self.deadline.as_secs()),
            ));
        }
        Ok(())
    }

    /// The next line, within the deadline.
    fn answer(&mut self, verb: &str) -> Result<Vec<u8>, RunnerFault> {
        let start = self.clock.now();
        loop {
            if let Some(end) = memchr_newline(&self.pending) {
                let mut line: Vec<u8> = self.pending.drain(..=end).collect();
                line.pop();
                return Ok(line);
            }
            if self.pending.len() > LONGEST_LINE {
                return Err(self.fault(
                    FaultKind::Garbage,
                    format!("wrote {} bytes without a line end", self.pending.len()),
                ));
            }
            self.go_on(start, "answer", verb)?;
            if !self.read_some()? {
                return Err(self.died(verb));
            }
        }
    }

    /// Reads what is there; false at the end of the stream.
    fn read_some(&mut self) -> Result<bool, RunnerFault> {
        let Some(output) = self.job.child.stdout.as_mut() else { return Ok(false) };
        let ready = {
            let mut waiting = [PollFd::new(output.as_fd(), PollFlags::POLLIN)];
            poll(&mut waiting, PollTimeout::from(SLICE_MS))
        };
        match ready {
            Ok(0) | Err(nix::errno::Errno::EINTR) => return Ok(true),
            Ok(_) => {}
            Err(error) => return Err(self.fault(FaultKind::Died, format!("cannot be read: {error}"))),
        }
        let mut buffer = [0_u8; 8192];
        match output.read(&mut buffer) {
            Ok(0) => Ok(false),
            Ok(count) => {
                self.pending.extend_from_slice(&buffer[..count]);
                Ok(true)
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(self.fault(FaultKind::Died, format!("cannot be read: {error}"))),
        }
    }

    /// The runner ended while an answer was due.
    fn died(&mut self, verb: &str) -> RunnerFault {
        let status = self.job.finish(Duration::from_millis(500));
        let clause = match status.map(how) {
            Some(Ended::NotRun(_)) if verb == "hello" => {
                let (program, clause) = unrunnable(&self.command, &self.job.log_tail());
                let what = format!("could not be started: `{program}` {clause}");
                return self.fault(FaultKind::Absent, what);
            }
            Some(Ended::NotRun(status)) => format!("ended with status {status}"),
            Some(Ended::Badly(clause)) => clause,
            Some(_) => "ended with status 0".to_owned(),
            None => "closed its output".to_owned(),
        };
        self.fault(FaultKind::Died, format!("{clause} before it answered {verb}"))
    }

    fn typed<T: for<'de> Deserialize<'de>>(
        &self,
        value: &Value,
        field: &str,
        verb: &str,
    ) -> Result<T, RunnerFault> {
        value.get(field).and_then(|field| T::deserialize(field).ok()).ok_or_else(|| {
            self.fault(FaultKind::Garbage, format!("answered {verb} without a usable `{field}`"))
        })
    }
}

fn memchr_newline(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

impl Runner for ProcessRunner<'_> {
    fn hello(&mut self) -> Result<Hello, RunnerFault> {
        let value = self.call(&Message::Hello { protocol: PROTOCOL, rank: 0, world: 1 })?;
        let hello = Hello::deserialize(&value).map_err(|error| {
            self.fault(FaultKind::Garbage, format!("answered hello without a usable field: {error}"))
        })?;
        if hello.protocol != PROTOCOL || hello.world.is_some_and(|world| world != 1) || hello.tick_ns == 0 {
            return Err(self.fault(
                FaultKind::Refused,
                format!(
                    "speaks protocol {} in a world of {:?}; 1 and 1 are supported",
                    hello.protocol, hello.world
                ),
            ));
        }
        if !self.stamps.contains(&hello.harness) {
            let what = format!(
                "was built with another harness (`{}`) than the one that kforge wrote; remove copies of kforge_runner from the tree",
                hello.harness
            );
            return Err(self.fault(FaultKind::Foreign, what));
        }
        if hello.tick_ns > COARSEST_TICK_NS {
            let what =
                format!("says that its clock ticks every {} ns; more than 1 ms tells nothing", hello.tick_ns);
            return Err(self.fault(FaultKind::Refused, what));
        }
        self.pid = hello.pid;
        if !self.job.adopt(hello.group) {
            let what = format!(
                "says that it is in process group {}, where no process of it is; a command that starts it in a container or namespace belongs into --in",
                hello.group
            );
            return Err(self.fault(FaultKind::Refused, what));
        }
        Ok(hello)
    }

    fn prepare(&mut self, preparation: &Preparation) -> Result<Vec<InputDigests>, RunnerFault> {
        let value = self.call(&Message::Prepare {
            case: &preparation.case,
            params: &preparation.params,
            slots: preparation.slots,
            distinct: preparation.distinct,
            tensors: preparation.operands.iter().map(TensorMessage::of).collect(),
        })?;
        self.typed(&value, "inputs", "prepare")
    }

    fn poison(&mut self, nonce: u64) -> Result<(), RunnerFault> {
        self.call(&Message::Poison { nonce: format!("{nonce:x}") }).map(|_| ())
    }

    fn run(&mut self, batch: &Batch) -> Result<Ran, RunnerFault> {
        let value = self.call(&Message::Run {
            order: &batch.order,
            passes: batch.passes,
            batches: batch.batches,
            mode: batch.mode,
            launch: batch.launch.word(),
            flush: batch.flush,
            poison: batch.poison.map(|nonce| format!("{nonce:x}")),
        })?;
        let figures = |name: &str| -> Result<Vec<u64>, RunnerFault> {
            let figures: Vec<u64> = self.typed(&value, name, "run")?;
            if let Some(figure) = figures.iter().find(|figure| **figure > LONGEST_NS) {
                return Err(self.fault(FaultKind::Garbage, format!("gave {figure} ns among {name}")));
            }
            if figures.len() as u64 == batch.batches {
                return Ok(figures);
            }
            Err(self.fault(
                FaultKind::Garbage,
                format!("gave {} {name} for {} batches", figures.len(), batch.batches),
            ))
        };
        let optional = |name: &str| if value.get(name).is_some() { figures(name) } else { Ok(Vec::new()) };
        Ok(Ran { samples: figures("samples")?, after: optional("after")?, aside: optional("aside")? })
    }

    fn dump(&mut self, slots: &[u32]) -> Result<Dump, RunnerFault> {
        let path = self.exchange.join(format!("dump-{}-{}.bin", self.job.child.id(), self.serial));
        let inside = self.place.inside(&path).unwrap_or_default();
        let value = self.call(&Message::Dump { slots, path: inside })?;
        let inputs = self.typed(&value, "inputs", "dump")?;
        let bytes = dump_file::bytes(&path)
            .map_err(|error| self.fault(FaultKind::Garbage, format!("left no dump: {error}")))?;
        let _ = std::fs::remove_file(&path);
        let outputs = dump_file::outputs(&bytes)
            .ok_or_else(|| self.fault(FaultKind::Garbage, "left a malformed dump"))?;
        let mut shown: Vec<u32> = outputs.iter().map(|output| output.slot).collect();
        shown.dedup();
        if shown != slots {
            let what = format!("showed outputs of slots {shown:?} where {slots:?} were asked for");
            return Err(self.fault(FaultKind::Garbage, what));
        }
        Ok(Dump { outputs, inputs })
    }

    fn refill(&mut self, operands: &[Operand]) -> Result<Vec<InputDigests>, RunnerFault> {
        let value =
            self.call(&Message::Refill { tensors: operands.iter().map(TensorMessage::of).collect() })?;
        self.typed(&value, "inputs", "refill")
    }

    fn pause(&mut self) -> Result<(), RunnerFault> {
        if !self.paused {
            self.job.signal(Signal::SIGSTOP);
            self.paused = true;
        }
        Ok(())
    }

    fn resume(&mut self) -> Result<(), RunnerFault> {
        if self.paused {
            self.job.signal(Signal::SIGCONT);
            self.paused = false;
            // An empty run is answered once the process is awake, so that waking up is not part of what is timed next.
            self.call(&Message::Run {
                order: &[],
                passes: 0,
                batches: 0,
                mode: "warm",
                launch: "stream",
                flush: 0,
                poison: None,
            })?;
        }
        Ok(())
    }

    fn loaded(&mut self) -> Result<Vec<String>, RunnerFault> {
        if self.place.is_elsewhere() {
            let value = self.call(&Message::Hello { protocol: PROTOCOL, rank: 0, world: 1 })?;
            return self.typed(&value, "files", "hello");
        }
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid))
            .map_err(|error| self.fault(FaultKind::Died, format!("has no readable process map: {error}")))?;
        let value = self.call(&Message::Hello { protocol: PROTOCOL, rank: 0, world: 1 })?;
        let mut files: Vec<String> = self.typed(&value, "files", "hello")?;
        files.extend(maps.lines().filter_map(|line| line.find('/').map(|at| line[at..].to_owned())));
        files.sort();
        files.dedup();
        Ok(files)
    }

    fn beside(&mut self) -> Vec<(String, u64)> {
        self.job.beside()
    }

    fn enclose(&mut self) -> bool {
        let enclosed = self.job.enclose();
        if enclosed.any && self.paused {
            self.job.signal(Signal::SIGSTOP);
        }
        enclosed.unknown
    }

    fn standing(&mut self) -> BTreeSet<Standing> {
        self.job.standing()
    }

    fn quit(&mut self) -> Vec<Leftover> {
        let _ = self.resume();
        let _ = self.call(&Message::Quit);
        self.job.finish(Duration::from_secs(1));
        self.job.left()
    }
}
