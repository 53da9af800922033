//! Every analysis against a slow twin: a few lines that say what is meant, tried on small traces made at random.
//!
//! The traces are crowded on purpose: a few names, two threads, two devices, times below a hundred. So numbers are shared,
//! frames outlive the frame around them, and events start and end together far more often than in any capture.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what they unwrap was made a line above")]

mod context;
mod depth;
mod launch;
mod made;
mod tables;
mod timeline;
