//! Comparing calls: what is compared with what, and how closely.

use crate::evaluate::Seen;
use crate::python::{Expression, Kind, Module, Statement};

/// Functions that compare two results (aiter, PyTorch, numpy).
const CHECKS: &[&str] =
    &["checkAllclose", "assert_close", "allclose", "assert_allclose", "assert_verbose_allclose"];

/// One comparison.
pub(super) struct Check<'m> {
    /// How many statements were met before.
    pub(super) before: usize,
    /// The first of the two.
    pub(super) left: &'m Expression,
    /// The second.
    pub(super) right: &'m Expression,
    /// What it accepts.
    pub(super) accepted: Option<String>,
    /// Its line, from 1.
    pub(super) line: usize,
}

/// The two sides of a comparing call.
pub(super) fn compared(expression: &Expression) -> Option<(&Expression, &Expression)> {
    let Kind::Call(function, arguments) = &expression.kind else { return None };
    let (Kind::Name(name) | Kind::Attribute(_, name)) = &function.kind else { return None };
    if !CHECKS.contains(&name.as_str()) {
        return None;
    }
    let mut places = arguments.iter().filter(|argument| {
        argument.name.is_none()
            || matches!(argument.name.as_deref(), Some("actual" | "expected" | "input" | "other"))
    });
    Some((bare(&places.next()?.value), bare(&places.next()?.value)))
}

/// A result without the conversions that a comparison puts around it.
fn bare(expression: &Expression) -> &Expression {
    if let Kind::Call(function, _) = &expression.kind
        && let Kind::Attribute(object, method) = &function.kind
        && matches!(
            method.as_str(),
            "to" | "float" | "double" | "cpu" | "half" | "bfloat16" | "detach" | "numpy"
        )
    {
        return bare(object);
    }
    expression
}

/// The comparing call of a statement, with its two sides.
pub(super) fn compared_in(statement: &Statement) -> Option<(&Expression, &Expression, &Expression)> {
    let mut found = None;
    for expression in statement.expressions() {
        expression.walk(&mut |part| {
            if found.is_none()
                && let Some((left, right)) = compared(part)
            {
                found = Some((part, left, right));
            }
        });
    }
    found
}

/// What a comparison accepts, as the file writes it.
fn accepted(module: &Module, call: &Expression) -> Option<String> {
    let Kind::Call(_, arguments) = &call.kind else { return None };
    let words: Vec<&str> = arguments
        .iter()
        .filter(|argument| matches!(argument.name.as_deref(), Some("atol" | "rtol" | "tol_err_ratio")))
        .map(|argument| module.slice(&argument.span))
        .collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The comparisons among the statements that were met.
pub(super) fn checks<'a>(module: &Module, seen: &[Seen<'a>]) -> Vec<Check<'a>> {
    let mut checks = Vec::new();
    for (before, met) in seen.iter().enumerate() {
        if let Some((call, left, right)) = compared_in(met.statement) {
            checks.push(Check { before, left, right, accepted: accepted(module, call), line: call.line });
        }
    }
    checks
}
