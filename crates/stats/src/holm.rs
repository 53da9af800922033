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
