//! Distributions against printed tables and against another library.

use kforge_stats::{pocock_critical_value, pocock_level, sign_flip_p, student_cdf, student_quantile};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// NIST/SEMATECH e-Handbook of Statistical Methods, §1.3.6.7.2, "Critical Values of the Student's t Distribution" (three decimals).
const T_TABLE: [(f64, u32, f64); 12] = [
    (0.10, 1, 3.078),
    (0.025, 1, 12.706),
    (0.005, 1, 63.657),
    (0.05, 2, 2.920),
    (0.025, 7, 2.365),
    (0.01, 7, 2.998),
    (0.005, 7, 3.499),
    (0.025, 11, 2.201),
    (0.01, 15, 2.602),
    (0.005, 23, 2.807),
    (0.001, 23, 3.485),
    (0.025, 30, 2.042),
];

/// Jennison & Turnbull, "Group Sequential Methods with Applications to Clinical Trials" (2000), Table 2.1: Pocock's constants for
/// equally spaced looks, two-sided error 0.05 and 0.01 (three decimals).
const POCOCK_TABLE: [(u32, f64, f64); 5] =
    [(1, 1.960, 2.576), (2, 2.178, 2.772), (3, 2.289, 2.873), (4, 2.361, 2.939), (5, 2.413, 2.986)];

#[test]
fn t_quantiles_equal_the_printed_table() {
    for (tail, freedom, printed) in T_TABLE {
        let got = student_quantile(tail, freedom);
        assert!((got - printed).abs() <= 0.000_6, "t({tail}, {freedom}) = {got}, printed {printed}");
    }
}

#[test]
fn the_t_distribution_equals_another_library() {
    for freedom in 1..=31 {
        let other = StudentsT::new(0.0, 1.0, f64::from(freedom)).unwrap();
        for t in [-9.0, -2.5, -0.3, 0.0, 0.01, 1.0, 2.34, 6.0, 40.0] {
            let (got, wanted) = (student_cdf(t, freedom), other.cdf(t));
            assert!((got - wanted).abs() < 1e-12, "F({t}, {freedom}) = {got}, not {wanted}");
        }
    }
}

#[test]
fn a_quantile_undoes_the_distribution_function() {
    for freedom in 1..=31 {
        for tail in [0.4, 0.1, 0.025, 0.009_6, 0.001, 1e-5] {
            let back = 1.0 - student_cdf(student_quantile(tail, freedom), freedom);
            assert!((back / tail - 1.0).abs() < 1e-9, "{freedom} {tail} {back}");
        }
        assert!((student_quantile(0.9, freedom) + student_quantile(0.1, freedom)).abs() < 1e-9);
    }
}

#[test]
fn impossible_questions_get_an_answer_that_supports_no_claim() {
    assert!(student_quantile(0.025, 0).is_infinite());
    assert!(student_quantile(0.0, 7).is_infinite());
    assert!(student_quantile(f64::NAN, 7).is_infinite());
    assert!((student_cdf(3.0, 0) - 0.5).abs() < f64::EPSILON);
    assert!((sign_flip_p(&[]) - 1.0).abs() < f64::EPSILON);
    assert!((sign_flip_p(&[1.0; 33]) - 1.0).abs() < f64::EPSILON);
    for (looks, alpha) in [(&[][..], 0.05), (&[8, 8], 0.05), (&[0, 8], 0.05), (&[8], 0.0), (&[8], f64::NAN)] {
        assert!(pocock_level(looks, alpha) < f64::MIN_POSITIVE, "{looks:?} {alpha}");
    }
}

#[test]
fn pocock_constants_equal_the_printed_table() {
    for (looks, at_5, at_1) in POCOCK_TABLE {
        let equal: Vec<u32> = (1..=looks).collect();
        for (alpha, printed) in [(0.05, at_5), (0.01, at_1)] {
            let got = pocock_critical_value(&equal, alpha);
            assert!((got - printed).abs() <= 0.000_6, "{looks} looks, {alpha}: {got}, printed {printed}");
        }
    }
}

#[test]
fn a_single_look_has_the_whole_error() {
    assert!((pocock_level(&[24], 0.05) - 0.025).abs() < 1e-9);
}

/// Fisher's own example: Darwin's fifteen pairs of maize, differences in eighths of an inch; 863 of the 32768 patterns reach the
/// observed sum (The Design of Experiments, §21).
#[test]
fn the_sign_flip_test_gives_fishers_count_for_darwins_maize() {
    let darwin = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];
    assert!((sign_flip_p(&darwin) - 863.0 / 32_768.0).abs() < 1e-15);
}
