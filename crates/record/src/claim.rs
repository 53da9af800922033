//! A claim given before measuring, kept beside what was measured.

use kforge_stats::{Interval, Judgement, Verdict};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::real::Real;

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimOutcome {
    /// The whole interval lies above the claim.
    Exceeded,
    /// The interval holds the claim.
    Met,
    /// The whole interval lies below the claim.
    Missed,
    /// Nothing was measured that could be compared.
    Unmeasured,
}

/// What somebody expected, in their own words and as a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The words: `1.4x on decode`.
    pub text: String,
    /// The claimed speedup.
    pub factor: Real,
    /// What it is claimed for, where the words say so: a case's name, or free words for the whole op.
    pub scope: Option<String>,
    /// What was measured for that scope.
    pub measured: Option<Interval>,
    /// How the claim fared.
    pub outcome: ClaimOutcome,
}

impl Claim {
    /// Reads `1.4x`, `1.4x on decode` or `1.4×, on decode`; nothing is measured yet.
    ///
    /// # Errors
    /// `Error::Claim` where the words do not begin with a positive factor.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = || Error::Claim { text: text.to_owned() };
        let words = text.trim();
        let end = words.find(['x', '×', 'X']).ok_or_else(refuse)?;
        let (number, rest) = words.split_at(end);
        let factor: f64 = number.trim().parse().map_err(|_| refuse())?;
        if !(factor.is_finite() && factor > 0.0) {
            return Err(refuse());
        }
        let rest = rest.trim_start_matches(['x', '×', 'X']).trim_start_matches(',').trim();
        let scope = rest.strip_prefix("on ").unwrap_or(rest).trim();
        Ok(Self {
            text: text.to_owned(),
            factor: Real::new(factor),
            scope: (!scope.is_empty()).then(|| scope.to_owned()),
            measured: None,
            outcome: ClaimOutcome::Unmeasured,
        })
    }

    /// The claim with what the judgement measured for its scope: the case of that name, otherwise the op.
    #[must_use]
    pub fn compared(mut self, judgement: &Judgement) -> Self {
        let of_case = self.scope.as_ref().and_then(|scope| {
            let case = judgement.cases.iter().find(|case| &case.case == scope)?;
            case.measured.as_ref().map(|measured| measured.speedup)
        });
        // A void measurement says nothing, and what is wrong has no speed worth claiming.
        let says_nothing = matches!(judgement.verdict, Verdict::Void { .. } | Verdict::Incorrect { .. });
        self.measured = of_case
            .or_else(|| judgement.overall.as_ref().map(|overall| overall.speedup))
            .filter(|_| !says_nothing);
        self.outcome = match &self.measured {
            None => ClaimOutcome::Unmeasured,
            Some(interval) if interval.low > self.factor.get() => ClaimOutcome::Exceeded,
            Some(interval) if interval.high < self.factor.get() => ClaimOutcome::Missed,
            Some(_) => ClaimOutcome::Met,
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Claim;

    #[test]
    fn a_claim_has_a_factor_and_perhaps_a_scope() {
        let claim = Claim::parse("1.4x on decode").expect("reads");
        assert_eq!((claim.factor.get(), claim.scope.as_deref()), (1.4, Some("decode")));
        assert_eq!(Claim::parse("2x").expect("reads").scope, None);
        assert!(Claim::parse("faster").is_err());
        assert!(Claim::parse("-1x").is_err());
        assert!(Claim::parse("NaNx").is_err());
    }
}
