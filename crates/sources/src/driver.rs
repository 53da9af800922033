//! With which values a file calls its test: loops, command lines and parametrizations, read as lists.

use crate::dtype::dtype;
use crate::evaluate::Evaluator;
use crate::python::{Argument, Expression, Kind, Parameter, Statement, Step};
use crate::scope::Scope;
use crate::value::Value;

/// Parameters that take their values together, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The parameters.
    pub(crate) names: Vec<String>,
    /// Their values.
    pub(crate) rows: Vec<Vec<Value>>,
    /// The line that says so, from 1.
    pub(crate) line: usize,
}

/// A call of the test, inside its loops.
struct Call<'m> {
    arguments: &'m [Argument],
    loops: Vec<(&'m Expression, &'m Expression)>,
    line: usize,
}

/// The values of a test's parameters, and how often else the file calls it.
pub(crate) fn axes(evaluator: &Evaluator<'_>, test: &Statement) -> (Vec<Axis>, usize) {
    let Step::Function { name, parameters, decorators, .. } = &test.step else { return (Vec::new(), 0) };
    let scope = command_line(evaluator);
    let mut axes: Vec<Axis> =
        decorators.iter().filter_map(|decorator| parametrized(evaluator, &scope, decorator)).collect();
    let mut calls = Vec::new();
    visit(&evaluator.module.body, name, &mut Vec::new(), &mut calls);
    let more = calls.len().saturating_sub(1);
    if axes.is_empty()
        && let Some(call) = calls.first()
    {
        axes = called(evaluator, &scope, call, parameters);
    }
    (axes, more)
}

/// What `add_argument` gives where nothing is said on the command line, as `args.NAME`.
fn command_line(evaluator: &Evaluator<'_>) -> Scope {
    let mut scope = Scope::new();
    let mut see = |expression: &Expression| {
        let Kind::Call(function, arguments) = &expression.kind else { return };
        if !matches!(&function.kind, Kind::Attribute(_, method) if method == "add_argument") {
            return;
        }
        let texts =
            arguments.iter().filter(|argument| argument.name.is_none()).filter_map(
                |argument| match &argument.value.kind {
                    Kind::Text(text) => Some(&**text),
                    _ => None,
                },
            );
        let flags: Vec<&str> = texts.collect();
        let word = |name: &str| {
            arguments
                .iter()
                .find(|argument| argument.name.as_deref() == Some(name))
                .map(|argument| &argument.value)
        };
        let named = match word("dest").map(|value| &value.kind) {
            Some(Kind::Text(text)) => Some(&**text),
            _ => flags.iter().find(|flag| flag.starts_with("--")).or(flags.first()).copied(),
        };
        let (Some(named), Some(default)) = (named, word("default")) else { return };
        let name = named.trim_start_matches('-').replace('-', "_");
        let value = evaluator.value(&Scope::new(), default, 0);
        if !matches!(value, Value::None | Value::Unknown) {
            scope.insert(format!("args.{name}"), value);
        }
    };
    for statement in &evaluator.module.body {
        statement.walk(&mut |inner| {
            for expression in inner.expressions() {
                expression.walk(&mut see);
            }
        });
    }
    scope
}

/// `@pytest.mark.parametrize("m, n", [(1, 2), …])`.
fn parametrized(evaluator: &Evaluator<'_>, scope: &Scope, decorator: &Expression) -> Option<Axis> {
    let Kind::Call(function, arguments) = &decorator.kind else { return None };
    if function.dotted()?.rsplit('.').next()? != "parametrize" {
        return None;
    }
    let [names, values, ..] = arguments.as_slice() else { return None };
    let names: Vec<String> = match evaluator.value(scope, &names.value, 0) {
        Value::Text(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        Value::Sequence(parts) => parts
            .iter()
            .map(|part| match part {
                Value::Text(text) => Some(text.as_ref().to_owned()),
                _ => None,
            })
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let rows = list(evaluator.value(scope, &values.value, 0))?;
    let rows = rows
        .into_iter()
        .filter_map(|row| match row {
            Value::Sequence(row) if names.len() > 1 && row.len() == names.len() => Some(row.to_vec()),
            row if names.len() == 1 => Some(vec![row]),
            _ => None,
        })
        .map(|row| row.into_iter().map(typed).collect())
        .collect();
    Some(Axis { names, rows, line: decorator.line })
}

/// Finds the calls of a function, with the loops around each.
fn visit<'m>(
    statements: &'m [Statement],
    name: &str,
    loops: &mut Vec<(&'m Expression, &'m Expression)>,
    found: &mut Vec<Call<'m>>,
) {
    for statement in statements {
        for expression in statement.expressions() {
            expression.walk(&mut |part| {
                if let Kind::Call(function, arguments) = &part.kind
                    && function.name() == Some(name)
                {
                    found.push(Call { arguments, loops: loops.clone(), line: part.line });
                }
            });
        }
        match &statement.step {
            Step::For { target, iterable, body } => {
                loops.push((target, iterable));
                visit(body, name, loops, found);
                loops.pop();
            }
            Step::Function { body, .. } => visit(body, name, loops, found),
            _ => {
                for block in statement.blocks() {
                    visit(block, name, loops, found);
                }
            }
        }
    }
}

/// The axes of one call: the loops that feed it, and single values.
fn called(evaluator: &Evaluator<'_>, scope: &Scope, call: &Call<'_>, parameters: &[Parameter]) -> Vec<Axis> {
    let mut bound: Vec<(&str, &Expression)> = Vec::new();
    // Nobody knows which place an argument behind a `*more` takes.
    let mut placed = true;
    for (at, argument) in call.arguments.iter().enumerate() {
        placed &= !matches!(argument.value.kind, Kind::Splat(_));
        let name = match &argument.name {
            Some(name) => Some(name.as_str()),
            None if !placed => None,
            None => parameters.get(at).map(|parameter| parameter.name.as_str()),
        };
        bound.extend(name.map(|name| (name, &argument.value)));
    }
    let mut axes = Vec::new();
    let mut taken: Vec<&str> = Vec::new();
    for (variables, rows, line) in loop_axes(evaluator, scope, &call.loops) {
        // What is given is a variable of the loop, or made from one.
        let columns: Vec<(&str, &Expression)> = bound
            .iter()
            .filter(|(_, value)| {
                value.names().iter().any(|name| variables.iter().any(|variable| variable == name))
            })
            .copied()
            .collect();
        if columns.is_empty() {
            continue;
        }
        taken.extend(columns.iter().map(|(name, _)| *name));
        let mut inside = scope.clone();
        let rows = rows.into_iter().map(|row| {
            let row = row.into_iter().chain(std::iter::repeat(Value::Unknown));
            inside.extend(variables.iter().cloned().zip(row));
            columns.iter().map(|(_, value)| typed(evaluator.value(&inside, value, 0))).collect()
        });
        axes.push(Axis {
            names: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            rows: rows.collect(),
            line,
        });
    }
    for (name, value) in bound {
        if !taken.contains(&name) {
            let value = typed(evaluator.value(scope, value, 0));
            axes.push(Axis { names: vec![name.to_owned()], rows: vec![vec![value]], line: call.line });
        }
    }
    axes
}

/// Loop variables with their rows; `itertools.product` is one loop for each variable.
fn loop_axes(
    evaluator: &Evaluator<'_>,
    scope: &Scope,
    loops: &[(&Expression, &Expression)],
) -> Vec<(Vec<String>, Vec<Vec<Value>>, usize)> {
    let mut all = Vec::new();
    for (target, iterable) in loops {
        let names = |target: &Expression| match &target.kind {
            Kind::Name(name) => vec![name.clone()],
            Kind::Sequence(parts) => parts.iter().map(|part| part.name().unwrap_or("_").to_owned()).collect(),
            _ => Vec::new(),
        };
        let variables = names(target);
        if let Kind::Call(function, arguments) = &iterable.kind
            && evaluator.path(function).is_some_and(|path| path == "itertools.product")
        {
            for (variable, argument) in variables.iter().zip(arguments) {
                if let Some(rows) = list(evaluator.value(scope, &argument.value, 0)) {
                    let rows = rows.into_iter().map(|row| vec![row]).collect();
                    all.push((vec![variable.clone()], rows, iterable.line));
                }
            }
            continue;
        }
        let Some(rows) = list(evaluator.value(scope, iterable, 0)) else { continue };
        let rows = rows.into_iter().map(|row| match row {
            Value::Sequence(row) if variables.len() > 1 => row.to_vec(),
            row => vec![row],
        });
        let rows = rows.collect();
        all.push((variables, rows, iterable.line));
    }
    all
}

/// A list's values; a text with commas is the list that a command line makes of it.
fn list(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Sequence(parts) => Some(parts.to_vec()),
        Value::Text(text) => Some(text.split(',').map(|word| Value::Text(word.trim().into())).collect()),
        Value::Unknown => None,
        single => Some(vec![single]),
    }
}

/// A text that names an element type is one.
fn typed(value: Value) -> Value {
    match &value {
        Value::Text(text) => dtype(text).map_or(value, Value::Dtype),
        _ => value,
    }
}
