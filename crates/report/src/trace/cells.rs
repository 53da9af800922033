//! Cells: numbers with their unit, names at the width of the page.

use kforge_units::{Nanos, duration, grouped, microseconds, middle_short};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// Names are shortened so that a row fits 100 columns.
    Page,
    /// Names are whole.
    Full,
}

pub(super) fn name(text: &str, width: Width, columns: usize) -> String {
    match width {
        Width::Page => middle_short(&text.replace(['\n', '\r', '\t'], " "), columns),
        Width::Full => text.to_owned(),
    }
}

/// A label of the capture: a text without its quotes, a number as it is.
pub(crate) fn plain(label: &serde_json::Value) -> String {
    label.as_str().map_or_else(|| label.to_string(), str::to_owned)
}

pub(super) fn grouped_u(value: u64) -> String {
    grouped(i64::try_from(value).unwrap_or(i64::MAX))
}

pub(super) fn micros(ns: i64) -> String {
    microseconds(Nanos(ns))
}

pub(super) fn time_of(ns: i64) -> String {
    duration(Nanos(ns))
}
