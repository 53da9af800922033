//! experiment.toml: what is wrong is named with its line and a cure, and what is drawn stays inside the domain.
#![expect(clippy::unwrap_used, reason = "tests")]

use kforge_experiment::{CacheMode, Dtype, Error, Experiment, Params, Stream, Tree, draw_cases};
use kforge_record::{Policy, Real};
use proptest::prelude::*;
use std::path::Path;

const GOOD: &str = r#"op = "scale"
[reference]
tree = "worktree"
runner = "r"
sources = ["a.py"]
[baseline]
tree = "git:main"
runner = "b"
sources = ["a.py"]
[candidate.c]
tree = "path:elsewhere"
build = "make"
runner = "c"
sources = ["./src//a.cpp"]
artifacts = ["out"]
[[case]]
params = { m = 4, n = 64 }
[domain]
m = { min = 1, max = 9 }
n = { min = 16, max = 4096, multiple_of = 16 }
constraints = ["m * n <= 8192"]
[inputs.x]
shape = ["m", "n + 1"]
dtype = "bf16"
kind = "random"
[outputs.y]
shape = ["m"]
dtype = "f32"
[policy]
cache = "cold"
"#;

fn parse(text: &str) -> Result<Experiment, Error> {
    Experiment::parse(Path::new("experiment.toml"), text, &Policy::default())
}

#[test]
fn a_whole_file_means_what_it_says() {
    let experiment = parse(GOOD).unwrap();
    assert_eq!(experiment.baseline.tree, Tree::Git("main".to_owned()));
    assert_eq!(experiment.candidates[0].sources, ["src/a.cpp"]);
    assert_eq!(experiment.cases[0].name, "m=4-n=64");
    assert_eq!(experiment.tuning.cache, CacheMode::Cold);
}

/// The message and the hint for GOOD with one replacement.
fn refused(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let error = parse(&GOOD.replacen(from, to, 1)).unwrap_err();
    format!("{error} | {}", error.hint().unwrap_or_default())
}

#[test]
fn every_mistake_is_named_with_its_line_and_a_cure() {
    for (from, to, expected) in [
        (
            "sources = [\"a.py\"]\n[base",
            "sorces = [\"a.py\"]\n[base",
            "experiment.toml:5: unknown key `sorces` | did you mean `sources`?",
        ),
        (
            "[policy]\ncache",
            "[policy]\nmin_efect = 0.02\ncache",
            "experiment.toml:30: unknown key `min_efect` | did you mean `min_effect`?",
        ),
        ("tree = \"git:main\"", "tree = \"main\"", "experiment.toml:7: `main` names no tree"),
        ("tree = \"git:main\"", "tree = \"git:--exec=x\"", "names no tree"),
        (
            "sources = [\"./src//a.cpp\"]",
            "sources = [\"../a.cpp\"]",
            "experiment.toml:14: `../a.cpp` is not a path inside the tree",
        ),
        ("build = \"make\"\n", "", "`c` declares artifacts but no build"),
        (
            "params = { m = 4, n = 64 }",
            "params = { m = 40, n = 64 }",
            "case `m=40-n=64` lies outside the domain",
        ),
        ("params = { m = 4, n = 64 }", "params = { m = 4 }", "`n` is not a parameter of the case"),
        ("n + 1", "n +", "experiment.toml:23: `n +`: it ends early"),
        ("dtype = \"bf16\"", "dtype = \"f6_e2m3\"", "element type `f6_e2m3` is not supported on this device"),
        ("dtype = \"bf16\"", "dtype = \"float\"", "`float` is no element type"),
        ("kind = \"random\"", "kind = \"radnom\"", "`radnom` is no kind of input"),
        ("kind = \"random\"", "kind = \"permutation\"", "needs an integer element type"),
        ("kind = \"random\"", "kind = \"random\"\ninout = true", "`x` is inout and no output has its name"),
        ("cache = \"cold\"", "cache = \"icy\"", "is no cache mode"),
        ("cache = \"cold\"", "min_effect = 0.001", "a value looser than the default needs"),
        ("cache = \"cold\"", "slots = 1", "`slots` = 1 is outside 2 to 4096"),
        (
            "[domain]\nm = { min = 1, max = 9 }",
            "[domain]\nm = { min = 9, max = 1 }",
            "the range of `m` holds no value",
        ),
        ("[candidate.c]", "[candidate.\"a b\"]", "`a b` cannot name the candidate"),
    ] {
        let text = refused(from, to);
        assert!(text.contains(expected), "{to}: {text}");
    }
}

/// GOOD with further keys for its output.
fn with_output(keys: &str) -> Result<Experiment, Error> {
    parse(
        &GOOD.replace(
            "shape = [\"m\"]\ndtype = \"f32\"",
            &format!("shape = [\"m\"]\ndtype = \"f32\"\n{keys}"),
        ),
    )
}

#[test]
fn every_mistake_about_a_tolerance_profile_is_named_with_a_cure() {
    for (keys, expected) in [
        (
            "profile = \"dott\"\nreduction = \"n\"",
            "experiment.toml:29: `dott` is no tolerance profile | did you mean `dot`?",
        ),
        ("profile = \"dot\"", "profile `dot` needs `reduction` | say how many terms"),
        ("profile = \"dot\"\nreduction = \"k\"", "the tolerance of `y`: `k` is not a parameter"),
        ("profile = \"dot\"\nreduction = \"n - n\"", "the tolerance of `y`: the reduction `n - n` is 0"),
        ("profile = \"dot\"\nreduction = \"n +\"", "experiment.toml:30: `n +`: it ends early"),
        ("profile = \"elementwise\"\nreduction = \"n\"", "profile `elementwise` has no use for `reduction`"),
        (
            "reduction = \"n\"",
            "`reduction` and `magnitude` are for a tolerance profile | add profile = one of default",
        ),
        ("profile = \"dot\"\nreduction = \"n\"\nmagnitude = 0", "magnitude = 0 is not a positive number"),
        (
            "profile = \"quantized\"",
            "a share of `y` may mismatch, and nothing says why | add `reasons = { mismatch_share",
        ),
        ("tolerance = { mismatch_share = 0.1 }", "experiment.toml:26: a share of `y` may mismatch"),
        (
            "tolerance = { outlier = 0.5 }",
            "tolerance outlier = 0.5 is not in range: a finite number, 1 or above",
        ),
    ] {
        let error = with_output(keys).unwrap_err();
        let text = format!("{error} | {}", error.hint().unwrap_or_default());
        let (fact, cure) = expected.split_once(" | ").unwrap_or((expected, ""));
        assert!(text.contains(fact) && text.contains(cure), "{keys}: {text}");
    }
    let integer = GOOD.replace("dtype = \"f32\"", "dtype = \"i32\"\nprofile = \"elementwise\"");
    assert!(parse(&integer).unwrap_err().to_string().contains("is about rounding, and i32 is exact"));
}

#[test]
fn a_profile_follows_the_case_and_stated_figures_win_over_it() {
    let experiment = with_output("profile = \"dot\"\nreduction = \"n\"\ntolerance = { rel = 0.25 }").unwrap();
    let output = &experiment.outputs[0];
    let of = |n: i64, dtype| output.allowed(dtype, &[("n".to_owned(), n)].into()).unwrap();
    let ((short, profile), (long, _)) = (of(64, Dtype::F32), of(4096, Dtype::F32));
    assert_eq!((profile.name.as_str(), profile.reduction), ("dot", Some(64)));
    assert!(long.abs.get() > 60.0 * short.abs.get());
    assert_eq!((short.rel.get(), long.rel.get()), (0.25, 0.25));
    assert_eq!(of(64, Dtype::I32).0.abs, Real::new(0.0), "integers stay exact");
}

#[test]
fn without_a_profile_stated_figures_mean_what_they_did() {
    let stated = with_output("tolerance = { rel = 0.25 }").unwrap();
    let (tolerance, profile) = stated.outputs[0].allowed(Dtype::Bf16, &Params::new()).unwrap();
    // What is not stated is the default of the declared element type.
    assert_eq!((tolerance.abs.get(), tolerance.rel.get(), tolerance.outlier), (1e-6, 0.25, None));
    assert_eq!(profile.name, "default");
    let none = parse(GOOD).unwrap().outputs[0].allowed(Dtype::Bf16, &Params::new()).unwrap().0;
    assert_eq!((none.abs.get(), none.rel.get()), (1e-2, 1.6e-2));
}

#[test]
fn where_a_share_may_mismatch_outliers_are_limited_and_the_reason_is_kept() {
    let text = GOOD.replace(
        "dtype = \"f32\"\n[policy]",
        "dtype = \"f32\"\ntolerance = { mismatch_share = 0.001 }\n[policy]\nreasons = { mismatch_share = \"flips\" }",
    );
    let experiment = parse(&text).unwrap();
    let (tolerance, _) = experiment.outputs[0].allowed(Dtype::F32, &Params::new()).unwrap();
    assert_eq!(tolerance.outlier.map(Real::get), Some(16.0));
    assert_eq!(experiment.tuning.policy.reasons["mismatch_share"], "flips");
    // A reason for nothing is not kept.
    let idle = GOOD.replace("[policy]", "[policy]\nreasons = { mismatch_share = \"flips\" }");
    assert!(parse(&idle).unwrap().tuning.policy.reasons.is_empty());
}

#[test]
fn loosened_thresholds_pass_with_a_reason_and_keep_it() {
    let text = GOOD
        .replace("cache = \"cold\"", "min_effect = 0.001\nreasons = { min_effect = \"a launch-bound op\" }");
    let loosened = parse(&text).unwrap().tuning.policy.loosened();
    assert_eq!((loosened.len(), loosened[0].reason.as_str()), (1, "a launch-bound op"));
}

#[test]
fn a_domain_that_holds_nothing_says_so() {
    let text = GOOD.replace("m * n <= 8192", "m == 4 and n == 64");
    let experiment = parse(&text).unwrap();
    assert!(matches!(draw_cases(&experiment, 16, 1), Err(Error::Domain { .. })));
}

proptest! {
    #[test]
    fn drawn_cases_are_inside_the_domain_new_and_the_same_for_the_same_seed(seed in any::<u64>()) {
        let experiment = parse(GOOD).unwrap();
        let drawn = draw_cases(&experiment, 16, seed).unwrap();
        prop_assert_eq!(&drawn, &draw_cases(&experiment, 16, seed).unwrap());
        prop_assert_eq!(drawn.len(), 16);
        for (index, case) in drawn.iter().enumerate() {
            prop_assert!(experiment.domain.contains(&case.params), "{:?}", case.params);
            prop_assert!(case.params != experiment.cases[0].params);
            prop_assert!(drawn[..index].iter().all(|other| other.params != case.params));
        }
    }

    #[test]
    fn no_text_panics(text in "(?s).{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_cut_of_a_good_file_panics(at in 0..GOOD.len()) {
        let _ = parse(&GOOD[..at]);
    }
}

#[test]
fn a_stream_draws_both_ends_of_a_range_among_a_few_cases() {
    let experiment = parse(GOOD).unwrap();
    let mut seeds = Stream::new(3, 3);
    let all: Vec<i64> = (0..20)
        .flat_map(|_| draw_cases(&experiment, 16, seeds.wide()).unwrap())
        .map(|case| case.params["m"])
        .collect();
    assert!(all.contains(&1) && all.contains(&9));
}

#[test]
fn bounds_with_hundreds_of_digits_are_said_in_words_and_a_missing_key_has_a_cure() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiment.md")).unwrap();
    assert!(text.contains("tolerance"), "the page that hints point to");
    let toml = "op = \"o\"\n[reference]\ntree = \"worktree\"\nrunner = \"r\"\nsources = [\"a\"]\n[baseline]\ntree = \"worktree\"\nrunner = \"r\"\nsources = [\"a\"]\n[outputs.y]\nshape = [1]\ndtype = \"f32\"\ntolerance = { abs = -1e300 }\n";
    let parse = |text: &str| Experiment::parse(Path::new("e.toml"), text, &Policy::default()).unwrap_err();
    let error = parse(toml);
    assert!(
        error.to_string().contains("tolerance abs = -1e300 is not in range: a finite number, 0 or above"),
        "{error}"
    );
    let error = parse("op = \"o\"\n");
    assert!(
        error.to_string().contains("missing field") && error.hint().unwrap().contains("docs/experiment.md"),
        "{error}"
    );
}
