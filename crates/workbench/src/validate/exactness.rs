//! How exact a candidate is beside the baseline: the largest errors of both against the same reference on the same data.
//!
//! A candidate inside its tolerance is right. One that errs many times as much as what is in use today is right too, and worth a word:
//! Invariant: that word is a note and never changes a verdict.

use crate::Note;
use kforge_experiment::Dtype;
use kforge_record::{Check, CheckedOutput, Evidence, Facts, Real, Tolerance, ToleranceProfile};
use serde::Serialize;

/// The largest errors of one output.
#[derive(Debug, Serialize)]
pub struct OutputErrors {
    /// The output.
    pub output: String,
    /// Its element type; an output that cases give several types has one entry each.
    pub dtype: String,
    /// What was allowed where the candidate's absolute error is largest.
    pub allowed: Tolerance,
    /// What that follows from.
    pub profile: Option<ToleranceProfile>,
    /// Of the candidate, over all checks.
    pub candidate: LargestErrors,
    /// Of the baseline, over its checks; absent where it was not checked.
    pub baseline: Option<LargestErrors>,
    /// Where the candidate's error is the largest multiple of the baseline's; absent where neither errs more than by rounding once.
    pub beside: Option<BesideBaseline>,
}

/// Largest errors against the reference over finite elements.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LargestErrors {
    /// Of |got − expected|.
    pub max_abs: Real,
    /// Of |got − expected| / |expected|.
    pub max_rel: Real,
    /// In units of the last place; absent for integers.
    pub max_ulp: Option<u64>,
}

/// One check of both sides with the same data.
#[derive(Debug, Serialize)]
pub struct BesideBaseline {
    /// The case.
    pub case: String,
    /// `before` or `refill`.
    pub phase: String,
    /// The candidate's largest absolute error there.
    pub candidate_abs: f64,
    /// The baseline's, or that of rounding the reference once where that is more.
    pub baseline_abs: f64,
    /// Their quotient.
    pub times: f64,
}

impl OutputErrors {
    /// Every output of the candidate, in the order of the checks.
    pub(super) fn of(evidence: &Evidence) -> Vec<Self> {
        let facts = &evidence.facts;
        let mut all: Vec<Self> = Vec::new();
        for (check, output) in outputs(facts, &facts.candidate) {
            let beside = beside(facts, check, output);
            let known = all.iter_mut().find(|one| one.output == output.name && one.dtype == output.dtype);
            let Some(one) = known else {
                all.push(Self {
                    output: output.name.clone(),
                    dtype: output.dtype.clone(),
                    allowed: output.tolerance,
                    profile: output.profile.clone(),
                    candidate: LargestErrors::of(output),
                    baseline: baseline(facts, output),
                    beside,
                });
                continue;
            };
            if output.max_abs.get() > one.candidate.max_abs.get() {
                one.allowed = output.tolerance;
                one.profile.clone_from(&output.profile);
            }
            one.candidate = one.candidate.and(LargestErrors::of(output));
            let times = |beside: &Option<BesideBaseline>| beside.as_ref().map_or(0.0, |beside| beside.times);
            if times(&beside) > times(&one.beside) {
                one.beside = beside;
            }
        }
        all
    }

    /// The word about a candidate that is right and much less exact than the baseline.
    pub(super) fn note(&self, candidate: &str) -> Option<Note> {
        let from = self.profile.as_ref()?.beside.get();
        let beside = self.beside.as_ref().filter(|beside| beside.times > from)?;
        let message = format!(
            "{candidate}: {} of {} is off by {:.2e}, {:.0} times the baseline's {:.2e}, and inside the tolerance",
            self.output, beside.case, beside.candidate_abs, beside.times, beside.baseline_abs
        );
        Some(Note::new("validate.less-exact", message))
    }
}

impl LargestErrors {
    fn of(output: &CheckedOutput) -> Self {
        Self { max_abs: output.max_abs, max_rel: output.max_rel, max_ulp: output.max_ulp }
    }

    fn and(self, other: Self) -> Self {
        let larger = |a: Real, b: Real| if b.get() > a.get() { b } else { a };
        Self {
            max_abs: larger(self.max_abs, other.max_abs),
            max_rel: larger(self.max_rel, other.max_rel),
            max_ulp: self.max_ulp.max(other.max_ulp),
        }
    }
}

/// Everything that was compared of a side.
fn outputs<'a>(facts: &'a Facts, side: &str) -> impl Iterator<Item = (&'a Check, &'a CheckedOutput)> {
    let side = side.to_owned();
    let checks = facts.checks.iter().filter(move |check| check.side == side);
    let each = checks.flat_map(|check| check.outputs.iter().map(move |output| (check, output)));
    each.filter(|(_, output)| output.compared > 0)
}

fn baseline(facts: &Facts, of: &CheckedOutput) -> Option<LargestErrors> {
    let same = outputs(facts, "baseline").filter(|(_, out)| out.name == of.name && out.dtype == of.dtype);
    same.map(|(_, output)| LargestErrors::of(output)).reduce(LargestErrors::and)
}

/// A passed check of the candidate beside the baseline's with the same data. A baseline that happens to be exact is taken to err as
/// rounding the reference once does: nobody can ask for less.
fn beside(facts: &Facts, check: &Check, output: &CheckedOutput) -> Option<BesideBaseline> {
    let roundoff = Dtype::named(&output.dtype)?.roundoff()?;
    let worst = output.worst.as_ref().filter(|_| output.passed)?;
    let (_, other) = outputs(facts, "baseline").find(|(other, out)| {
        let same_data = other.case == check.case && other.phase == check.phase && other.seed == check.seed;
        same_data && out.name == output.name && out.dtype == output.dtype
    })?;
    let once = roundoff * worst.expected.get().abs();
    let (candidate_abs, baseline_abs) = (output.max_abs.get(), other.max_abs.get().max(once));
    let times = candidate_abs / baseline_abs;
    (times.is_finite() && candidate_abs > once).then(|| BesideBaseline {
        case: check.case.clone(),
        phase: check.phase.clone(),
        candidate_abs,
        baseline_abs,
        times,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kforge_record::Worst;
    use kforge_testkit::SampleExperiment;

    /// What is said about f32 outputs near 0.5 with these errors.
    fn errors(candidate: f64, baseline: f64) -> OutputErrors {
        let sample = SampleExperiment::new("rmsnorm", "vec");
        let mut facts = sample.facts().unwrap();
        for check in &mut facts.checks {
            let error = if check.side == "baseline" { baseline } else { candidate };
            for output in &mut check.outputs {
                let got = 0.5 + error;
                let difference = (got - 0.5_f64).abs();
                output.dtype = "f32".to_owned();
                output.dtype_got = "f32".to_owned();
                output.max_abs = Real::new(difference);
                output.max_rel = Real::new(difference / 0.5);
                output.max_excess = Some(Real::new(output.tolerance.excess(difference, 0.5)));
                output.worst =
                    Some(Worst { index: vec![0, 0], got: Real::new(got), expected: Real::new(0.5) });
            }
        }
        let sealed = Evidence::seal(facts, sample.samples().unwrap()).unwrap();
        OutputErrors::of(&sealed.evidence).pop().unwrap()
    }

    #[test]
    fn a_candidate_that_errs_many_times_the_baseline_gets_a_note_that_names_both() {
        let errors = errors(9e-3, 2e-4);
        let note = errors.note("vec").unwrap();
        assert_eq!(note.code, "validate.less-exact");
        assert!(note.message.contains("45 times the baseline's 2.00e-4"), "{}", note.message);
        assert!((errors.baseline.unwrap().max_abs.get() - 2e-4).abs() < 1e-12);
    }

    #[test]
    fn one_that_errs_a_few_times_as_much_gets_none() {
        assert!(errors(1e-3, 2e-4).note("vec").is_none());
        assert!(errors(2e-4, 9e-3).note("vec").is_none());
    }

    #[test]
    fn an_exact_baseline_asks_nobody_for_less_than_rounding_once() {
        // Half a unit in the last place of 0.5 in binary32 is 2.98e-8.
        let errors = errors(6e-8, 0.0);
        assert!(errors.note("vec").is_none());
        assert!((errors.beside.unwrap().baseline_abs - 2.98e-8).abs() < 1e-10);
    }
}
