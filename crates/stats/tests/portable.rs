//! The same bytes on every machine: a pinned judgement, and records that survive a round trip through JSON.
//!
//! The pinned text was written by this judge (there is nothing independent to compare a ChaCha8 draw with); it may only change
//! together with `JUDGE_VERSION`.

use kforge_stats::simulate::Machine;
use kforge_stats::{JUDGE_VERSION, Judge, JudgePolicy, Judgement, OpSamples};

fn samples() -> OpSamples {
    let machine = Machine { speedup: 1.04, sample_sd: 0.01, process_sd: 0.004, ..Machine::default() };
    let mut cases = vec![machine.case("small", 8, 8, 1), machine.case("large", 8, 8, 2)];
    cases[1].weight = 3.0;
    OpSamples { cases }
}

#[test]
fn a_pinned_judgement_keeps_every_byte() {
    let judgement = Judge::new(JudgePolicy::default()).unwrap().judge(&samples()).unwrap();
    let text = serde_json::to_string_pretty(&judgement).unwrap() + "\n";
    assert_eq!(JUDGE_VERSION, 1);
    assert_eq!(
        text,
        include_str!("judgement_v1.json"),
        "a changed answer needs a new judge version; it now reads:\n{text}"
    );
}

#[test]
fn a_judgement_read_back_from_json_is_equal_and_writes_the_same_bytes() {
    let judgement = Judge::new(JudgePolicy::default()).unwrap().judge(&samples()).unwrap();
    let text = serde_json::to_string(&judgement).unwrap();
    let back: Judgement = serde_json::from_str(&text).unwrap();
    assert_eq!(back, judgement);
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
}

#[test]
fn samples_read_back_from_json_are_equal() {
    let text = serde_json::to_string(&samples()).unwrap();
    assert_eq!(serde_json::from_str::<OpSamples>(&text).unwrap(), samples());
    assert!(!text.contains("disturbed"), "an undisturbed block does not carry the flag");
}
