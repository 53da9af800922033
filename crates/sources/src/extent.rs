//! How large the inputs of a case are: their extents, which are expressions over the parameters, computed for its values.
//!
//! Invariant: the constraint of a domain is this room's own text computed by Python's rules, so that the case that it is made from fulfils it.

use crate::dtype;
use crate::python::{Expression, Kind, Module, Step};
use crate::task::Input;
use crate::value::Int;
use std::collections::BTreeMap;

/// A case: parameters with their values.
pub(crate) type Case = BTreeMap<String, i64>;

/// The inputs whose extents are known.
pub(crate) struct Sizes {
    known: Vec<(Vec<Expression>, i64)>,
    /// The number of elements of all inputs; absent where it depends on nothing or something is open.
    elements: Option<String>,
}

impl Sizes {
    /// The sizes of some inputs.
    pub(crate) fn of(inputs: &[Input]) -> Self {
        let known = inputs.iter().filter_map(|input| {
            let extents: Option<Vec<Expression>> =
                input.shape.as_ref()?.iter().map(|text| expression(text)).collect();
            Some((extents?, input.dtype.map_or(4, dtype::bytes)))
        });
        Self { known: known.collect(), elements: elements(inputs) }
    }

    /// Elements of every known input with the bytes of one; absent where an extent cannot be computed or is no extent.
    fn counts(&self, case: &Case) -> Option<Vec<(i64, i64)>> {
        let count = |extents: &Vec<Expression>| {
            extents.iter().try_fold(1_i64, |product, extent| {
                product.checked_mul(number(extent, case).filter(|extent| *extent >= 0)?)
            })
        };
        self.known.iter().map(|(extents, bytes)| Some((count(extents)?, *bytes))).collect()
    }

    /// The bytes of the known inputs.
    pub(crate) fn bytes(&self, case: &Case) -> Option<i64> {
        let counts = self.counts(case)?;
        counts.into_iter().try_fold(0_i64, |sum, (count, each)| sum.checked_add(count.checked_mul(each)?))
    }

    /// The elements of all inputs stay below those of the largest case.
    pub(crate) fn constraint(&self, cases: &[Case]) -> Option<String> {
        let count = |case: &Case| {
            self.counts(case)?.into_iter().try_fold(0_i64, |sum, (count, _)| sum.checked_add(count))
        };
        let most = cases.iter().filter_map(count).max()?;
        self.elements.as_ref().map(|sum| format!("{sum} <= {most}"))
    }
}

fn expression(text: &str) -> Option<Expression> {
    match Module::parse(text)?.body.pop()?.step {
        Step::Evaluate(value) => Some(value),
        _ => None,
    }
}

/// A whole number under Python's rules.
fn number(expression: &Expression, case: &Case) -> Option<i64> {
    match &expression.kind {
        Kind::Integer(value) => Some(*value),
        Kind::Name(name) => case.get(name).copied(),
        Kind::Negate(inner) => number(inner, case)?.checked_neg(),
        Kind::Binary(operator, left, right) => {
            Int::literal(number(left, case)?).join(operator, &Int::literal(number(right, case)?))?.value
        }
        _ => None,
    }
}

fn elements(inputs: &[Input]) -> Option<String> {
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
