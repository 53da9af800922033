//! Which side is which, what goes in and what comes out.

use super::check::{Check, checks, compared_in};
use super::side::Side;
use crate::driver::Axis;
use crate::error::Error;
use crate::evaluate::{Evaluator, Seen};
use crate::python::{Expression, Kind, Parameter, Step};
use crate::scope::Scope;
use crate::slice::filled;
use crate::task::{Finding, Input, Origin, Output, Task};
use crate::value::{Made, Tensor, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Modules of aiter that are no kernels.
const PLUMBING: &[&str] = &[
    "aiter.dtypes",
    "aiter.test_common",
    "aiter.utility",
    "aiter.jit",
    "aiter.test_mha_common",
    "aiter.logger",
];

/// Packages whose functions are a reference, not what is measured.
const ORDINARY: &[&str] = &[
    "torch",
    "math",
    "functools",
    "itertools",
    "numpy",
    "random",
    "typing",
    "einops",
    "collections",
    "dataclasses",
    "pytest",
];

/// Comparisons of one test that are read.
const MOST_CHECKS: usize = 64;

/// One test being read.
pub(super) struct Reading<'e, 'm> {
    pub(super) evaluator: &'e Evaluator<'m>,
    pub(super) file: &'e str,
    pub(super) said: Vec<Finding>,
    pub(super) open: Vec<Finding>,
}

impl<'m> Reading<'_, 'm> {
    /// What the parameters are: whole numbers stay names. Of everything else one row of its axis is taken, so that the values go together.
    pub(super) fn fixed(&mut self, parameters: &[Parameter], axes: &[Axis]) -> Scope {
        let mut scope = Scope::new();
        let named: BTreeSet<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        // The first axis that has a name decides.
        for axis in axes.iter().rev() {
            let whole: Vec<bool> = (0..axis.names.len())
                .map(|at| axis.rows.iter().all(|row| matches!(row.get(at), Some(Value::Int(_)))))
                .collect();
            let preferred = |row: &&Vec<Value>| {
                row.iter()
                    .zip(&axis.names)
                    .any(|(value, name)| *value == Value::Dtype("bf16") && named.contains(name.as_str()))
            };
            let row = axis.rows.iter().find(preferred).or(axis.rows.first());
            for (at, name) in axis.names.iter().enumerate().filter(|(_, name)| named.contains(name.as_str()))
            {
                let value = match row.and_then(|row| row.get(at)) {
                    Some(_) if whole[at] => Value::parameter(name, None),
                    Some(value) => value.clone(),
                    None => Value::Unknown,
                };
                scope.insert(name.clone(), value);
            }
        }
        for parameter in parameters.iter().filter(|parameter| !parameter.rest) {
            if scope.contains_key(&parameter.name) {
                self.others_of(&parameter.name, &scope, axes);
                continue;
            }
            let value = match &parameter.default {
                Some(default) => self.evaluator.value(&Scope::new(), default, 0),
                None if parameter.name.contains("type") => Value::Unknown,
                None => Value::parameter(&parameter.name, None),
            };
            scope.insert(parameter.name.clone(), value);
        }
        scope
    }

    /// Says which other values a file has for a parameter that was given one.
    fn others_of(&mut self, name: &str, scope: &Scope, axes: &[Axis]) {
        let found =
            axes.iter().find_map(|axis| Some((axis, axis.names.iter().position(|known| known == name)?)));
        let (Some((table, at)), Some(value)) = (found, scope.get(name)) else { return };
        if matches!(value, Value::Int(int) if !int.literal) {
            return;
        }
        let written = |value: &Value| value.python().unwrap_or_else(|| "something unknown".to_owned());
        let mut others: Vec<String> = Vec::new();
        for other in
            table.rows.iter().filter_map(|row| row.get(at)).filter(|other| *other != value).map(written)
        {
            if others.len() < 8 && !others.contains(&other) {
                others.push(other);
            }
        }
        if !others.is_empty() {
            let text = format!("`{name}` is {} here; the file has {} too", written(value), others.join(", "));
            self.said.push(Finding { line: table.line, text });
        }
    }

    /// True where a statement reaches a library beyond PyTorch.
    pub(super) fn foreign(&self, names: &[&str]) -> bool {
        let mut open: Vec<&str> = names.to_vec();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        while let Some(name) = open.pop() {
            if !known.insert(name) {
                continue;
            }
            if let Some(definition) = self.evaluator.definitions.get(name) {
                open.extend(definition.mentions());
            } else if let Some(path) = self.evaluator.imports.get(name) {
                let root = path.split('.').next().unwrap_or(path);
                let plumbing =
                    PLUMBING.iter().any(|known| *path == *known || path.starts_with(&format!("{known}.")));
                if !plumbing && !ORDINARY.contains(&root) {
                    return true;
                }
            }
        }
        false
    }

    pub(super) fn task(
        &mut self,
        seen: &[Seen<'m>],
        scope: &Scope,
        fixed: &Scope,
        test: (&str, usize),
        parameters: &[Parameter],
    ) -> Result<Task, Error> {
        let shapeless =
            |what: &str| Error::Shapeless { file: self.file.to_owned(), line: test.1, what: what.to_owned() };
        let mut checks = checks(self.evaluator.module, seen);
        if let Some(beyond) = checks.get(MOST_CHECKS) {
            self.open.push(Finding {
                line: beyond.line,
                text: format!(
                    "the test compares {} times; what it compares from here on is not read",
                    checks.len()
                ),
            });
            checks.truncate(MOST_CHECKS);
        }
        let first = checks.first().ok_or_else(|| shapeless("no comparison is reached in this test"))?;
        let reaches = |expression: &Expression, before: usize| {
            let at = maker(seen, before, expression);
            let names = at.map_or_else(Vec::new, |at| seen[at].statement.mentions());
            self.foreign(&names)
        };
        // The library's side is what is measured; where both or none are, the file's order decides: the reference comes first.
        let swapped = reaches(first.left, first.before) && !reaches(first.right, first.before);
        let sides =
            |check: &Check<'m>| if swapped { (check.right, check.left) } else { (check.left, check.right) };
        let measured = maker(seen, first.before, sides(first).1);
        let group: Vec<&Check<'_>> =
            checks.iter().filter(|check| maker(seen, check.before, sides(check).1) == measured).collect();
        let before = group.last().map_or(first.before, |check| check.before);
        let mut outputs: Vec<(Output, &Expression, &Expression)> = Vec::new();
        for check in &group {
            let (expected, actual) = sides(check);
            let output = self.output(scope, check, expected, actual, &outputs);
            if let Some(output) = output {
                outputs.push((output, expected, actual));
            }
        }
        outputs.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        let expected: Vec<&Expression> = outputs.iter().map(|(_, expected, _)| *expected).collect();
        let actual: Vec<(String, &Expression)> =
            outputs.iter().map(|(output, _, actual)| (output.name.clone(), *actual)).collect();
        let seen = &seen[..before];
        let mut inputs = BTreeMap::new();
        let side = Side { seen, fixed, parameters, measured: None };
        let reference = self.reference(&side, &expected, &mut inputs);
        let baseline = self.baseline(&Side { measured, ..side }, &actual, &mut inputs);
        let inputs = Self::inputs(seen, &inputs);
        for (output, _, _) in &mut outputs {
            // What the operation changes in place is open, and still has to be a document.
            if inputs.iter().any(|input| input.name == output.name) {
                output.name.push_str("_out");
            }
        }
        self.others(seen, measured);
        Ok(Task {
            origin: Origin::OpTest,
            file: self.file.to_owned(),
            name: test.0.to_owned(),
            line: test.1,
            inputs,
            outputs: outputs.into_iter().map(|(output, _, _)| output).collect(),
            ranges: Vec::new(),
            cases: Vec::new(),
            constraint: None,
            left_out: 0,
            reference,
            baseline,
            candidate: None,
            open: std::mem::take(&mut self.open),
            said: std::mem::take(&mut self.said),
        })
    }

    fn output(
        &self,
        scope: &Scope,
        check: &Check<'_>,
        expected: &Expression,
        actual: &Expression,
        known: &[(Output, &Expression, &Expression)],
    ) -> Option<Output> {
        let (from_actual, from_expected) =
            (self.evaluator.value(scope, actual, 0), self.evaluator.value(scope, expected, 0));
        let tensor = |value: &Value| match value {
            Value::Tensor(tensor) => Some((tensor.shape.clone(), tensor.dtype)),
            _ => None,
        };
        let (a, b) = (tensor(&from_actual).unwrap_or_default(), tensor(&from_expected).unwrap_or_default());
        let named =
            |expression: &Expression| expression.name().filter(|name| name.len() > 1).map(str::to_owned);
        let name = named(actual)
            .or_else(|| named(expected))
            .unwrap_or_else(|| if known.is_empty() { "y".to_owned() } else { format!("y{}", known.len()) });
        if known.iter().any(|(output, _, _)| output.name == name) {
            return None;
        }
        let shape = a.0.or(b.0).map(|shape| shape.into_iter().map(|extent| extent.text).collect());
        Some(Output { name, shape, dtype: a.1.or(b.1), line: check.line, accepted: check.accepted.clone() })
    }

    fn inputs(seen: &[Seen<'m>], found: &BTreeMap<String, usize>) -> Vec<Input> {
        let mut inputs: Vec<(usize, Input)> = Vec::new();
        for (name, at) in found {
            let Some((_, tensor)) = filled(&seen[*at]) else { continue };
            let fill = match &tensor.made {
                Made::Filled(fill) => Some(fill.clone()),
                _ => None,
            };
            let shape =
                tensor.shape.as_ref().map(|shape| shape.iter().map(|extent| extent.text.clone()).collect());
            inputs.push((
                *at,
                Input {
                    name: name.clone(),
                    shape,
                    dtype: tensor.dtype,
                    fill,
                    line: seen[*at].statement.line,
                },
            ));
        }
        inputs.sort_by_key(|(at, _)| *at);
        inputs.into_iter().map(|(_, input)| input).collect()
    }
}

/// The position of the statement that makes what an expression names.
fn maker(seen: &[Seen<'_>], before: usize, expression: &Expression) -> Option<usize> {
    let names = expression.names();
    let root = *names.first()?;
    (0..before).rev().find(|at| {
        let statement = seen[*at].statement;
        let allocated = matches!(&seen[*at].value, Value::Tensor(Tensor { made: Made::Allocated, .. }));
        statement.binds().contains(&root) && !allocated
            || matches!(&statement.step, Step::Evaluate(value) | Step::Assign(_, value) if matches!(value.kind, Kind::Call(..)))
                && compared_in(statement).is_none()
                && !allocated
                && statement.mentions().contains(&root)
    })
}
