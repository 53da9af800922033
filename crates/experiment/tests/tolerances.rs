//! Tolerance profiles: kernels that compute honestly pass, and ones that leave out, narrow or round too much do not.
//!
//! The kernels are simulated: products and sums in the stated precision, one operation after the other, beside binary64. `--nocapture`
//! prints the largest error of each as a share of what its profile allows, which docs/tolerances.md shows.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests whose figures are shown on a page")]

use kforge_experiment::{Dtype, DumpedOutput, Expected, FigureSource, Profile, Stream, Sum, compare};
use kforge_record::{CheckedOutput, Real, Tolerance};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Standard normal numbers (Box & Muller, 1958).
struct Normals(Stream);

impl Normals {
    fn next(&mut self) -> f64 {
        let uniform = |stream: &mut Stream| ((stream.wide() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let (radius, angle) = (uniform(&mut self.0), uniform(&mut self.0));
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// A row rounded to an element type, as values.
    fn row(&mut self, length: usize, dtype: Dtype) -> Vec<f64> {
        (0..length).map(|_| rounded(dtype, self.next())).collect()
    }
}

fn rounded(dtype: Dtype, value: f64) -> f64 {
    dtype.value(dtype.round(value))
}

fn allowed(profile: &str, dtype: Dtype, terms: usize) -> Tolerance {
    let profile = Profile::named(profile).unwrap().unwrap();
    profile.tolerance(dtype, Sum { terms: terms as u64, magnitude: 1.0 })
}

/// Pairs of what a kernel gave, before its last rounding, and of what is right.
fn checked(tolerance: Tolerance, dtype: Dtype, pairs: &[(f64, f64)]) -> CheckedOutput {
    let shape = [pairs.len() as u64];
    let reference: Vec<u8> = pairs.iter().flat_map(|(_, right)| right.to_le_bytes()).collect();
    let got = DumpedOutput {
        slot: 0,
        name: "y".to_owned(),
        dtype: dtype.name().to_owned(),
        shape: shape.to_vec(),
        bytes: dtype.pack(pairs.iter().map(|(got, _)| dtype.round(*got))),
    };
    let expected = Expected {
        name: "y",
        dtype,
        shape: &shape,
        tolerance: Tolerance { outlier: Some(tolerance.outlier.unwrap_or(Real::new(16.0))), ..tolerance },
        profile: None,
        reference: &reference,
        nonce: None,
    };
    let checked = compare(&expected, &got);
    assert_eq!(checked.contradiction(), None);
    checked
}

/// The largest error as a share of what is allowed.
fn share(what: &str, profile: &str, dtype: Dtype, terms: usize, pairs: &[(f64, f64)]) -> f64 {
    let share = checked(allowed(profile, dtype, terms), dtype, pairs).max_excess.unwrap().get();
    println!("{what}, {}, {terms} terms, profile {profile}: {share:.3} of what is allowed", dtype.name());
    share
}

/// One dot product, each operation rounded by `narrow`.
fn dot(a: &[f64], b: &[f64], narrow: impl Fn(f64) -> f64) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| narrow(sum + narrow(a * b)))
}

fn exact_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

/// Dot products of normal rows, each by a kernel.
fn dots(
    count: usize,
    length: usize,
    dtype: Dtype,
    kernel: impl Fn(&[f64], &[f64]) -> f64,
) -> Vec<(f64, f64)> {
    let normals = &mut Normals(Stream::new(11, length as u32));
    (0..count)
        .map(|_| {
            let (a, b) = (normals.row(length, dtype), normals.row(length, dtype));
            (kernel(&a, &b), exact_dot(&a, &b))
        })
        .collect()
}

#[test]
fn every_figure_has_a_source_with_a_month_and_every_source_is_used() {
    let sources = FigureSource::all().unwrap();
    for (id, source) in &sources {
        let (year, month) = source.date.split_once('-').unwrap();
        assert!(year.parse::<u32>().is_ok_and(|year| (1960..2100).contains(&year)), "{id}");
        assert!(month.parse::<u32>().is_ok_and(|month| (1..=12).contains(&month)), "{id}");
    }
    let mut used = BTreeSet::new();
    for name in Profile::names() {
        let profile = Profile::named(name).unwrap().unwrap();
        for (_, _, figure) in profile.all_figures() {
            used.insert(figure.from.clone());
        }
        for dtype in Dtype::ALL.into_iter().filter(|dtype| dtype.roundoff().is_some()) {
            let tolerance = profile.tolerance(dtype, Sum { terms: 4096, magnitude: 1.0 });
            assert!(tolerance.rel.get() >= dtype.roundoff().unwrap(), "{name} {}", dtype.name());
            assert!(profile.outlier(dtype).is_some() && profile.beside(dtype).is_finite(), "{name}");
        }
    }
    assert_eq!(used, sources.keys().cloned().collect::<BTreeSet<_>>());
    assert_eq!(Profile::named("nonsense").unwrap(), None);
}

const BEGIN: &str = "<!-- tables: begin -->\n";
const END: &str = "<!-- tables: end -->\n";

/// What the profiles allow, as docs/tolerances.md shows it.
fn tables() -> String {
    let shown =
        [Dtype::F64, Dtype::F32, Dtype::F16, Dtype::Bf16, Dtype::F8E4m3fn, Dtype::F8E5m2, Dtype::F4E2m1];
    let mut text = String::from("\n| profile | terms |");
    for dtype in shown {
        let _ = write!(text, " {} |", dtype.name());
    }
    text += "\n|---|---|---|---|---|---|---|---|---|\n";
    for name in Profile::names() {
        let profile = Profile::named(name).unwrap().unwrap();
        let lengths: &[u64] = if profile.needs_reduction { &[256, 4096, 65_536] } else { &[1] };
        for terms in lengths {
            let _ = write!(
                text,
                "| `{name}` | {} |",
                if profile.needs_reduction { terms.to_string() } else { "-".to_owned() }
            );
            for dtype in shown {
                let tolerance = profile.tolerance(dtype, Sum { terms: *terms, magnitude: 1.0 });
                let _ = write!(text, " {:.1e}, {:.1e} |", tolerance.abs.get(), tolerance.rel.get());
            }
            text.push('\n');
        }
    }
    text.push('\n');
    for name in Profile::names() {
        let profile = Profile::named(name).unwrap().unwrap();
        let _ = writeln!(text, "- `{name}`: {}.", profile.means);
    }
    text.push('\n');
    text
}

/// With `KFORGE_WRITE_PAGE=1` in the environment the test writes the tables instead of comparing.
#[test]
fn the_tables_of_the_page_are_what_the_profiles_allow() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tolerances.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let want = format!("{before}{BEGIN}{}{END}{after}", tables());
    if std::env::var_os("KFORGE_WRITE_PAGE").is_some() {
        std::fs::write(path, &want).unwrap();
    }
    let have = std::fs::read_to_string(path).unwrap();
    assert!(have == want, "docs/tolerances.md is out of step: run this test with KFORGE_WRITE_PAGE=1");
}

/// The figures of kforge's first release, as docs/experiment.md stated them.
#[test]
fn what_holds_where_nothing_is_said_has_not_become_looser() {
    for (dtype, abs, rel) in [
        (Dtype::F64, 1e-12, 1e-10),
        (Dtype::F32, 1e-6, 1e-5),
        (Dtype::F16, 1e-3, 2e-3),
        (Dtype::Bf16, 1e-2, 1.6e-2),
        (Dtype::F8E4m3fn, 2e-3, 0.13),
        (Dtype::F8E4m3fnuz, 2e-3, 0.13),
        (Dtype::F8E5m2, 2e-5, 0.26),
        (Dtype::F4E2m1, 0.5, 0.34),
        (Dtype::F8E8m0, 0.0, 0.0),
        (Dtype::I64, 0.0, 0.0),
        (Dtype::I8, 0.0, 0.0),
        (Dtype::Bool, 0.0, 0.0),
    ] {
        let tolerance = Profile::usual().unwrap().tolerance(dtype, Sum { terms: 1 << 20, magnitude: 9.0 });
        let exact = Tolerance {
            abs: Real::new(abs),
            rel: Real::new(rel),
            max_ulp: None,
            mismatch_share: Real::new(0.0),
            outlier: None,
        };
        assert_eq!(tolerance, exact, "{}", dtype.name());
    }
}

/// By definition: no rounding errs more, and some rounding errs almost as much.
#[test]
fn the_unit_roundoff_is_the_largest_relative_error_of_rounding() {
    for dtype in Dtype::ALL.into_iter().filter(|dtype| ![Dtype::F64, Dtype::F8E8m0].contains(dtype)) {
        let Some(roundoff) = dtype.roundoff() else { continue };
        let worst = (0..200_000)
            .map(|step| 1.0 + f64::from(step) / 200_000.0 * 8.0 * roundoff)
            .map(|value| (rounded(dtype, value) - value).abs() / value)
            .fold(0.0, f64::max);
        assert!(worst <= roundoff && worst > 0.6 * roundoff, "{}: {worst} {roundoff}", dtype.name());
        let step = dtype.smallest_step().unwrap();
        assert_eq!(rounded(dtype, step).to_bits(), step.to_bits());
        assert_eq!(dtype.round(0.49 * step), 0, "{}", dtype.name());
    }
}

#[test]
fn sums_of_products_in_binary32_pass_dot_at_every_length() {
    for (length, count) in [(16, 2000), (256, 1000), (4096, 120), (32_768, 16)] {
        for dtype in [Dtype::F32, Dtype::Bf16, Dtype::F16] {
            let pairs = dots(count, length, dtype, |a, b| dot(a, b, single));
            let share = share("product", "dot", dtype, length, &pairs);
            assert!(share < 1.0);
        }
    }
}

#[test]
fn sums_of_one_sign_pass_dot_too() {
    for length in [256, 8192] {
        let ones = |row: &[f64]| row.iter().map(|value| value.abs()).collect::<Vec<_>>();
        let normals = &mut Normals(Stream::new(12, 1));
        let pairs: Vec<(f64, f64)> = (0..300)
            .map(|_| (ones(&normals.row(length, Dtype::F32)), ones(&normals.row(length, Dtype::F32))))
            .map(|(a, b)| (dot(&a, &b, single), exact_dot(&a, &b)))
            .collect();
        assert!(share("product of one sign", "dot", Dtype::F32, length, &pairs) < 1.0);
    }
}

#[test]
fn a_term_that_is_left_out_fails_dot() {
    for (length, count) in [(64, 2048), (4096, 256)] {
        for dtype in [Dtype::F32, Dtype::F16, Dtype::Bf16] {
            let pairs = dots(count, length, dtype, |a, b| dot(&a[1..], &b[1..], single));
            assert!(
                !checked(allowed("dot", dtype, length), dtype, &pairs).passed,
                "{} {length}",
                dtype.name()
            );
        }
    }
}

#[test]
fn a_sum_in_the_narrow_type_of_its_output_fails_dot() {
    for dtype in [Dtype::F16, Dtype::Bf16] {
        let pairs = dots(200, 1024, dtype, |a, b| dot(a, b, |value| rounded(dtype, value)));
        assert!(!checked(allowed("dot", dtype, 1024), dtype, &pairs).passed, "{}", dtype.name());
    }
}

/// TF32 keeps 10 bits of the fraction: binary16's rounding without its range.
#[test]
fn factors_in_tf32_fail_dot_and_pass_dot_tf32() {
    let tf32 = |value: f64| {
        let scale = 2_f64.powi(value.abs().log2().floor() as i32 - 10);
        if value == 0.0 { 0.0 } else { (value / scale).round_ties_even() * scale }
    };
    let cut = |row: &[f64]| row.iter().map(|value| tf32(*value)).collect::<Vec<_>>();
    for (length, count) in [(64, 1000), (4096, 100)] {
        let pairs = dots(count, length, Dtype::F32, |a, b| dot(&cut(a), &cut(b), single));
        assert!(share("product in TF32", "dot-tf32", Dtype::F32, length, &pairs) < 1.0);
        assert!(!checked(allowed("dot", Dtype::F32, length), Dtype::F32, &pairs).passed);
    }
}

/// Softmax of a row in binary32; `skip` leaves out elements of the sum.
fn softmax(row: &[f64], skip: usize) -> Vec<(f64, f64)> {
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exact: f64 = row.iter().map(|x| (x - top).exp()).sum();
    let single_exp = |x: &f64| single(f64::from(((x - top) as f32).exp()));
    let sum = row[skip..].iter().fold(0.0, |sum, x| single(sum + single_exp(x)));
    row.iter().map(|x| (single(single_exp(x) / sum), (x - top).exp() / exact)).collect()
}

#[test]
fn softmax_in_binary32_passes_and_zeros_or_a_short_sum_do_not() {
    let normals = &mut Normals(Stream::new(13, 1));
    for length in [128, 4096, 32_768] {
        for dtype in [Dtype::F32, Dtype::Bf16, Dtype::F16] {
            let row = normals.row(length, dtype);
            assert!(share("softmax", "softmax", dtype, length, &softmax(&row, 0)) < 1.0);
            let zeros: Vec<(f64, f64)> = softmax(&row, 0).iter().map(|(_, right)| (0.0, *right)).collect();
            assert!(
                !checked(allowed("softmax", dtype, length), dtype, &zeros).passed,
                "{} zeros",
                dtype.name()
            );
            let short = softmax(&row, length / 8);
            assert!(
                !checked(allowed("softmax", dtype, length), dtype, &short).passed,
                "{} short",
                dtype.name()
            );
        }
    }
    // An honest kernel may flush what is below the normal range of binary32.
    let tail: Vec<f64> = (0..1000).map(|step| -0.1 * f64::from(step)).collect();
    for dtype in [Dtype::F32, Dtype::Bf16] {
        let flush = |value: f64| if value < f64::from(f32::MIN_POSITIVE) { 0.0 } else { value };
        let flushed: Vec<(f64, f64)> =
            softmax(&tail, 0).into_iter().map(|(got, right)| (flush(got), right)).collect();
        assert!(flushed.iter().any(|(got, right)| *got == 0.0 && *right > 0.0));
        let checked = checked(allowed("softmax", dtype, 1000), dtype, &flushed);
        assert!(checked.passed, "{checked:?}");
    }
    // Why a profile is worth naming: a row of zeros is inside the absolute part of the defaults.
    let row = normals.row(32_768, Dtype::Bf16);
    let zeros: Vec<(f64, f64)> = softmax(&row, 0).iter().map(|(_, right)| (0.0, *right)).collect();
    assert!(checked(allowed("default", Dtype::Bf16, 1), Dtype::Bf16, &zeros).passed);
}

#[test]
fn norms_in_binary32_pass_and_one_without_its_mean_does_not() {
    let normals = &mut Normals(Stream::new(14, 1));
    for length in [256, 8192, 32_768] {
        for dtype in [Dtype::F32, Dtype::Bf16, Dtype::F16] {
            let (row, weight, shift) =
                (normals.row(length, dtype), normals.row(length, dtype), normals.row(length, dtype));
            let one = |narrow: &dyn Fn(f64) -> f64, centre: bool| -> Vec<f64> {
                let sum =
                    |of: &dyn Fn(f64) -> f64| row.iter().fold(0.0, |sum, x| narrow(sum + narrow(of(*x))));
                let mean = if centre { narrow(sum(&|x| x) / length as f64) } else { 0.0 };
                let square = |x: f64| narrow(narrow(x - mean) * narrow(x - mean));
                let scale = narrow(1.0 / narrow(narrow(sum(&square) / length as f64) + 1e-5).sqrt());
                let each = row.iter().zip(&weight).zip(&shift);
                each.map(|((x, w), b)| narrow(narrow(narrow(narrow(x - mean) * scale) * w) + b)).collect()
            };
            let pairs = |narrow: &dyn Fn(f64) -> f64, centre: bool| -> Vec<(f64, f64)> {
                one(narrow, centre).into_iter().zip(one(&|x| x, true)).collect()
            };
            assert!(share("layer norm", "norm", dtype, length, &pairs(&single, true)) < 1.0);
            let without = pairs(&single, false);
            let caught = !checked(allowed("norm", dtype, length), dtype, &without).passed;
            // The mean of many normal numbers is as small as the rounding of 16 bits.
            assert!(caught || (dtype != Dtype::F32 && length > 256), "{} {length}", dtype.name());
        }
    }
}

/// A rotation as two products and a sum: fused in binary32, and with each result rounded to the output's type.
#[test]
fn a_fused_rotation_passes_elementwise_and_an_unfused_one_only_unfused() {
    let normals = &mut Normals(Stream::new(15, 1));
    for dtype in [Dtype::Bf16, Dtype::F16] {
        let rows: Vec<Vec<f64>> = (0..4).map(|_| normals.row(20_000, dtype)).collect();
        let rotated = |narrow: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            (0..20_000)
                .map(|i| (rows[0][i], rows[1][i], rows[2][i], rows[3][i]))
                .map(|(a, b, c, s)| (narrow(narrow(a * c) - narrow(b * s)), a * c - b * s))
                .collect()
        };
        assert!(share("rotation", "elementwise", dtype, 1, &rotated(&single)) < 1.0);
        let unfused = rotated(&|value| rounded(dtype, value));
        assert!(!checked(allowed("elementwise", dtype, 1), dtype, &unfused).passed);
        assert!(share("unfused rotation", "unfused", dtype, 1, &unfused) < 1.0);
    }
}

#[test]
fn flips_of_an_eight_bit_output_pass_quantized_and_a_wild_one_does_not() {
    let normals = &mut Normals(Stream::new(16, 1));
    let dtype = Dtype::F8E4m3fn;
    let right: Vec<f64> = normals.row(50_000, Dtype::F32);
    // One in five thousand comes from a neighbouring step of an intermediate type: 15 % off.
    let flipped = |x: f64, at: usize| if at.is_multiple_of(5000) { x * 1.15 } else { x };
    let mut pairs: Vec<(f64, f64)> = right.iter().enumerate().map(|(at, x)| (flipped(*x, at), *x)).collect();
    let tolerance = allowed("quantized", dtype, 1);
    assert!(checked(tolerance, dtype, &pairs).passed);
    pairs[123] = (-4.0 * pairs[123].1, pairs[123].1);
    let wild = checked(tolerance, dtype, &pairs);
    assert!(!wild.passed && wild.mismatches < 50, "{wild:?}");
}
