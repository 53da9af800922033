//! Quantities, and the one place that turns them into text.
//!
//! Every duration and instant in the product is an integer number of nanoseconds; every share is a ratio of two
//! integers until it is printed. A number with a unit is formatted here and
//! nowhere else, but for the errors of a check (`1.2e-3`, ulp), which only one page shows.
//!
//! Invariant: reading a decimal number of microseconds from text never passes through a float.

mod decimal;
mod format;
mod nanos;

pub use decimal::{DecimalError, nanos_from_micros};
pub use format::{
    bytes, count, counted, duration, fine_duration, grouped, microseconds, middle_short, percent, rate,
    share, speedup,
};
pub use nanos::{Instant, Nanos};
