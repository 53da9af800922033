//! Which test is meant, and the task that it makes.

use super::check::compared;
use super::reading::Reading;
use crate::cases::cases;
use crate::driver;
use crate::error::Error;
use crate::evaluate::Evaluator;
use crate::python::{Module, Statement, Step};
use crate::scope::Scope;
use crate::task::{Finding, Task};
use std::collections::BTreeSet;

/// Nobody writes a test of more parameters.
const MOST_PARAMETERS: usize = 255;

/// Reads one test of a file; without a name, the one that is called `test_OP`, or the only one.
///
/// # Errors
/// Where there is no such test, or it compares nothing.
pub fn op_test(file: &str, text: &str, name: Option<&str>, op: &str) -> Result<Task, Error> {
    from_module(file, &crate::parsed(file, text)?, name, op)
}

/// Reads one test of a file that has been parsed.
pub(crate) fn from_module(file: &str, module: &Module, name: Option<&str>, op: &str) -> Result<Task, Error> {
    let evaluator = Evaluator::new(module, &BTreeSet::new());
    let function = chosen(file, module, name, op)?;
    let Step::Function { name, parameters, body, .. } = &function.step else {
        return Err(Error::Shapeless {
            file: file.to_owned(),
            line: function.line,
            what: "this is no function".to_owned(),
        });
    };
    if parameters.len() > MOST_PARAMETERS {
        return Err(Error::Shapeless {
            file: file.to_owned(),
            line: function.line,
            what: format!("`{name}` has {} parameters, more than {MOST_PARAMETERS}", parameters.len()),
        });
    }
    let (axes, more) = driver::axes(&evaluator, function);
    let mut reading = Reading { evaluator: &evaluator, file, said: Vec::new(), open: Vec::new() };
    let fixed = reading.fixed(parameters, &axes);
    let mut scope: Scope = fixed.clone();
    let mut seen = Vec::new();
    evaluator.run(&mut scope, body, &mut seen, 0);
    let mut task = reading.task(&seen, &scope, &fixed, (name, function.line), parameters)?;
    let found = cases(&task.inputs, &fixed, &axes, parameters);
    task.open.extend(evaluator.beyond(function.line));
    (task.cases, task.ranges, task.left_out) = (found.cases, found.ranges, found.left_out);
    task.constraint = found.constraint;
    if found.open {
        task.open.push(Finding {
            line: function.line,
            text: "no list of sizes was found for this test; give params and [domain] their values"
                .to_owned(),
        });
    }
    if more > 0 {
        task.said.push(Finding {
            line: function.line,
            text: format!("the file calls `{name}` {more} more times; the first call was read"),
        });
    }
    Ok(task)
}

/// The tests of a file: functions that compare something.
pub(crate) fn tests(module: &Module) -> Vec<(&str, &Statement)> {
    let mut tests = Vec::new();
    for statement in &module.body {
        let Step::Function { name, body, .. } = &statement.step else { continue };
        let mut compares = false;
        for inner in body {
            inner.walk(&mut |inner| {
                for expression in inner.expressions() {
                    expression.walk(&mut |part| compares |= compared(part).is_some());
                }
            });
        }
        if compares {
            tests.push((name.as_str(), statement));
        }
    }
    tests
}

fn chosen<'m>(file: &str, module: &'m Module, name: Option<&str>, op: &str) -> Result<&'m Statement, Error> {
    let tests = tests(module);
    let file = file.to_owned();
    if let Some(name) = name {
        let known = tests.iter().map(|(known, _)| (*known).to_owned()).collect();
        let found = tests.into_iter().find(|(known, _)| *known == name);
        return found.map(|(_, test)| test).ok_or_else(|| Error::NotThere {
            file,
            name: name.to_owned(),
            known,
        });
    }
    let named = format!("test_{op}");
    match tests.as_slice() {
        [] => Err(Error::NoTask { file, missing: "no function compares two results".to_owned() }),
        [(_, only)] => Ok(only),
        _ => tests.iter().find(|(name, _)| *name == named || *name == op).map(|(_, test)| *test).ok_or_else(
            || Error::Several {
                file,
                count: tests.len(),
                list: tests
                    .iter()
                    .map(|(name, test)| format!("{name} (line {})", test.line))
                    .collect::<Vec<_>>()
                    .join(", "),
            },
        ),
    }
}
