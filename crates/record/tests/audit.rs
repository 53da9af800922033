//! Evidence that holds, evidence that does not, and who notices.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_record::{Audited, Evidence, Level, Real, Sealed, audit, audit_bytes};
use kforge_testkit::SampleExperiment;

fn audited(sealed: &Sealed) -> Audited {
    let samples = sealed.samples.as_ref().map(|file| file.bytes.as_slice());
    audit_bytes(&sealed.id, &sealed.bytes, samples).expect("the evidence holds")
}

#[test]
fn sealed_evidence_of_every_verdict_is_consistent() {
    for (percent, wrong, word) in
        [(70, false, "faster"), (130, false, "slower"), (100, false, "same"), (70, true, "incorrect")]
    {
        let sample = SampleExperiment { percent, wrong, ..SampleExperiment::new("rmsnorm", "vec") };
        let sealed = sample.seal().expect("seals");
        assert_eq!(audited(&sealed).level, Level::Consistent);
        assert_eq!(sealed.evidence.judgement.verdict.word(), word, "{:?}", sealed.evidence.judgement);
    }
}

#[test]
fn sealing_twice_gives_the_same_bytes() {
    let sample = SampleExperiment::new("rmsnorm", "vec");
    assert_eq!(sample.seal().expect("seals").id, sample.seal().expect("seals").id);
}

#[test]
fn long_samples_leave_the_file_and_are_bound_by_their_digest() {
    let timed = (0..12).map(|case| format!("case-{case}")).collect();
    let sample =
        SampleExperiment { timed, launches: 24, blocks: 64, ..SampleExperiment::new("rmsnorm", "vec") };
    let sealed = sample.seal().expect("seals");
    assert!(sealed.evidence.samples.inline.is_none());
    let file = sealed.samples.as_ref().expect("a file of its own");
    assert_eq!(audited(&sealed).launches.len(), 24);
    assert!(audit_bytes(&sealed.id, &sealed.bytes, None).is_err(), "the file is missing");
    let mut other = file.bytes.clone();
    let digit = other.iter().rposition(|byte| *byte == b'8').expect("a digit");
    other[digit] = b'9';
    assert!(audit_bytes(&sealed.id, &sealed.bytes, Some(&other)).is_err(), "another sample");
}

#[test]
fn a_claim_is_compared_with_its_case() {
    let sample = SampleExperiment {
        claim: Some("1.1x on decode".to_owned()),
        ..SampleExperiment::new("rmsnorm", "vec")
    };
    let sealed = sample.seal().expect("seals");
    let claim = sealed.evidence.facts.claim.as_ref().expect("kept");
    assert_eq!(claim.outcome, kforge_record::ClaimOutcome::Exceeded);
    assert!(claim.measured.is_some());
    audited(&sealed);
}

#[test]
fn a_whole_forgery_with_fresh_digests_is_consistent_and_never_more() {
    let sample = SampleExperiment { percent: 130, ..SampleExperiment::new("rmsnorm", "vec") };
    let honest = sample.seal().expect("seals");
    // The forger swaps the columns of baseline and candidate and seals the result with the tool's own code.
    let mut launches = sample.samples().expect("samples");
    for series in launches.iter_mut().flat_map(|launch| &mut launch.series) {
        std::mem::swap(&mut series.a, &mut series.b);
        series.a_prime.clone_from(&series.a);
        series.a_prime.reverse();
    }
    let forged = Evidence::seal(honest.evidence.facts.clone(), launches.clone()).expect("seals");
    assert_eq!(forged.evidence.judgement.verdict.word(), "faster");
    assert_eq!(audit(&forged.evidence, &launches), Ok(Level::Consistent));
}

#[test]
fn a_whole_file_that_is_not_json_of_the_schema_is_refused() {
    for bytes in [&b""[..], b"{}", b"null", b"\xff\xfe", b"[1,2", b"{\"schema\":\"kforge.evidence/1\"}"] {
        assert!(audit_bytes(&kforge_record::Digest::of_bytes(bytes), bytes, None).is_err());
    }
    let sealed = SampleExperiment::new("rmsnorm", "vec").seal().expect("seals");
    let mut spaced = sealed.bytes.clone();
    spaced.push(b'\n');
    assert!(
        audit_bytes(&kforge_record::Digest::of_bytes(&spaced), &spaced, None).is_err(),
        "another spelling"
    );
}

/// Evidence of kforge before 2026-12 has neither the profile of a tolerance nor a limit of outliers.
#[test]
fn evidence_without_profile_and_outlier_limit_holds_and_keeps_its_spelling() {
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let mut facts = sample.facts().expect("facts");
    for output in facts.checks.iter_mut().flat_map(|check| &mut check.outputs) {
        output.profile = None;
        output.max_excess = None;
        output.tolerance.outlier = None;
    }
    let sealed = Evidence::seal(facts, sample.samples().expect("samples")).expect("seals");
    let text = String::from_utf8(sealed.bytes.clone()).expect("text");
    for key in ["\"profile\"", "max_excess", "outlier"] {
        assert!(!text.contains(key), "{key}");
    }
    assert_eq!(audited(&sealed).level, Level::Consistent);
}

#[test]
fn a_limit_of_outliers_is_judged_and_cannot_be_left_out_on_one_side() {
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let launches = || sample.samples().expect("samples");
    let with = |change: &dyn Fn(&mut kforge_record::CheckedOutput)| {
        let mut facts = sample.facts().expect("facts");
        facts.policy.reasons.insert("mismatch_share".to_owned(), "a test".to_owned());
        for check in &mut facts.checks {
            let own = check.side == facts.candidate;
            for output in &mut check.outputs {
                output.tolerance.mismatch_share = Real::new(0.01);
                if own {
                    change(output);
                    output.passed = output.computed_pass();
                }
            }
            check.passed = check.computed_pass();
        }
        Evidence::seal(facts, launches()).expect("seals")
    };
    let wild = with(&|output| (output.mismatches, output.max_excess) = (1, Some(Real::new(17.0))));
    assert_eq!(wild.evidence.judgement.verdict.word(), "incorrect");
    assert!(format!("{:?}", wild.evidence.judgement.verdict).contains("times what is allowed, more than 16"));
    let tolerated = with(&|output| (output.mismatches, output.max_excess) = (1, Some(Real::new(15.0))));
    assert_eq!(tolerated.evidence.judgement.verdict.word(), "faster");
    let hidden = with(&|output| output.max_excess = None);
    assert!(audit(&hidden.evidence, &launches()).is_err(), "the excess is missing");
    let small = with(&|output| (output.mismatches, output.max_excess) = (1, Some(Real::new(0.5))));
    assert!(audit(&small.evidence, &launches()).is_err(), "a mismatch exceeds what is allowed");
    let unlimited = with(&|output| (output.max_excess, output.tolerance.outlier) = (None, None));
    assert!(audit(&unlimited.evidence, &launches()).is_err(), "the baseline was asked for more");
}

#[test]
fn a_path_that_leaves_its_tree_is_never_read() {
    let sealed = SampleExperiment::new("rmsnorm", "vec").seal().expect("seals");
    let text = String::from_utf8(sealed.bytes).expect("text");
    let path = &sealed.evidence.facts.sides.candidate.subject.entries[0].path;
    for other in ["/etc/passwd", "../x.c", "a/../../x.c", "a//b", ".git/hooks/post-checkout", "", "a\\u0000b"]
    {
        let forged = text.replace(&format!("\"{path}\""), &format!("\"{other}\""));
        assert_ne!(forged, text);
        assert!(Evidence::read(forged.as_bytes()).is_err(), "{other:?}");
    }
    assert!(Evidence::read(text.as_bytes()).is_ok());
}

#[test]
fn counts_of_differences_that_overflow_together_are_words_and_no_panic() {
    let sample = SampleExperiment { wrong: true, ..SampleExperiment::new("rmsnorm", "vec") };
    let mut facts = sample.facts().expect("facts");
    for output in facts.checks.iter_mut().flat_map(|check| &mut check.outputs) {
        (output.shape, output.shape_got) = (vec![u64::MAX], vec![u64::MAX]);
        (output.compared, output.mismatches) = (u64::MAX, u64::MAX);
        (output.nan_differs, output.inf_differs) = (u64::MAX, 1);
        output.passed = false;
    }
    assert!(facts.checks.iter().all(|check| check.complaint().contains("outside the tolerance")));
}

#[test]
fn more_draws_than_anybody_waits_for_are_refused() {
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let mut facts = sample.facts().expect("facts");
    facts.policy.judge.resamples = 100_000;
    let mut launches = sample.samples().expect("samples");
    let series = &mut launches[0].series[0];
    let many = |column: &Vec<u64>| column.iter().copied().cycle().take(200_000).collect::<Vec<_>>();
    (series.a, series.a_prime, series.b) = (many(&series.a), many(&series.a_prime), many(&series.b));
    series.order = series.order.iter().copied().cycle().take(200_000).collect();
    assert!(matches!(Evidence::seal(facts, launches), Err(kforge_record::Error::Policy { .. })));
}
