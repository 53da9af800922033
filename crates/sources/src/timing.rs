//! Functions that time another one: what they call, and how they are told.

use crate::python::{Argument, Expression, Kind, Statement, Step};

/// The call inside a call of a timing function: `run_perftest(f, x)` is `f(x)`, timed.
pub(crate) fn timed<'a>(
    function: &Expression,
    arguments: &'a [Argument],
) -> Option<(&'a Expression, &'a [Argument])> {
    let name = function.dotted()?;
    if !name.rsplit('.').next()?.starts_with("run_perftest") {
        return None;
    }
    let (first, rest) = arguments.split_first()?;
    (first.name.is_none() || first.name.as_deref() == Some("func")).then_some((&first.value, rest))
}

/// True where a decorator times the function, so that it gives its result and a time.
pub(crate) fn is_timer(definition: &Statement) -> bool {
    let Step::Function { decorators, .. } = &definition.step else { return false };
    decorators.iter().any(|decorator| {
        let called = match &decorator.kind {
            Kind::Call(function, _) => function,
            _ => decorator,
        };
        called.dotted().is_some_and(|name| name.rsplit('.').next() == Some("perftest"))
    })
}
