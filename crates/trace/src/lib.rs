//! What one capture saw, in columns: activities on device streams, host calls, framework ops, ranges, Python frames,
//! call stacks and arrows between them.
//!
//! No format and no derived number lives here. A reader fills a [`TraceBuilder`]; everything above asks which columns a
//! [`Trace`] has, never where it came from.
//!
//! Invariant: a handle is made only by the table that it indexes, so indexing with it cannot fail; a length is never
//! negative; what a capture did not say is `None`, never zero.

mod activity;
mod arrow;
mod builder;
mod capture;
mod handle;
mod host;
mod lane;
mod launch_shape;
mod names;
mod stack;

pub use activity::{Activities, Activity, ActivityKind};
pub use arrow::{Arrow, Arrows};
pub use builder::{Trace, TraceBuilder};
pub use capture::{CaptureFacts, DeviceFacts};
pub use handle::{ActivityId, CallId, FrameId, LaneId, NameId, OpId, RangeId, ShapeId, StackId, ThreadId};
pub use host::{HostEvent, HostEvents};
pub use lane::{Lane, Lanes, Thread, Threads};
pub use launch_shape::{LaunchShape, LaunchShapes};
pub use names::Names;
pub use stack::Stacks;
