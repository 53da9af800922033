//! One output beside the reference's: what differs, by how much, and where it is worst.
//!
//! Invariant: the numbers are of every element; nothing is sampled, and what cannot be compared does not pass.

use crate::dtype::Dtype;
use crate::runner::DumpedOutput;
use kforge_record::{CheckedOutput, Real, Tolerance, ToleranceProfile, Worst};
use rayon::prelude::*;

/// Elements that are compared in one go.
const PIECE: usize = 1 << 16;

/// What an output must be.
#[derive(Clone, Debug)]
pub struct Expected<'a> {
    /// The output's name.
    pub name: &'a str,
    /// Its element type.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: &'a [u64],
    /// What it may differ by.
    pub tolerance: Tolerance,
    /// What the tolerance follows from.
    pub profile: Option<ToleranceProfile>,
    /// The reference's output: binary64 where `dtype` is a float, else the same integer type.
    pub reference: &'a [u8],
    /// The nonce of the poison that was written before the run; absent for in-place operands.
    pub nonce: Option<u64>,
}

/// Sums over the elements.
#[derive(Default)]
struct Tally {
    mismatches: u64,
    nan_differs: u64,
    inf_differs: u64,
    survivors: u64,
    max_abs: f64,
    max_rel: f64,
    max_ulp: u64,
    max_excess: f64,
    worst: Option<(usize, f64, f64)>,
}

impl Tally {
    /// Of a run of elements, the first of which has this index: patterns that were got and those of the reference.
    fn of(expected: &Expected<'_>, first: usize, elements: impl Iterator<Item = (u64, u64)>) -> Self {
        let dtype = expected.dtype;
        let pattern = expected.nonce.map(|nonce| dtype.poison(nonce));
        let mut tally = Self::default();
        for (index, (mine, theirs)) in (first..).zip(elements) {
            if dtype.is_float() {
                let before = tally.mismatches;
                float(&mut tally, index, dtype, mine, f64::from_bits(theirs), &expected.tolerance);
                // Without room for a payload an honest value may equal the pattern; one that is wrong and equals it was not written.
                let telling = dtype.bits_wide() > 8 || tally.mismatches > before;
                tally.survivors += u64::from(pattern == Some(mine) && telling);
            } else {
                let (got, wanted) = (dtype.integer(mine), dtype.integer(theirs));
                let (mut shown, exact) = (got as f64, wanted as f64);
                // Beyond 2^53 neighbours are one number in binary64; they differ all the same.
                if got != wanted && shown.to_bits() == exact.to_bits() {
                    shown = if got > wanted { exact.next_up() } else { exact.next_down() };
                }
                tally.finite(index, shown, exact, &expected.tolerance);
                // An honest integer may equal the pattern; one that is wrong and equals it was not written.
                tally.survivors += u64::from(pattern == Some(mine) && got != wanted);
            }
        }
        tally
    }

    /// With the elements that follow. Of equal worst ones the first stays.
    fn and(self, next: &Self) -> Self {
        let later = next.max_abs > self.max_abs;
        Self {
            mismatches: self.mismatches + next.mismatches,
            nan_differs: self.nan_differs + next.nan_differs,
            inf_differs: self.inf_differs + next.inf_differs,
            survivors: self.survivors + next.survivors,
            max_abs: self.max_abs.max(next.max_abs),
            max_rel: self.max_rel.max(next.max_rel),
            max_ulp: self.max_ulp.max(next.max_ulp),
            max_excess: self.max_excess.max(next.max_excess),
            worst: if later { next.worst } else { self.worst },
        }
    }

    fn finite(&mut self, index: usize, got: f64, expected: f64, tolerance: &Tolerance) {
        let difference = (got - expected).abs();
        if difference > self.max_abs {
            self.max_abs = difference;
            self.worst = Some((index, got, expected));
        }
        if expected != 0.0 {
            self.max_rel = self.max_rel.max(difference / expected.abs());
        }
        // Written so that a difference that is no number mismatches.
        let inside = difference <= tolerance.allowed(expected);
        if !inside {
            self.mismatches += 1;
        }
        if tolerance.outlier.is_some() {
            self.max_excess = self.max_excess.max(tolerance.excess(difference, expected));
        }
    }
}

/// Compares an output with what it must be.
pub fn compare(expected: &Expected<'_>, got: &DumpedOutput) -> CheckedOutput {
    let dtype = expected.dtype;
    let count = expected.shape.iter().product::<u64>() as usize;
    let reference = if dtype.is_float() { Dtype::F64 } else { dtype };
    let comparable = got.dtype == dtype.name()
        && got.shape == expected.shape
        && got.bytes.len() == dtype.bytes(count)
        && expected.reference.len() == reference.bytes(count);
    let mut tally = Tally::default();
    if comparable {
        let mine = got.bytes.par_chunks(dtype.bytes(PIECE));
        let theirs = expected.reference.par_chunks(reference.bytes(PIECE));
        let pieces: Vec<Tally> = mine
            .zip(theirs)
            .enumerate()
            .map(|(number, (mine, theirs))| {
                let first = number * PIECE;
                let elements = dtype.patterns(mine).zip(reference.patterns(theirs));
                Tally::of(expected, first, elements.take(count - first))
            })
            .collect();
        tally = pieces.iter().fold(tally, Tally::and);
    }
    finish(expected, got, comparable, count, &tally)
}

fn float(tally: &mut Tally, index: usize, dtype: Dtype, mine: u64, expected: f64, tolerance: &Tolerance) {
    let got = dtype.value(mine);
    let rounded = dtype.value(dtype.round(expected));
    // Floats of 8 bits and fewer hold their largest value where they would overflow, and some an infinity.
    let saturates = dtype.saturates() && expected.abs() > dtype.largest();
    if saturates && got.is_infinite() && got.is_sign_positive() == rounded.is_sign_positive() {
        return;
    }
    let expected = if saturates { rounded } else { expected };
    if got.is_nan() || expected.is_nan() {
        if got.is_nan() != expected.is_nan() {
            tally.nan_differs += 1;
            tally.mismatches += 1;
        }
    } else if got.is_infinite() || rounded.is_infinite() {
        // What overflows the output's type is expected to be infinite there.
        if got.to_bits() != rounded.to_bits() {
            tally.inf_differs += 1;
            tally.mismatches += 1;
        }
    } else {
        tally.finite(index, got, expected, tolerance);
        let distance = dtype.ulp_distance(mine, dtype.round(expected)).unwrap_or(0);
        tally.max_ulp = tally.max_ulp.max(distance);
    }
}

fn finish(
    expected: &Expected<'_>,
    got: &DumpedOutput,
    comparable: bool,
    count: usize,
    tally: &Tally,
) -> CheckedOutput {
    let mut checked = CheckedOutput {
        name: expected.name.to_owned(),
        dtype: expected.dtype.name().to_owned(),
        dtype_got: got.dtype.clone(),
        shape: expected.shape.to_vec(),
        shape_got: got.shape.clone(),
        compared: if comparable { count as u64 } else { 0 },
        mismatches: tally.mismatches,
        max_abs: Real::new(tally.max_abs),
        max_rel: Real::new(tally.max_rel),
        max_ulp: expected.dtype.is_float().then_some(tally.max_ulp),
        worst: tally.worst.map(|(index, got, wanted)| Worst {
            index: position(index as u64, expected.shape),
            got: Real::new(got),
            expected: Real::new(wanted),
        }),
        nan_differs: tally.nan_differs,
        inf_differs: tally.inf_differs,
        poison_survivors: tally.survivors,
        max_excess: expected.tolerance.outlier.map(|_| Real::new(tally.max_excess)),
        tolerance: expected.tolerance,
        profile: expected.profile.clone(),
        passed: false,
    };
    checked.passed = checked.computed_pass();
    checked
}

/// The index of an element in each dimension.
fn position(flat: u64, shape: &[u64]) -> Vec<u64> {
    let mut left = flat;
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|extent| {
            let at = left % extent.max(&1);
            left /= extent.max(&1);
            at
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STRICT: Tolerance = Tolerance {
        abs: Real::new(1e-6),
        rel: Real::new(1e-5),
        max_ulp: None,
        mismatch_share: Real::new(0.0),
        outlier: None,
    };

    fn check(got: &[f32], reference: &[f64], nonce: Option<u64>) -> CheckedOutput {
        check_with(STRICT, got, reference, nonce)
    }

    fn check_with(tolerance: Tolerance, got: &[f32], reference: &[f64], nonce: Option<u64>) -> CheckedOutput {
        let shape = [got.len() as u64];
        let bytes: Vec<u8> = reference.iter().flat_map(|value| value.to_le_bytes()).collect();
        let expected = Expected {
            name: "y",
            dtype: Dtype::F32,
            shape: &shape,
            tolerance,
            profile: None,
            reference: &bytes,
            nonce,
        };
        let dumped = DumpedOutput {
            slot: 0,
            name: "y".to_owned(),
            dtype: "f32".to_owned(),
            shape: shape.to_vec(),
            bytes: got.iter().flat_map(|value| value.to_le_bytes()).collect(),
        };
        let checked = compare(&expected, &dumped);
        assert_eq!(checked.contradiction(), None, "the record's own audit agrees");
        checked
    }

    #[test]
    fn an_equal_output_passes_with_no_difference() {
        let checked = check(&[1.0, -2.0, 0.0], &[1.0, -2.0, 0.0], Some(7));
        assert!(checked.passed);
        assert_eq!((checked.max_abs.get(), checked.max_ulp, checked.compared), (0.0, Some(0), 3));
    }

    /// Checks one element: its pattern against the reference's value (of a float) or pattern (of an integer).
    fn one(dtype: Dtype, got: u64, reference: u64) -> CheckedOutput {
        let bytes = if dtype.is_float() { reference.to_le_bytes().to_vec() } else { dtype.pack([reference]) };
        let (shape, tolerance) = ([1], Tolerance { rel: Real::new(0.1), ..STRICT });
        let expected = Expected {
            name: "y",
            dtype,
            shape: &shape,
            tolerance,
            profile: None,
            reference: &bytes,
            nonce: None,
        };
        let dumped = DumpedOutput {
            slot: 0,
            name: "y".to_owned(),
            dtype: dtype.name().to_owned(),
            shape: shape.to_vec(),
            bytes: dtype.pack([got]),
        };
        let checked = compare(&expected, &dumped);
        assert_eq!(checked.contradiction(), None, "the record's own audit agrees");
        checked
    }

    #[test]
    fn integers_that_binary64_cannot_tell_apart_differ_all_the_same() {
        let at = 1_u64 << 53;
        let tolerance = |got, wanted| one(Dtype::I64, got, wanted).max_abs.get();
        assert!(tolerance(at, at + 1) > 0.0 && tolerance(at + 1, at) > 0.0);
        assert!(tolerance(at + 1, at + 1) == 0.0);
    }

    // What the types hold at most: OCP 8-bit floating point, revision 1.0, table 1; 240 for the unsigned-zero variant.
    #[test]
    fn a_type_that_saturates_is_compared_with_what_it_holds_at_most() {
        for (dtype, largest) in [
            (Dtype::F8E4m3fn, 448.0),
            (Dtype::F8E5m2, 57_344.0),
            (Dtype::F8E4m3fnuz, 240.0),
            (Dtype::F4E2m1, 6.0),
        ] {
            let held = dtype.round(largest);
            for beyond in [f64::INFINITY, 1e6] {
                assert!(one(dtype, held, beyond.to_bits()).passed, "{} {beyond}", dtype.name());
                assert!(!one(dtype, dtype.round(0.0), beyond.to_bits()).passed, "{}", dtype.name());
                assert!(!one(dtype, dtype.round(-largest), beyond.to_bits()).passed, "{}", dtype.name());
            }
        }
        // The one of them that has infinities may hold one.
        assert!(one(Dtype::F8E5m2, 0x7C, 1e6_f64.to_bits()).passed);
        assert!(!one(Dtype::F8E5m2, 0xFC, 1e6_f64.to_bits()).passed);
        assert!(!one(Dtype::F8E5m2, 0x7C, 100_f64.to_bits()).passed);
    }

    #[test]
    fn a_wrong_tail_is_counted_and_located() {
        let checked = check(&[1.0, 2.0, 3.5], &[1.0, 2.0, 3.0], None);
        assert!(!checked.passed);
        assert_eq!(checked.mismatches, 1);
        assert_eq!(checked.worst.unwrap().index, [2]);
    }

    /// A million elements, a thousandth of which may mismatch.
    fn million(change: impl Fn(&mut Vec<f32>)) -> CheckedOutput {
        let loose = Tolerance { mismatch_share: Real::new(0.001), outlier: Some(Real::new(16.0)), ..STRICT };
        let reference = vec![1.0; 1 << 20];
        let mut got = vec![1.0; 1 << 20];
        change(&mut got);
        check_with(loose, &got, &reference, None)
    }

    #[test]
    fn one_bad_element_among_a_million_is_seen_where_a_share_may_mismatch() {
        assert!(million(|got| got[77] = 1.0001).passed, "9 times what is allowed, within the share");
        let wild = million(|got| got[777_777] = 0.0);
        assert!(!wild.passed);
        assert_eq!((wild.mismatches, wild.worst.unwrap().index), (1, vec![777_777]));
        assert!(wild.max_excess.unwrap().get() > 16.0);
        assert!(!million(|got| got[..2000].fill(1.0001)).passed, "and too many small ones are too");
    }

    #[test]
    fn an_outlier_is_seen_where_another_element_has_a_larger_difference() {
        let loose = Tolerance { mismatch_share: Real::new(0.5), outlier: Some(Real::new(16.0)), ..STRICT };
        // The large element is inside what is allowed for it; the small one is far outside and has the smaller difference.
        let checked = check_with(loose, &[1e6 + 8.0, 0.01], &[1e6, 0.0], None);
        assert_eq!((checked.mismatches, checked.worst.clone().unwrap().index), (1, vec![0]));
        assert!(!checked.passed, "{checked:?}");
    }

    #[test]
    fn what_is_compared_in_pieces_is_counted_whole_and_the_first_of_equal_worst_is_named() {
        let reference: Vec<f64> = (0..3 * PIECE + 5).map(|at| (at % 1000) as f64).collect();
        let mut got: Vec<f32> = reference.iter().map(|value| *value as f32).collect();
        for (at, by) in [(7, 1.0), (PIECE + 1, 4.0), (2 * PIECE, 4.0), (3 * PIECE + 4, 2.0)] {
            got[at] += by;
        }
        let checked = check(&got, &reference, None);
        assert_eq!((checked.mismatches, checked.max_abs.get()), (4, 4.0));
        assert_eq!(checked.worst.unwrap().index, [PIECE as u64 + 1]);
    }

    #[test]
    fn nan_on_one_side_is_never_equal_and_on_both_it_is() {
        assert!(!check(&[f32::NAN], &[1.0], None).passed);
        assert!(!check(&[1.0], &[f64::NAN], None).passed);
        assert!(check(&[f32::NAN], &[f64::NAN], None).passed);
    }

    #[test]
    fn infinities_must_have_their_sign_and_overflow_is_one() {
        assert!(check(&[f32::INFINITY], &[f64::INFINITY], None).passed);
        assert!(!check(&[f32::INFINITY], &[f64::NEG_INFINITY], None).passed);
        assert!(check(&[f32::INFINITY], &[1e300], None).passed);
        assert!(!check(&[f32::MAX], &[1e300], None).passed);
        assert!(!check(&[f32::INFINITY], &[1.0], None).passed);
    }

    #[test]
    fn poison_that_survives_is_counted_even_where_nan_is_expected() {
        let pattern = f32::from_bits(Dtype::F32.poison(99) as u32);
        let checked = check(&[1.0, pattern], &[1.0, f64::NAN], Some(99));
        assert!(!checked.passed);
        assert_eq!(checked.poison_survivors, 1);
    }

    #[test]
    fn positions_are_row_major() {
        assert_eq!(position(7, &[2, 5]), [1, 2]);
        assert_eq!(position(0, &[]), Vec::<u64>::new());
    }

    proptest! {
        // The slow twin: worst and count by definition, over all elements.
        #[test]
        fn tallies_are_those_of_the_definition(pairs in proptest::collection::vec((-1e3_f32..1e3, -1e3_f64..1e3), 1..50)) {
            let got: Vec<f32> = pairs.iter().map(|p| p.0).collect();
            let reference: Vec<f64> = pairs.iter().map(|p| p.1).collect();
            let checked = check(&got, &reference, None);
            let differences: Vec<f64> = pairs.iter().map(|(g, r)| (f64::from(*g) - r).abs()).collect();
            prop_assert_eq!(checked.max_abs.get().to_bits(), differences.iter().copied().fold(0.0, f64::max).to_bits());
            let outside = pairs.iter().zip(&differences).filter(|((_, r), d)| **d > 1e-6 + 1e-5 * r.abs()).count();
            prop_assert_eq!(checked.mismatches, outside as u64);
        }
    }
}
