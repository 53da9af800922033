//! The store of what was learnt: immutable evidence, words beside it, and everything that can be derived from them.
//!
//! Layout under the ledger's root (the repository's root, or `[ledger] root` of kforge.toml):
//!
//! ```text
//! kernels/README.md                     index, derived
//! kernels/OP/evidence/ID.json           truth: immutable, named by the BLAKE3 of its bytes
//! kernels/OP/evidence/ID.samples.zst    truth: raw samples too long for ID.json, bound by their digest
//! kernels/OP/evidence/ID.lesson.json    truth: tag, layer, what changed, what failed, what was not tried
//! kernels/OP/evidence/ID.patch, ID.EXT  truth: the change itself; the file, where the change is one file
//! kernels/OP/evidence/ID.sig            truth: an SSH signature of ID.json's exact bytes
//! kernels/OP/notes.md                   generated blocks `<!-- kforge:ID -->` among free text
//! kernels/OP/vN_TAG.patch, vN_TAG.EXT   derived copies; N counts the recorded pairs of the op in time
//! .kforge/                              ignored: journal, search index, lock, staged writes
//! ```
//!
//! How a measurement is stored (the experiment room):
//!
//! ```text
//! let ledger = Ledger::open(root)?;
//! let prior = ledger.prior_runs(op, &pair)?;      // into Facts::prior
//! ledger.journal(&started)?;                      // synced before the first sample
//! let id = ledger.put_evidence(&sealed)?;         // Evidence::seal gives `sealed`
//! ledger.journal(&finished)?;
//! ```
//!
//! Invariants: a write is complete or absent after any interruption; several files change together through an
//! intent that the next open completes; nothing that kforge did not write is overwritten or removed.

mod atomic;
mod audits;
mod block;
mod disk;
mod error;
mod evidence_store;
mod history;
mod intent;
mod journal;
mod layout;
mod ledger;
mod lock;
mod merged;
mod notes;
mod readme;
mod rebuild;
mod recording;
mod runs;
mod samples_file;
mod search;
mod versions;

pub use block::{headline, reason};
pub use disk::{Disk, Effect, EffectKind, RealDisk};
pub use error::Error;
pub use history::{ClaimRow, Filter, History, HistoryRow, Misfit};
pub use layout::Layout;
pub use ledger::{Held, Ledger};
pub use rebuild::Rebuilt;
pub use recording::{Recorded, Recording};
pub use runs::{rivals_among, runs_of};
pub use versions::Version;
