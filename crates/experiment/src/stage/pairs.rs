//! Two things timed one after the other, again and again: does one of them take longer?
//!
//! A machine that is busy makes any single pair differ by anything, in either direction; what is really there shows in nearly all of them.
//! Invariant: nobody is accused where more than a fifth of the pairs say something else.

/// How much longer one thing took than another, pair by pair, ns.
#[derive(Clone, Debug, Default)]
pub(super) struct Differences(pub(super) Vec<f64>);

/// What pairs tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing out of the ordinary.
    Nothing,
    /// In most pairs, but in too few to be sure of it: so many pairs turn around by chance only where a machine is busy.
    Perhaps(String),
    /// In all pairs but a fifth.
    Surely(String),
}

impl Told {
    /// The graver of two answers; the first of equals.
    pub(super) fn or(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Surely(_), _) | (Self::Perhaps(_), Self::Perhaps(_)) | (_, Self::Nothing) => self,
            _ => other,
        }
    }

    /// What is sure.
    #[cfg(test)]
    pub(super) fn sure(self) -> Option<String> {
        match self {
            Self::Surely(why) => Some(why),
            _ => None,
        }
    }
}

impl Differences {
    /// With fewer pairs there is nothing to tell.
    pub(super) const FEWEST: usize = 5;

    /// Whether pairs differ by more than `allowed`, in ns, beyond what the other side usually shows; `words` are made of what most of them exceed.
    pub(super) fn told(&self, usual: &Self, allowed: f64, words: impl Fn(f64) -> String) -> Told {
        if self.0.len() < Self::FEWEST {
            return Told::Nothing;
        }
        let sorted = |of: &Self| {
            let mut values = of.0.clone();
            values.sort_by(f64::total_cmp);
            values
        };
        let (mine, usual) = (sorted(self), sorted(usual));
        let middle = usual.get(usual.len() / 2).copied().unwrap_or(0.0).max(0.0);
        let beyond = |at: usize| mine.get(at).map(|value| value - middle).filter(|more| *more > allowed);
        match (beyond(mine.len() / 5), beyond(mine.len() * 2 / 5)) {
            (Some(sure), _) => Told::Surely(words(sure)),
            (None, Some(likely)) => Told::Perhaps(words(likely)),
            (None, None) => Told::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pairs: &[f64]) -> Told {
        let usual = Differences(vec![-5.0, 10.0, 30.0]);
        Differences(pairs.to_vec()).told(&usual, 50.0, |more| format!("{more}"))
    }

    #[test]
    fn all_but_a_fifth_are_sure_and_most_are_a_doubt() {
        // The other side usually shows 10.
        assert_eq!(told(&[0.0, 100.0, 110.0, 120.0, 130.0]), Told::Surely("90".to_owned()));
        assert_eq!(told(&[0.0, 0.0, 110.0, 120.0, 130.0]), Told::Perhaps("100".to_owned()));
        assert_eq!(told(&[0.0, 0.0, 0.0, 120.0, 130.0]), Told::Nothing);
        assert_eq!(told(&[60.0; 5]), Told::Nothing);
        assert_eq!(told(&[600.0; 4]), Told::Nothing);
    }

    #[test]
    fn the_graver_answer_counts() {
        let (sure, doubt) = (Told::Surely("s".to_owned()), Told::Perhaps("d".to_owned()));
        assert_eq!(doubt.clone().or(sure.clone()), sure);
        assert_eq!(sure.clone().or(doubt.clone()), sure);
        assert_eq!(Told::Nothing.or(doubt.clone()), doubt);
        assert_eq!(doubt.clone().or(Told::Nothing), doubt);
    }
}
