//! Durable types of what was measured, and the rules by which they can be checked again.
//!
//! Answers: what an evidence file holds, what follows from it (`conclude`), and whether a file that claims to
//! be evidence agrees with itself (`audit`). Refuses: unknown fields, unsorted subjects, a verdict that its own
//! samples do not give. Invariant: `conclude` is pure, and the producer and the auditor call the same one.

mod audit;
mod basis;
mod binding;
mod blob;
mod build;
mod case;
mod check;
mod claim;
mod conclude;
mod cross_check;
mod digest;
mod environment;
mod error;
mod evidence;
mod journal;
mod lesson;
mod policy;
mod real;
mod run;
mod samples;
mod subject;

pub use audit::{Audited, Broken, Level, audit, audit_bytes};
pub use basis::Basis;
pub use binding::{UNBOUND, Unbound, fits_pattern, is_unbound};
pub use blob::{BlobId, ObjectFormat};
pub use build::{Artifact, AutotuneChoice, Build, Tool};
pub use case::{Case, CaseOrigin, ParamValue};
pub use check::{Check, CheckedInput, CheckedOutput, Tolerance, ToleranceProfile, Worst};
pub use claim::{Claim, ClaimOutcome};
pub use conclude::conclude;
pub use cross_check::{ClockCheck, FloorCheck, FloorStatus};
pub use digest::Digest;
pub use environment::{Device, Environment};
pub use error::Error;
pub use evidence::{EVIDENCE_SCHEMA, Evidence, Facts, INLINE_LIMIT_BYTES, Sealed, Sides};
pub use journal::{JOURNAL_SCHEMA, JournalEntry, JournalEvent};
pub use lesson::{Attempt, LESSON_SCHEMA, Layer, Lesson};
pub use policy::{LoosenedValue, MeasurePolicy, POLICY_VERSION, Policy};
pub use real::Real;
pub use run::{Disturbance, PriorRun, Run, VoidCause, VoidFinding};
pub use samples::{BlockOrder, Launch, Samples, SamplesFile, Series};
pub use subject::{Failure, Side, Subject, SubjectEntry};

// The answer's own types: rooms above the record speak of verdicts without knowing how they are reached.
pub use kforge_stats::{CaseJudgement, CaseOutcome, Interval, Judgement, Measured, Verdict, Why};
