//! A real number that survives JSON exactly.
//!
//! JSON readers differ in the last bit of long decimals, and JSON has no infinity and no NaN. Evidence is
//! hashed and judged again, so reals are written as strings in the shortest decimal form that reads back as
//! the same bits; any other spelling is refused, so that one value has one text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A 64-bit real, written as a JSON string (`"0.01"`, `"1e-7"`, `"inf"`, `"NaN"`).
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Real(f64);

impl Real {
    /// The real of this value; every NaN becomes the one NaN.
    pub const fn new(value: f64) -> Self {
        if value.is_nan() { Self(f64::NAN) } else { Self(value) }
    }

    /// The value.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl From<f64> for Real {
    fn from(value: f64) -> Self {
        Self::new(value)
    }
}

// Equality is of bits: evidence that says NaN equals evidence that says NaN, and -0 is not 0.
impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Real {}

impl fmt::Display for Real {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:?}` of an f64 is the shortest text that reads back, with an exponent where that is shorter.
        write!(formatter, "{:?}", self.0)
    }
}

impl fmt::Debug for Real {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Real({:?})", self.0)
    }
}

impl FromStr for Real {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let real = text.parse::<f64>().map(Self::new).map_err(|_| Error::Real { text: text.to_owned() })?;
        if real.to_string() == text { Ok(real) } else { Err(Error::Real { text: text.to_owned() }) }
    }
}

impl TryFrom<String> for Real {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Real> for String {
    fn from(real: Real) -> Self {
        real.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::Real;

    proptest! {
        #[test]
        fn every_bit_pattern_reads_back_as_itself(bits in any::<u64>()) {
            let real = Real::new(f64::from_bits(bits));
            let text = serde_json::to_string(&real).expect("writes");
            prop_assert_eq!(serde_json::from_str::<Real>(&text).expect("reads"), real);
        }
    }

    #[test]
    fn a_second_spelling_of_a_value_is_refused() {
        assert!("0.010".parse::<Real>().is_err());
        assert!("1".parse::<Real>().is_err());
        assert!("1.0".parse::<Real>().is_ok());
        assert!("inf".parse::<Real>().is_ok());
    }
}
