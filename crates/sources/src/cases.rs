//! Which of a file's sizes become cases, and the domain around them.
//!
//! A few cases span what the file has, from the smallest to the largest that fits; further ones are drawn from the domain, which has the
//! file's own ends and steps and no larger a case than the largest kept.

use crate::driver::Axis;
use crate::extent::{Case, Sizes};
use crate::python::Parameter;
use crate::scope::Scope;
use crate::task::{Input, Range};
use crate::value::{Int, Value};
use std::collections::BTreeSet;

/// Bytes of the inputs of one case. Three slots in three processes are nine times that, which any accelerator of today holds.
pub(crate) const MOST_BYTES: i64 = 1 << 30;

/// Cases that are timed.
const CASES: usize = 4;

/// Combinations that are looked at.
const COMBINATIONS: usize = 1024;

/// Values in all combinations that are looked at.
const VALUES: usize = 1 << 16;

/// Axes that are combined: with two rows each they are all the combinations that are looked at.
const AXES: usize = COMBINATIONS.ilog2() as usize;

/// What was found.
pub(crate) struct Found {
    pub(crate) cases: Vec<Case>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) constraint: Option<String>,
    pub(crate) left_out: usize,
    /// No sizes were found.
    pub(crate) open: bool,
}

/// Cases and domain of a test whose parameters are what `fixed` says.
pub(crate) fn cases(inputs: &[Input], fixed: &Scope, axes: &[Axis], parameters: &[Parameter]) -> Found {
    let open: BTreeSet<&str> = parameters
        .iter()
        .filter(|p| matches!(fixed.get(&p.name), Some(Value::Int(int)) if !int.literal))
        .map(|p| p.name.as_str())
        .collect();
    // A parameter takes its values from the first axis that has it.
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let own = axes.iter().filter(|axis| {
        let new = axis.names.iter().all(|name| !taken.contains(name.as_str()));
        taken.extend(axis.names.iter().map(String::as_str));
        new
    });
    let rows: Vec<Vec<Case>> =
        own.map(|axis| whole_rows(axis, fixed, &open)).filter(|rows| !rows.is_empty()).collect();
    let all = rows.iter().map(Vec::len).fold(1, usize::saturating_mul);
    let combinations = combined(rows, COMBINATIONS.min(VALUES / open.len().max(1)));
    let complete = combinations.iter().all(|case| open.iter().all(|name| case.contains_key(*name)));
    if !complete {
        let case: Case = open.iter().map(|name| ((*name).to_owned(), 64)).collect();
        let ranges = case
            .keys()
            .map(|name| Range { name: name.clone(), min: 64, max: 64, multiple_of: 1, line: 1 })
            .collect();
        return Found { cases: vec![case], ranges, constraint: None, left_out: 0, open: true };
    }
    let sizes = Sizes::of(inputs);
    let mut measured: Vec<(i64, Case)> =
        combinations.into_iter().map(|case| (sizes.bytes(&case).unwrap_or(i64::MAX), case)).collect();
    measured.sort();
    measured.dedup();
    let fitting: Vec<(i64, Case)> =
        measured.iter().filter(|(bytes, _)| *bytes <= MOST_BYTES).cloned().collect();
    let kept = if fitting.is_empty() { measured.into_iter().take(1).collect() } else { fitting };
    let picked: Vec<Case> = spaced(&kept, CASES).into_iter().map(|(_, case)| case).collect();
    let in_order = parameters.iter().map(|parameter| parameter.name.as_str());
    let ranges = in_order.filter(|name| open.contains(name)).map(|name| range(name, &kept, axes)).collect();
    let constraint = sizes.constraint(&picked);
    Found { left_out: all.saturating_sub(picked.len()), cases: picked, ranges, constraint, open: false }
}

/// At most so many, evenly spaced, both ends among them.
fn spaced<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    let steps = most.min(all.len());
    let at = |i: usize| if steps == 1 { 0 } else { i * (all.len() - 1) / (steps - 1) };
    (0..steps).filter_map(|i| all.get(at(i)).cloned()).collect()
}

fn joined(a: &Case, b: &Case) -> Case {
    a.iter().chain(b).map(|(name, value)| (name.clone(), *value)).collect()
}

/// The combinations of all axes; where there are more than `most`, those of fewer rows of each, the longest thinned first.
fn combined(mut axes: Vec<Vec<Case>>, most: usize) -> Vec<Case> {
    // More axes than can be combined go along with others, smallest with smallest.
    while axes.len() > AXES.min(most.max(2).ilog2() as usize)
        && let Some(beyond) = axes.pop()
        && let Some(last) = axes.last_mut()
    {
        let rows = last.len().max(beyond.len());
        let (a, b) = (stretched(last, rows), stretched(&beyond, rows));
        *last = a.into_iter().zip(b).map(|(a, b)| joined(a, b)).collect();
    }
    let mut lengths: Vec<usize> = axes.iter().map(Vec::len).collect();
    while lengths.iter().copied().fold(1, usize::saturating_mul) > most
        && let Some(longest) = lengths.iter_mut().max().filter(|longest| **longest > 2)
    {
        *longest -= 1;
    }
    let mut combinations = vec![Case::new()];
    for (rows, length) in axes.iter().zip(lengths) {
        let rows = spaced(rows, length);
        combinations =
            combinations.iter().flat_map(|case| rows.iter().map(move |row| joined(case, row))).collect();
    }
    combinations
}

/// So many rows, each of those that are there as often as any other.
fn stretched(all: &[Case], rows: usize) -> Vec<&Case> {
    let last = all.len().saturating_sub(1);
    (0..rows).filter_map(|at| all.get(at * last / rows.saturating_sub(1).max(1))).collect()
}

/// The rows of an axis as whole numbers, each once and in order, where its other columns are what was fixed.
fn whole_rows(axis: &Axis, fixed: &Scope, open: &BTreeSet<&str>) -> Vec<Case> {
    let mut rows = BTreeSet::new();
    for row in &axis.rows {
        let agrees = axis
            .names
            .iter()
            .zip(row)
            .all(|(name, value)| open.contains(name.as_str()) || fixed.get(name) == Some(value));
        let whole = axis.names.iter().zip(row).filter_map(|(name, value)| match value {
            Value::Int(Int { value: Some(value), .. }) if open.contains(name.as_str()) => {
                Some((name.clone(), *value))
            }
            _ => None,
        });
        if agrees {
            rows.insert(whole.collect::<Case>());
        }
    }
    rows.into_iter().filter(|row| !row.is_empty()).collect()
}

fn range(name: &str, kept: &[(i64, Case)], axes: &[Axis]) -> Range {
    let values: Vec<i64> = kept.iter().filter_map(|(_, case)| case.get(name)).copied().collect();
    let (min, max) = (values.iter().min().copied().unwrap_or(1), values.iter().max().copied().unwrap_or(1));
    let step = values.iter().fold(0, |a, b| divisor(a, *b)).max(1);
    let line =
        axes.iter().find(|axis| axis.names.iter().any(|known| known == name)).map_or(1, |axis| axis.line);
    Range { name: name.to_owned(), min, max, multiple_of: step, line }
}

/// Euclid's greatest common divisor.
fn divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
