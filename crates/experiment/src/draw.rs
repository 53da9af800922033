//! Cases and seeds that nobody can know in advance.
//!
//! After the runners have said hello, further cases are drawn from the domain: its corners, odd and prime and small and large values, values
//! next to powers of two, and values from anywhere, evenly and evenly in the logarithm. Invariant: every drawn case is inside the
//! domain, differs from the declared ones and from the others, and the shapes of all operands exist for it.

use crate::error::Error;
use crate::expression::Params;
use crate::philox::Stream;
use crate::spec::{CaseSpec, Experiment, Range, case_name};
use std::collections::BTreeMap;

/// Where unpredictable numbers come from: the operating system in production, a fixed stream in tests.
pub trait Entropy {
    /// 64 bits.
    fn seed(&mut self) -> u64;
}

/// The operating system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn seed(&mut self) -> u64 {
        rand::random()
    }
}

impl Entropy for Stream {
    fn seed(&mut self) -> u64 {
        self.wide()
    }
}

/// Tries per case before the domain is called too narrow.
const TRIES: u32 = 200;

/// Draws cases from the domain; fewer than asked for only where the domain has no more.
///
/// # Errors
/// [`Error::Domain`] where not one case was found although some were asked for.
pub fn draw_cases(experiment: &Experiment, wanted: u32, seed: u64) -> Result<Vec<CaseSpec>, Error> {
    let mut stream = Stream::new(seed, 0);
    let mut found: Vec<CaseSpec> = Vec::new();
    let mut tries = 0;
    if experiment.domain.ranges.is_empty() {
        return Ok(found);
    }
    while found.len() < wanted as usize && tries < wanted * TRIES {
        tries += 1;
        let params: Params = experiment
            .domain
            .ranges
            .iter()
            .map(|(name, range)| (name.clone(), one(range, &mut stream)))
            .collect();
        let known = experiment.cases.iter().chain(&found).any(|case| case.params == params);
        if known || !experiment.domain.contains(&params) || experiment.check_shapes(&params).is_err() {
            continue;
        }
        let dtypes = dtypes(experiment, &mut stream);
        found.push(CaseSpec { name: format!("drawn-{}", case_name(&params)), params, dtypes, weight: 0.0 });
    }
    if found.is_empty() && wanted > 0 && !every_case_is_declared(experiment) {
        return Err(Error::Domain { path: experiment.path.clone(), tries });
    }
    Ok(found)
}

/// The element types of one of the declared cases: a drawn case varies sizes, not what the operation is for.
fn dtypes(experiment: &Experiment, stream: &mut Stream) -> BTreeMap<String, crate::dtype::Dtype> {
    let index = stream.below(experiment.cases.len() as u64) as usize;
    experiment.cases.get(index).map(|case| case.dtypes.clone()).unwrap_or_default()
}

/// True where the ranges leave nothing to draw.
fn every_case_is_declared(experiment: &Experiment) -> bool {
    let points = experiment.domain.ranges.values().try_fold(1_u64, |product, range| {
        let size = match range {
            Range::Choices(values) => values.len() as u64,
            Range::Span { min, max, multiple_of } => {
                let (low, high) = multiples(*min, *max, *multiple_of);
                if low <= high { low.abs_diff(high).saturating_add(1) } else { 0 }
            }
        };
        product.checked_mul(size)
    });
    points.is_some_and(|points| points <= experiment.cases.len() as u64)
}

/// One value of a range, by one of several ways of choosing.
fn one(range: &Range, stream: &mut Stream) -> i64 {
    match range {
        Range::Choices(values) => {
            values.get(stream.below(values.len() as u64) as usize).copied().unwrap_or_default()
        }
        Range::Span { min, max, multiple_of } => {
            let (low, high) = multiples(*min, *max, *multiple_of);
            step(low, high, stream) * multiple_of
        }
    }
}

/// The first and the last whole number that times `multiple_of` lies in a span.
fn multiples(min: i64, max: i64, multiple_of: i64) -> (i64, i64) {
    let up = i64::from(min.rem_euclid(multiple_of) != 0);
    (min.div_euclid(multiple_of) + up, max.div_euclid(multiple_of))
}

fn step(low: i64, high: i64, stream: &mut Stream) -> i64 {
    let width = high.abs_diff(low);
    let anywhere = |stream: &mut Stream| low + stream.below(width.saturating_add(1)) as i64;
    let value = match stream.below(8) {
        0 => low,
        1 => high,
        2 => low + stream.below(width.min(8) + 1) as i64,
        3 => high - stream.below(width.min(8) + 1) as i64,
        4 => {
            let power = 1_i64 << stream.below(40);
            power + stream.below(3) as i64 - 1
        }
        5 => {
            // Even in the logarithm of the distance from the lower end.
            let bits = u64::from(u64::BITS - width.leading_zeros());
            low + (stream.wide() & ((1 << stream.below(bits.min(62) + 1)) - 1)).min(width) as i64
        }
        6 => prime_near(anywhere(stream)),
        _ => anywhere(stream) | 1,
    };
    if (low..=high).contains(&value) { value } else { anywhere(stream) }
}

/// The first prime at or above a value, within a thousand; the value itself where there is none.
fn prime_near(value: i64) -> i64 {
    (value.max(2)..value.max(2).saturating_add(1000)).find(|candidate| is_prime(*candidate)).unwrap_or(value)
}

fn is_prime(value: i64) -> bool {
    // Trial division up to a bound that keeps drawing quick; beyond it a value is only free of small factors.
    value >= 2 && (2..100_000).take_while(|factor| factor * factor <= value).all(|factor| value % factor != 0)
}
