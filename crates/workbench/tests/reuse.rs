//! Evidence judged again by thresholds that have changed since, without a runner.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_ledger::Ledger;
use kforge_testkit::{SampleExperiment, ScratchRepo, scale_operation, scale_side};
use kforge_workbench::ExitClass;
use kforge_workbench::validate::reuse;

/// A stored win of the operation `scale` with 16 drawn cases, and an experiment with this policy.
fn judged(policy: &str) -> reuse::Response {
    let repo = ScratchRepo::with_files(&[]);
    let sides = ["reference", "baseline", "fast"].map(|side| scale_side(side, "true", "k.c", ""));
    let text = format!("op = \"scale\"\n{}{}\n[policy]\n{policy}", scale_operation(600, 700), sides.concat());
    repo.write("kernels/scale/experiment.toml", text.as_bytes());
    let sealed = SampleExperiment::new("scale", "fast").seal().expect("seals");
    let ledger = Ledger::open(repo.path()).expect("opens");
    let id = ledger.put_evidence(&sealed).expect("stores");
    let evidence = vec![id.to_string()];
    let request = reuse::Request { target: "scale".to_owned(), folder: repo.path(), evidence };
    reuse::run(&request).expect("answers")
}

#[test]
fn a_win_stays_one_where_nothing_was_tightened() {
    let answer = judged("");
    let one = answer.judged.first().expect("one");
    assert!(one.wins && one.then.is_faster() && one.now.is_faster() && one.reason.is_none(), "{answer:?}");
    assert_eq!(answer.class(), ExitClass::Yes);
}

#[test]
fn a_win_with_fewer_drawn_cases_than_the_policy_asks_for_now_is_none() {
    let answer = judged("drawn_cases = 32\n");
    let one = answer.judged.first().expect("one");
    assert!(one.then.is_faster() && !one.wins, "{answer:?}");
    assert!(one.reason.as_deref().is_some_and(|why| why.contains("32 drawn cases")), "{answer:?}");
    assert_eq!((answer.class(), answer.notes.len()), (ExitClass::No, 1));
}
