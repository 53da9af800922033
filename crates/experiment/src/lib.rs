//! From experiment.toml to evidence: materialise, build, seal, check, time, judge.
//!
//! Answers whether a candidate computes what the reference computes and how long it takes beside the baseline. It knows neither a command
//! line nor a ledger, and nothing in the engine is about one kind of device: runners, the device and the clock are traits.
//!
//! Invariant: the stages are types ([`Proposed`] → [`Built`] → [`Sealed`] → [`Correct`] → [`Timed`]), and each is made only from the one
//! before it: what was not checked cannot be timed, and what was not sealed cannot be checked.

mod clock;
mod compare;
mod device;
mod draw;
mod dtype;
mod error;
mod expression;
mod fill;
mod gpu;
mod harness;
mod inherited;
mod interrupt;
mod operands;
mod philox;
mod process;
mod runner;
mod safetensors;
mod small_float;
mod spec;
mod stage;
mod tensor_digest;
mod tolerance;
mod wording;
mod workshop;

pub use clock::{Clock, MonotonicClock};
pub use compare::{Expected, compare};
pub use device::{Cpu, Device, Observation};
pub use draw::{Entropy, SystemEntropy, draw_cases};
pub use dtype::Dtype;
pub use error::Error;
pub use expression::{Expression, ExpressionError, Params};
pub use fill::{Distribution, Fill, RawFile, Recipe};
pub use gpu::{Gpu, GpuFacts, GpuUser, GpuVendor, Survey, survey};
pub use harness::Harness;
pub use inherited::inherited;
pub use interrupt::{Interrupt, Uninterrupted};
pub use operands::{Audience, InputSource, Operands};
pub use philox::{Stream, philox};
pub use process::{Ended, Job, JobSpec, PROTOCOL, Place, Relay, unrunnable};
pub use runner::{
    Batch, DeviceFacts, Dump, DumpedOutput, FaultKind, Hello, InputDigests, Launcher, Launching, Leftover,
    Operand, Preparation, Ran, Role, Runner, RunnerFault,
};
pub use spec::{
    CacheMode, CaseSpec, Domain, Experiment, InputKind, InputSpec, OP_NAMES, OutputSpec, Range, SideSpec,
    Tree, Tuning, Work, is_name, is_op_name,
};
pub use stage::{
    Alone, Benched, Built, CaseTimes, Checked, Correct, Engine, Event, Proposed, Refuted, Remark, RunContext,
    Sealed, SideBuild, SideSeal, SideTrouble, Timed, Trial, Workshop,
};
pub use tensor_digest::tensor_digest;
pub use tolerance::{Figure, FigureSource, Profile, Sum};
pub use workshop::{Bench, Repository, Shop, Snapshot};
