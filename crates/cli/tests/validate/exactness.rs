//! Errors inside the tolerance, told beside the baseline's; one bad element where a share may mismatch.

use crate::KFORGE;
use kforge_testkit::{ScaleProject as Project, few_samples, is_timed, scale_operation, verdict};
use serde_json::Value;

const RIGHT: &str = "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]";

/// The checks of one candidate.
fn checks<'a>(answer: &'a Value, candidate: &str) -> &'a Value {
    let all = answer["data"]["candidates"].as_array().unwrap();
    &all.iter().find(|one| one["candidate"] == candidate).unwrap()["checks"]
}

#[test]
fn a_candidate_that_errs_many_times_the_baseline_inside_its_profile_is_timed_and_gets_a_note() {
    // 2e-6 is 34 unit roundoffs of binary32: inside the profile's relative part, and far from the baseline, which is exact.
    let operation = scale_operation(600, 700) + "profile = \"softmax\"\nreduction = \"n\"\n";
    let mut project = Project::with(KFORGE, &(operation + &few_samples(200)));
    project.candidate("exact", RIGHT).candidate("sloppy", &RIGHT.replace("2.0 *", "2.000004 *"));
    project.finish();
    let (answer, _) = project.json(&[]);
    for candidate in ["exact", "sloppy"] {
        let (word, reason) = verdict(&answer, candidate);
        assert!(is_timed(&word, &reason), "{candidate}: {word} {reason}");
        let errors = &checks(&answer, candidate)["errors"][0];
        assert_eq!(
            (errors["output"].as_str(), errors["profile"]["name"].as_str()),
            (Some("y"), Some("softmax"))
        );
        assert!(errors["profile"]["reduction"].as_u64().is_some_and(|terms| terms >= 1), "{errors}");
        assert_eq!(errors["baseline"]["max_ulp"], 0);
    }
    assert!(checks(&answer, "sloppy")["errors"][0]["beside"]["times"].as_f64().unwrap() > 20.0);
    let notes = answer["notes"].as_array().unwrap();
    let told: Vec<&str> = notes
        .iter()
        .filter(|note| note["code"] == "validate.less-exact")
        .filter_map(|note| note["message"].as_str())
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("sloppy: y of "), "{told:?}");
    let text = String::from_utf8(project.run(&["--candidate", "sloppy"]).stdout).unwrap();
    assert!(text.contains("; baseline abs ") && text.contains("(profile softmax over "), "{text}");
}

#[test]
fn where_a_share_may_mismatch_small_ones_pass_with_their_reason_and_one_wild_element_does_not() {
    let operation = scale_operation(600, 700) + "tolerance = { mismatch_share = 0.05 }\n";
    let samples = few_samples(200)
        .replace("reason = ", "reasons = { mismatch_share = \"flips of a quantum\" }\nreason = ");
    let mut project = Project::with(KFORGE, &(operation + &samples));
    project
        .candidate("flips", &format!("{RIGHT}\n    if len(y) > 100:\n        y[50] *= 1.00008"))
        .candidate("wild", &format!("{RIGHT}\n    if len(y) > 100:\n        y[50] = 7.0 - y[50]"));
    project.finish();
    let (answer, _) = project.json(&[]);
    let (word, reason) = verdict(&answer, "flips");
    assert!(is_timed(&word, &reason), "{word} {reason}");
    let (word, reason) = verdict(&answer, "wild");
    assert!(word == "incorrect" && reason.contains("times what is allowed"), "{word} {reason}");
    let loosened = answer["data"]["candidates"][0]["loosened"].to_string();
    assert!(loosened.contains("mismatch_share") && loosened.contains("flips of a quantum"), "{loosened}");
}
