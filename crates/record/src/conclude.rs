//! From facts and samples to the judgement. Pure: the producer and the auditor call the same function.
//!
//! Order of the answers: what voids the build comes before what is wrong, because a wrong result of another
//! build says nothing about this one; what is wrong comes before what voids the timing.

use kforge_stats::{Block, CaseSamples, Judge, Judgement, OpSamples, Verdict};

use crate::case::{Case, CaseOrigin};
use crate::check::Check;
use crate::error::Error;
use crate::evidence::Facts;
use crate::run::VoidCause;
use crate::samples::{Launch, Series, blocks_of};
use crate::subject::Side;

/// Draws that a judgement may take: blocks × resamples. The largest experiment with the default policy takes 3·10⁹; a file that asks
/// for much more would keep whoever audits it busy for days.
const MOST_DRAWS: u64 = 1 << 34;

/// The judgement that follows from the facts and the samples, and nothing else.
///
/// # Errors
/// `Error::Judge` where the policy is out of range or the samples are no times; `Error::Policy` where it asks for more draws
/// than anybody could wait for.
pub fn conclude(facts: &Facts, launches: &[Launch]) -> Result<Judgement, Error> {
    let resamples = facts.policy.judge.resamples;
    let blocks = blocks_of(launches);
    if blocks.saturating_mul(u64::from(resamples)) > MOST_DRAWS {
        let why = format!("with {blocks} blocks it takes more than {MOST_DRAWS} draws");
        return Err(Error::Policy { name: "resamples".to_owned(), value: resamples.to_string(), why });
    }
    let judge = Judge::new(facts.policy.judge.clone())?;
    let mut judgement = judge.judge(&op_samples(facts, launches))?;
    if let Some(verdict) = overruled(facts, launches, &judgement) {
        judgement.verdict = verdict;
    }
    Ok(judgement)
}

/// The samples in the judge's shape: only declared cases are timed.
fn op_samples(facts: &Facts, launches: &[Launch]) -> OpSamples {
    let tick_ns = launches.iter().map(|launch| launch.tick_ns).max().unwrap_or(1);
    let declared = facts.cases.iter().filter(|case| case.origin == CaseOrigin::Declared);
    let cases = declared
        .map(|case| {
            let per_launch = launches.iter().map(|launch| {
                let series = launch.series.iter().find(|series| series.case == case.name);
                series.map(blocks).unwrap_or_default()
            });
            CaseSamples::new(case.name.clone(), case.weight.get(), tick_ns, per_launch.collect())
        })
        .collect();
    OpSamples { cases }
}

fn blocks(series: &Series) -> Vec<Block> {
    let columns = series.a.iter().zip(&series.a_prime).zip(&series.b).enumerate();
    columns
        .map(|(position, ((a, a_prime), b))| Block {
            a_ns: i64::try_from(*a).unwrap_or(i64::MAX),
            a2_ns: i64::try_from(*a_prime).unwrap_or(i64::MAX),
            b_ns: i64::try_from(*b).unwrap_or(i64::MAX),
            disturbed: u32::try_from(position).is_ok_and(|position| series.is_dropped(position)),
        })
        .collect()
}

/// What overrules the judge of the samples, if anything does.
fn overruled(facts: &Facts, launches: &[Launch], judgement: &Judgement) -> Option<Verdict> {
    let void = |cause: VoidCause, detail: String| Verdict::Void { cause: cause.word().to_owned(), detail };
    let finding = |wanted: &dyn Fn(VoidCause) -> bool| {
        facts
            .voids
            .iter()
            .find(|finding| wanted(finding.cause))
            .map(|found| void(found.cause, found.detail.clone()))
    };
    let about_build = |cause| matches!(cause, VoidCause::Rebuilt | VoidCause::Shadowed | VoidCause::Baseline);
    let (reference, baseline) = (&facts.sides.reference, &facts.sides.baseline);
    let broken_side =
        [("reference", reference), ("baseline", baseline)].into_iter().find_map(|(name, side)| {
            let failure = side.failure.as_ref()?;
            Some(void(VoidCause::Baseline, format!("{name}, {}: {}", failure.stage, failure.what)))
        });
    finding(&about_build)
        .or(broken_side)
        .or_else(|| wrong_baseline(facts).map(|detail| void(VoidCause::Baseline, detail)))
        .or_else(|| never_ran(facts).map(|detail| void(VoidCause::Environment, detail)))
        .or_else(|| wrong_candidate(facts))
        .or_else(|| timed_other_build(facts, launches).map(|detail| void(VoidCause::Rebuilt, detail)))
        .or_else(|| {
            finding(&|cause| {
                matches!(cause, VoidCause::LeftProcess | VoidCause::Priority | VoidCause::Unfinished)
            })
        })
        .or_else(|| disagreeing_clock(facts).map(|detail| void(VoidCause::Clock, detail)))
        .or_else(|| finding(&|cause| !about_build(cause)))
        .or_else(|| {
            let timed = !launches.is_empty();
            let missing = if timed { unchecked_case(facts) } else { None };
            missing.map(|detail| void(VoidCause::Unchecked, detail))
        })
        .or_else(|| {
            beyond_physics(facts, launches, judgement).map(|detail| void(VoidCause::Impossible, detail))
        })
}

fn wrong_baseline(facts: &Facts) -> Option<String> {
    let failed = facts.checks.iter().find(|check| check.side == "baseline" && !check.computed_pass())?;
    Some(format!("the baseline is wrong on case {}", failed.case))
}

/// Where nothing of the candidate ever ran, nothing is known of it.
fn never_ran(facts: &Facts) -> Option<String> {
    let failure = facts.sides.candidate.failure.as_ref().filter(|_| facts.sides.candidate.never_ran())?;
    Some(failure.what.clone())
}

fn wrong_candidate(facts: &Facts) -> Option<Verdict> {
    let mismatch = if let Some(failure) = &facts.sides.candidate.failure {
        format!("{}: {}", failure.stage, failure.what)
    } else {
        let of_candidate = |check: &&Check| check.side == facts.candidate && !check.computed_pass();
        facts.checks.iter().find(of_candidate)?.complaint()
    };
    Some(Verdict::Incorrect { mismatch })
}

fn timed_other_build(facts: &Facts, launches: &[Launch]) -> Option<String> {
    let built = |side: &Side| side.build.as_ref().map(|build| build.id);
    let checked = [built(&facts.sides.baseline), built(&facts.sides.candidate)];
    let other = launches.iter().find(|launch| launch.builds.map(Some) != checked)?;
    Some(format!("launch {} timed another build than the one that was checked", other.index))
}

fn disagreeing_clock(facts: &Facts) -> Option<String> {
    let check = facts.clock.iter().find(|check| !check.computed_agrees())?;
    let outside = check.wall_long_ns.saturating_sub(check.wall_short_ns);
    Some(format!(
        "case {}, {}: {} ns reported, {outside} ns seen from outside for {} runs",
        check.case,
        check.side,
        check.reported_delta_ns,
        u64::from(check.runs) * 3
    ))
}

/// The first case without a passed check of the candidate before timing.
fn unchecked_case(facts: &Facts) -> Option<String> {
    let checked = |case: &Case| {
        facts.checks.iter().any(|check| {
            check.case == case.name
                && check.side == facts.candidate
                && check.phase == "before"
                && check.computed_pass()
        })
    };
    let missing = facts.cases.iter().find(|case| !checked(case))?;
    Some(format!("case {} has no passed check of the candidate before timing", missing.name))
}

/// The first case whose median lies below the accepted fraction of the physical limit.
fn beyond_physics(facts: &Facts, launches: &[Launch], judgement: &Judgement) -> Option<String> {
    facts.floor.iter().find_map(|floor| {
        let least = floor.least_ns()?;
        let judged = judgement.cases.iter().find(|judged| judged.case == floor.case)?;
        let series = launches.first()?.series.iter().find(|series| series.case == floor.case)?;
        let seen = judged.candidate_ns? as f64 / f64::from(series.runs.max(1));
        // Written so that a limit that is no number refuses.
        let possible = seen >= least * facts.policy.measure.floor_fraction;
        (!possible)
            .then(|| format!("case {}: {seen:.0} ns a run where the device needs {least:.0} ns", floor.case))
    })
}
