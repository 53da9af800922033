//! Which of a file's sizes become cases, and the domain around them.
//!
//! A few cases span what the file has, from the smallest to the largest that fits; further ones are drawn from the domain, which has the
//! file's own ends and steps and no larger a case than the largest kept.

use crate::driver::Axis;
use crate::dtype;
use crate::evaluate::{Evaluator, Scope};
use crate::python::{Parameter, Statement};
use crate::slice::filled;
use crate::task::{Input, Range};
use crate::value::{Int, Value};
use std::collections::BTreeMap;

/// Bytes of the inputs of one case. Three slots in three processes are nine times that, which any accelerator of today holds.
pub(crate) const MOST_BYTES: i64 = 1 << 30;

/// Cases that are timed.
const CASES: usize = 4;

/// Combinations that are looked at.
const COMBINATIONS: usize = 1024;

/// What sizes are measured with.
pub(crate) struct Measure<'a, 'm> {
    pub(crate) evaluator: &'a Evaluator<'m>,
    pub(crate) body: &'m [Statement],
    pub(crate) fixed: &'a Scope,
    pub(crate) inputs: &'a [Input],
}

/// What was found.
pub(crate) struct Found {
    pub(crate) cases: Vec<BTreeMap<String, i64>>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) constraint: Option<String>,
    pub(crate) left_out: usize,
    /// No sizes were found.
    pub(crate) open: bool,
}

type Case = BTreeMap<String, i64>;

/// Cases and domain of a test.
pub(crate) fn cases(measure: &Measure<'_, '_>, axes: &[Axis], parameters: &[Parameter]) -> Found {
    let open: Vec<&str> = parameters
        .iter()
        .filter(|p| matches!(measure.fixed.get(&p.name), Some(Value::Int(int)) if !int.literal))
        .map(|p| p.name.as_str())
        .collect();
    let mut combinations: Vec<Case> = vec![Case::new()];
    for axis in axes {
        let rows = whole_rows(axis, measure.fixed, &open);
        if rows.is_empty() {
            continue;
        }
        combinations = combinations
            .iter()
            .flat_map(|case| {
                rows.iter().map(move |row| case.iter().chain(row).map(|(k, v)| (k.clone(), *v)).collect())
            })
            .take(COMBINATIONS)
            .collect();
    }
    let complete = combinations.iter().all(|case| open.iter().all(|name| case.contains_key(*name)));
    if !complete {
        let case: Case = open.iter().map(|name| ((*name).to_owned(), 64)).collect();
        let ranges = case
            .keys()
            .map(|name| Range { name: name.clone(), min: 64, max: 64, multiple_of: 1, line: 1 })
            .collect();
        return Found { cases: vec![case], ranges, constraint: None, left_out: 0, open: true };
    }
    let mut sized: Vec<(i64, Case)> =
        combinations.into_iter().map(|case| (measure.bytes(&case), case)).collect();
    sized.sort();
    sized.dedup();
    let all = sized.len();
    let fitting: Vec<(i64, Case)> = sized.iter().filter(|(bytes, _)| *bytes <= MOST_BYTES).cloned().collect();
    let kept = if fitting.is_empty() { sized.into_iter().take(1).collect() } else { fitting };
    let steps = CASES.min(kept.len());
    let picked: Vec<Case> = (0..steps)
        .map(|i| kept[if steps == 1 { 0 } else { i * (kept.len() - 1) / (steps - 1) }].1.clone())
        .collect();
    let ranges = open.iter().map(|name| range(name, &kept, axes)).collect();
    let constraint = measure.constraint(&picked);
    Found { left_out: all - picked.len(), cases: picked, ranges, constraint, open: false }
}

/// The rows of an axis as whole numbers, where its other columns are what was fixed.
fn whole_rows(axis: &Axis, fixed: &Scope, open: &[&str]) -> Vec<Case> {
    let mut rows = Vec::new();
    for row in &axis.rows {
        let agrees = axis
            .names
            .iter()
            .zip(row)
            .all(|(name, value)| open.contains(&name.as_str()) || fixed.get(name) == Some(value));
        let whole = axis.names.iter().zip(row).filter_map(|(name, value)| match value {
            Value::Int(Int { value: Some(value), .. }) if open.contains(&name.as_str()) => {
                Some((name.clone(), *value))
            }
            _ => None,
        });
        if agrees {
            rows.push(whole.collect::<Case>());
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
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

impl Measure<'_, '_> {
    /// The extents of the inputs for some parameters.
    fn extents(&self, case: &Case) -> Vec<(Vec<Option<i64>>, Option<&'static str>)> {
        let mut scope = self.fixed.clone();
        for (name, value) in case {
            scope.insert(name.clone(), Value::Int(Int::parameter(name, Some(*value))));
        }
        let mut seen = Vec::new();
        self.evaluator.run(&mut scope, self.body, &mut seen, 0);
        let wanted = |name: &str| self.inputs.iter().any(|input| input.name == name);
        let tensors = seen.iter().filter_map(filled).filter(|(name, _)| wanted(name));
        tensors
            .filter_map(|(_, tensor)| {
                Some((tensor.shape.as_ref()?.iter().map(|extent| extent.value).collect(), tensor.dtype))
            })
            .collect()
    }

    fn bytes(&self, case: &Case) -> i64 {
        let size = |(extents, kind): (Vec<Option<i64>>, Option<&'static str>)| {
            let each = kind.map_or(4, dtype::bytes);
            extents.into_iter().flatten().fold(each, i64::saturating_mul)
        };
        self.extents(case).into_iter().map(size).fold(0, i64::saturating_add)
    }

    /// The elements of all inputs stay below those of the largest case.
    fn constraint(&self, picked: &[Case]) -> Option<String> {
        let count = |case: &Case| {
            self.extents(case)
                .into_iter()
                .map(|(extents, _)| extents.into_iter().flatten().fold(1, i64::saturating_mul))
                .fold(0, i64::saturating_add)
        };
        let most = picked.iter().map(count).max()?;
        elements(self.inputs).map(|sum| format!("{sum} <= {most}"))
    }
}

/// The number of elements of all inputs, as an expression; absent where it depends on nothing or something is open.
pub(crate) fn elements(inputs: &[Input]) -> Option<String> {
    let mut terms = Vec::new();
    for input in inputs {
        let shape = input.shape.as_ref()?;
        if shape.is_empty() {
            terms.push("1".to_owned());
            continue;
        }
        let factors: Vec<String> = shape
            .iter()
            .map(|extent| if extent.contains(' ') { format!("({extent})") } else { extent.clone() })
            .collect();
        terms.push(factors.join(" * "));
    }
    let sum = terms.join(" + ");
    sum.contains(|c: char| c.is_ascii_alphabetic()).then_some(sum)
}
