//! Quantities and the one place that turns them into text.
