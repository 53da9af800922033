//! What a wrong output looks like, where that says more than how many elements are wrong: no numbers, or one value everywhere.
//!
//! Only words: whether an output is right was decided before. Invariant: what is said here is true of every element that it counts.

use crate::dtype::Dtype;
use crate::runner::DumpedOutput;
use crate::wording::number;

/// A clause such as `output y is NaN in 512 of 512 elements where the reference has numbers`.
///
/// `reference` holds binary64 where `dtype` is a float, else the same integers. Nothing is said of an output of another size.
pub(super) fn oddity(output: &DumpedOutput, dtype: Dtype, reference: &[u8]) -> Option<String> {
    let exact = if dtype.is_float() { Dtype::F64 } else { dtype };
    let count = reference.len() / exact.bytes(1);
    if count == 0 || reference.len() != exact.bytes(count) || output.bytes.len() != dtype.bytes(count) {
        return None;
    }
    let got = || dtype.patterns(&output.bytes).take(count);
    let expected = || exact.patterns(reference);
    if dtype.is_float() {
        let both = || got().map(|bits| dtype.value(bits)).zip(expected().map(f64::from_bits));
        let of = |wanted: &dyn Fn(f64, f64) -> bool| both().filter(|(got, want)| wanted(*got, *want)).count();
        let nan = of(&|got, want| got.is_nan() && !want.is_nan());
        let infinite = of(&|got, want| got.is_infinite() && want.is_finite());
        let name = &output.name;
        if nan > 0 {
            return Some(format!(
                "output {name} is NaN in {nan} of {count} elements where the reference has numbers"
            ));
        }
        if infinite * 2 > count {
            return Some(format!(
                "output {name} is infinite in {infinite} of {count} elements where the reference is finite"
            ));
        }
    }
    let first = got().next()?;
    let constant = got().all(|bits| bits == first) && expected().any(|bits| Some(bits) != expected().next());
    constant.then(|| {
        let value =
            if dtype.is_float() { number(dtype.value(first)) } else { dtype.integer(first).to_string() };
        format!(
            "output {} is {value} in every one of {count} elements, which the reference's are not",
            output.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(got: &[f32], reference: &[f64]) -> Option<String> {
        let output = DumpedOutput {
            slot: 0,
            name: "y".to_owned(),
            dtype: "f32".to_owned(),
            shape: vec![got.len() as u64],
            bytes: got.iter().flat_map(|value| value.to_le_bytes()).collect(),
        };
        let bytes: Vec<u8> = reference.iter().flat_map(|value| value.to_le_bytes()).collect();
        oddity(&output, Dtype::F32, &bytes)
    }

    #[test]
    fn no_numbers_and_one_value_everywhere_are_told_as_what_they_are() {
        let nan = said(&[f32::NAN; 3], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(nan, "output y is NaN in 3 of 3 elements where the reference has numbers");
        let zero = said(&[0.0; 3], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(zero, "output y is 0 in every one of 3 elements, which the reference's are not");
        let infinite = said(&[f32::INFINITY, f32::INFINITY, 1.0], &[1.0, 2.0, 3.0]).unwrap();
        assert!(infinite.starts_with("output y is infinite in 2 of 3"), "{infinite}");
    }

    #[test]
    fn ordinary_errors_a_constant_reference_and_other_sizes_are_left_alone() {
        assert_eq!(said(&[1.0, 2.5], &[1.0, 2.0]), None);
        assert_eq!(said(&[0.0, 0.0], &[1.0, 1.0]), None);
        assert_eq!(said(&[0.0], &[1.0]), None);
        assert_eq!(said(&[0.0], &[1.0, 2.0]), None);
        assert_eq!(said(&[], &[]), None);
        assert_eq!(said(&[f32::NAN], &[f64::NAN]), None);
    }
}
