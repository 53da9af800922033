//! The exact one-sided sign-flip test: is the mean above zero, assuming only that each launch is as likely to err either way?
//!
//! Fisher, "The Design of Experiments" (1935), §21. All 2^n sign patterns are counted, not sampled: the patterns of each half of
//! the launches are summed and sorted, and pairs are counted with two pointers (Horowitz & Sahni, J. ACM 21 (1974) 277–292).

/// Share of the sign patterns of `values` whose sum is at least the observed one; 1 for no values.
///
/// Takes at most 32 values (a policy allows no more launches); beyond that it answers 1, which supports no claim.
pub fn sign_flip_p(values: &[f64]) -> f64 {
    if values.is_empty() || values.len() > 32 {
        return 1.0;
    }
    let (left, right) = values.split_at(values.len() / 2);
    let observed: f64 = values.iter().sum();
    // Sums are formed in different orders; ties with the observed pattern count as ties despite rounding.
    let slack = 1e-12 * values.iter().map(|x| libm::fabs(*x)).sum::<f64>();
    let (low, high) = (signed_sums(left), signed_sums(right));
    let mut reaching = 0_u64;
    let mut start = high.len();
    for sum in &low {
        while start > 0 && high.get(start - 1).is_some_and(|other| sum + other >= observed - slack) {
            start -= 1;
        }
        reaching += (high.len() - start) as u64;
    }
    reaching as f64 / (low.len() as f64 * high.len() as f64)
}

/// Sums over all sign patterns, ascending.
fn signed_sums(values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for value in values {
        sums = sums.iter().flat_map(|sum| [sum - value, sum + value]).collect();
    }
    sums.sort_unstable_by(f64::total_cmp);
    sums
}
