//! Which of several cases differ, with the error kept over all of them together.
//!
//! Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979) 65–70.

/// Marks the hypotheses that are rejected at the family level `level`, from their p values.
pub(crate) fn rejected(p_values: &[f64], level: f64) -> Vec<bool> {
    let mut order: Vec<(usize, f64)> = p_values.iter().copied().enumerate().collect();
    order.sort_by(|x, y| x.1.total_cmp(&y.1).then(x.0.cmp(&y.0)));
    let mut marks = vec![false; p_values.len()];
    for (rank, (index, p)) in order.into_iter().enumerate() {
        let remaining = (p_values.len() - rank) as f64;
        if p > level / remaining {
            break;
        }
        if let Some(mark) = marks.get_mut(index) {
            *mark = true;
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::rejected;

    #[test]
    fn the_smallest_p_pays_for_all_and_the_first_miss_ends_it() {
        assert_eq!(rejected(&[0.04, 0.01, 0.02], 0.05), [true, true, true]);
        assert_eq!(rejected(&[0.02, 0.03, 0.2], 0.05), [false, false, false]);
        assert_eq!(rejected(&[0.03, 0.001, 0.04], 0.05), [false, true, false]);
    }
}
