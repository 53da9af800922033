//! experiment.toml: what is wrong is named with its line and a cure, and what is drawn stays inside the domain.
#![expect(clippy::unwrap_used, reason = "tests")]

use kforge_experiment::{CacheMode, Error, Experiment, Stream, Tree, draw_cases};
use kforge_record::Policy;
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
