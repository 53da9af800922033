//! Names and what they are, and what becomes of them where a statement binds or changes them.

use crate::python::{Expression, Kind, Statement, Step};
use crate::value::Value;
use std::collections::BTreeMap;

/// Names and what they are.
pub(crate) type Scope = BTreeMap<String, Value>;

/// Methods that change the extents of their tensor.
const RESHAPING: &[&str] = &["resize_", "squeeze_", "swapaxes_", "t_", "transpose_", "unsqueeze_"];

/// After a statement that was not followed, its names are anything; so is a list whose methods were called.
pub(crate) fn forget(scope: &mut Scope, statement: &Statement) {
    for name in statement.binds() {
        scope.insert(name.to_owned(), Value::Unknown);
    }
    statement.walk(&mut |inner| {
        let Step::Evaluate(Expression { kind: Kind::Call(function, _), .. }) = &inner.step else { return };
        let Kind::Attribute(object, method) = &function.kind else { return };
        let Some(name) = object.dotted() else { return };
        let changed = match scope.get(&name) {
            Some(Value::Sequence(_) | Value::Layer(..)) => true,
            Some(Value::Tensor(_)) => RESHAPING.contains(&method.as_str()),
            _ => false,
        };
        if changed {
            scope.insert(name, Value::Unknown);
        }
    });
}

/// Binds a target to a value, sequences by their parts.
pub(crate) fn assign(scope: &mut Scope, target: &Expression, value: Value) {
    match (&target.kind, value) {
        (Kind::Name(name), value) => {
            scope.insert(name.clone(), value);
        }
        (Kind::Attribute(..), value) => {
            if let Some(name) = target.dotted() {
                scope.insert(name, value);
            }
        }
        (Kind::Sequence(targets), Value::Sequence(values)) => {
            let mut values = values.iter();
            let mut starred = false;
            for target in targets {
                if let Kind::Splat(inner) = &target.kind {
                    starred = true;
                    assign(scope, inner, Value::Unknown);
                } else {
                    // What comes behind a starred name depends on how much that takes.
                    let value = values.next().filter(|_| !starred).cloned();
                    assign(scope, target, value.unwrap_or(Value::Unknown));
                }
            }
        }
        (Kind::Sequence(targets), _) => {
            for target in targets {
                assign(scope, target, Value::Unknown);
            }
        }
        (Kind::Splat(inner), _) => assign(scope, inner, Value::Unknown),
        (Kind::Subscript(object, _), _) => {
            if let Some(name) = object.dotted()
                && matches!(scope.get(&name), Some(Value::Sequence(_)))
            {
                scope.insert(name, Value::Unknown);
            }
        }
        _ => {}
    }
}
