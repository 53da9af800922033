//! PyTorch profiler (Kineto) Chrome traces, plain or gzip, of any size.
//!
//! Bytes go to columns in one pass: a thread unpacks, this one parses the window that the text slides through, an event
//! at a time. What is broken is stepped over up to the next event and counted.
//!
//! Invariant: memory grows with the activities and host events kept, not with the text.

mod ahead;
mod commas;
mod document;
mod event;
mod fill;
mod lenient;
mod losses;
mod metadata;
mod patience;
mod scan;
mod skip;
mod unescape;

pub use document::read;
