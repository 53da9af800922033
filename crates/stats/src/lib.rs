//! Statistics of paired timings and the versioned judge: is the candidate faster than the baseline?
//!
//! Answers with a [`Verdict`] from integer samples alone. It reads no clock, no file and no randomness of the machine, so the same
//! samples and the same policy give the same bytes on every machine and at every later time. It refuses samples that cannot be
//! times ([`Error`]) and never turns a doubtful measurement into a win: what is not shown is [`Verdict::Inconclusive`].
//!
//! Invariant: the chance of `faster` for a candidate whose true speedup does not exceed `1 + min_effect` is at most `alpha / 2`
//! over all looks together (see `docs/judge.md` for the method, its limits and the measured rates).
//!
//! ```
//! use kforge_stats::{Block, CaseSamples, Judge, JudgePolicy, OpSamples};
//!
//! let block = |i: i64| Block::new(1_000_000 + i * 37 % 11 * 90, 1_000_000 + i * 53 % 13 * 70, 900_000 + i * 29 % 17 * 60);
//! let launches = (0..8).map(|l| (0..8).map(|b| block(l * 8 + b)).collect()).collect();
//! let samples = OpSamples::of_one_case(CaseSamples::new("4096x4096", 1.0, 1, launches));
//! let judgement = Judge::new(JudgePolicy::default())?.judge(&samples)?;
//! assert_eq!(judgement.verdict.word(), "faster");
//! # Ok::<(), kforge_stats::Error>(())
//! ```

mod assess;
mod bootstrap;
mod error;
mod holm;
mod interval;
mod judge;
mod judgement;
mod launches;
mod normal;
mod operation;
mod pocock;
mod policy;
mod samples;
mod sign_flip;
pub mod simulate;
mod student;
mod verdict;

pub use error::Error;
pub use interval::Interval;
pub use judge::{Decision, JUDGE_VERSION, Judge};
pub use judgement::{CaseJudgement, Judgement, LookTaken, Measured, Note};
pub use pocock::{pocock_critical_value, pocock_level};
pub use policy::{JudgePolicy, Loosened};
pub use samples::{Block, CaseSamples, OpSamples};
pub use sign_flip::sign_flip_p;
pub use student::{student_cdf, student_quantile};
pub use verdict::{CaseOutcome, Verdict, Why};
