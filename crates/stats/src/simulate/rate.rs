//! What a count of simulated verdicts says about their rate.
//!
//! Answers with an exact bound of the binomial distribution; refuses nothing. Invariant: the bound is never below the rate observed.

/// The rate above which so few hits would be seen in fewer than 1 of 20 repetitions of these runs (Clopper & Pearson, 1934); 1 where
/// every run was a hit.
pub fn upper_bound(hits: u64, runs: u64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_most(hits, runs, middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// Chance of at most `hits` of `runs` at this rate.
fn at_most(hits: u64, runs: u64, rate: f64) -> f64 {
    let log_choose = |k: u64| (0..k).map(|i| ((runs - i) as f64 / (i + 1) as f64).ln()).sum::<f64>();
    (0..=hits.min(runs))
        .map(|k| (log_choose(k) + k as f64 * rate.ln() + (runs - k) as f64 * (1.0 - rate).ln()).exp())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_rule_of_three_for_no_hits_and_the_printed_value_for_some() {
        assert!((upper_bound(0, 300) - 0.009_936).abs() < 1e-5, "1 - 0.05^(1/300)");
        // Upper 95 % limit for 2 of 20; Hahn & Meeker, "Statistical Intervals" (1991), Figure/Table A.23: 0.283.
        assert!((upper_bound(2, 20) - 0.283).abs() < 1e-3);
    }
}
