//! What pieces of evidence together say about runs: which came before, and which candidates were measured against one
//! baseline. Pure: whoever has read the evidence asks as often as needed.

use std::collections::BTreeSet;

use kforge_record::{Digest, Evidence, PriorRun};

/// The runs of a pair that evidence shows or names, merged with those already known, oldest first.
pub fn runs_of(pair: &Digest, evidence: &[(Digest, Evidence)], known: Vec<PriorRun>) -> Vec<PriorRun> {
    let mut runs = known;
    // What was compared with an earlier commit answers another question, though its files may be the same.
    let apart =
        |run: &PriorRun| evidence.iter().any(|(_, other)| is_apart(other) && other.facts.run.id == run.run);
    let of_pair = evidence
        .iter()
        .filter(|(_, evidence)| evidence.facts.run.pair == *pair && ran(evidence) && !is_apart(evidence));
    for (id, evidence) in of_pair {
        let run = PriorRun {
            run: evidence.facts.run.id,
            started_at: evidence.facts.run.started_at.clone(),
            verdict: Some(evidence.judgement.verdict.word().to_owned()),
            evidence: Some(*id),
        };
        merge(&mut runs, run);
        evidence.facts.prior.iter().for_each(|prior| merge(&mut runs, prior.clone()));
    }
    runs.retain(|run| !apart(run));
    runs.sort_by(|one, other| (&one.started_at, &one.run).cmp(&(&other.started_at, &other.run)));
    runs
}

/// The pairs of the candidates that evidence shows against a baseline; where a moment is given, of runs that began no later.
pub fn rivals_among(
    evidence: &[(Digest, Evidence)],
    baseline: &Digest,
    until: Option<&str>,
) -> BTreeSet<Digest> {
    let counts = |evidence: &Evidence| {
        evidence.facts.sides.baseline.subject.id == *baseline
            && ran(evidence)
            && !is_apart(evidence)
            && until.is_none_or(|until| evidence.facts.run.started_at.as_str() <= until)
    };
    evidence
        .iter()
        .filter(|(_, evidence)| counts(evidence))
        .map(|(_, evidence)| evidence.facts.run.pair)
        .collect()
}

/// Whether anything of the candidate ran. Where a program was missing nothing was learnt, and nothing counts against it.
fn ran(evidence: &Evidence) -> bool {
    let candidate = &evidence.facts.sides.candidate;
    !(candidate.never_ran() && candidate.build.is_none())
}

/// Whether it compares with an earlier commit instead of the op's baseline.
const fn is_apart(evidence: &Evidence) -> bool {
    evidence.facts.run.base.is_some()
}

fn merge(runs: &mut Vec<PriorRun>, run: PriorRun) {
    match runs.iter_mut().find(|known| known.run == run.run) {
        Some(known) => {
            known.verdict = known.verdict.take().or(run.verdict);
            known.evidence = known.evidence.take().or(run.evidence);
        }
        None => runs.push(run),
    }
}
