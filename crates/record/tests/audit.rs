//! Evidence that holds, evidence that does not, and who notices.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_record::{Audited, Evidence, Level, Sealed, audit, audit_bytes};
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
