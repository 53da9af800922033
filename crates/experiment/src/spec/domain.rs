//! The domain: which parameter values the operation must be right for, beyond the cases that are timed.

use super::document::RangeDoc;
use super::locate::Source;
use crate::error::Error;
use crate::expression::{Expression, Params};
use serde::Deserialize as _;
use std::collections::BTreeMap;
use toml::Spanned;

/// The values that one parameter may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// Multiples of a number between two ends, both included.
    Span {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Every value is a multiple of this, at least 1.
        multiple_of: i64,
    },
    /// Exactly these values.
    Choices(Vec<i64>),
}

impl Range {
    /// True where the parameter may have this value.
    pub fn contains(&self, value: i64) -> bool {
        match self {
            Self::Span { min, max, multiple_of } => {
                (*min..=*max).contains(&value) && value % multiple_of == 0
            }
            Self::Choices(values) => values.contains(&value),
        }
    }
}

/// The ranges of all parameters, and what must hold between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// By parameter.
    pub ranges: BTreeMap<String, Range>,
    /// Expressions that are not 0 for every case of the domain.
    pub constraints: Vec<Expression>,
}

impl Domain {
    /// True where these parameters are inside every range and satisfy every constraint. A constraint without a value is not satisfied.
    pub fn contains(&self, params: &Params) -> bool {
        self.ranges.iter().all(|(name, range)| params.get(name).is_some_and(|value| range.contains(*value)))
            && self
                .constraints
                .iter()
                .all(|constraint| constraint.value(params).is_ok_and(|value| value != 0))
    }
}

pub(super) fn domain(
    source: &Source<'_>,
    doc: &Spanned<BTreeMap<Spanned<String>, Spanned<toml::Value>>>,
) -> Result<Domain, Error> {
    let mut domain = Domain::default();
    for (name, value) in doc.get_ref() {
        let span = value.span();
        if name.get_ref() == "constraints" {
            let texts = Vec::<String>::deserialize(value.get_ref().clone())
                .map_err(|_| source.wrong(&span, "constraints is a list of expressions", None))?;
            for text in texts {
                let constraint =
                    Expression::parse(&text).map_err(|e| source.wrong(&span, e.to_string(), None))?;
                domain.constraints.push(constraint);
            }
            continue;
        }
        let range = RangeDoc::deserialize(value.get_ref().clone()).map_err(|error| {
            source.wrong(
                &span,
                format!(
                    "the range of `{}`: {}",
                    name.get_ref(),
                    error.message().lines().next().unwrap_or("unreadable")
                ),
                "write { min = 1, max = 4096, multiple_of = 8 } or { choices = [1, 2, 4] }".to_owned(),
            )
        })?;
        domain.ranges.insert(name.get_ref().clone(), checked(source, &span, name.get_ref(), range)?);
    }
    Ok(domain)
}

fn checked(
    source: &Source<'_>,
    span: &std::ops::Range<usize>,
    name: &str,
    range: RangeDoc,
) -> Result<Range, Error> {
    match range {
        RangeDoc { choices: Some(values), min: None, max: None, multiple_of: None } if !values.is_empty() => {
            Ok(Range::Choices(values))
        }
        RangeDoc { choices: None, min: Some(min), max: Some(max), multiple_of } => {
            let multiple_of = multiple_of.unwrap_or(1);
            let any = multiple_of >= 1
                && min <= max
                && max.div_euclid(multiple_of).checked_mul(multiple_of).is_some_and(|largest| largest >= min);
            if any {
                Ok(Range::Span { min, max, multiple_of })
            } else {
                Err(source.wrong(span, format!("the range of `{name}` holds no value"), None))
            }
        }
        _ => Err(source.wrong(
            span,
            format!("the range of `{name}` is incomplete"),
            "give min and max, with multiple_of where needed, or choices alone".to_owned(),
        )),
    }
}
