//! Recomputes what was checked and measured: every `passed` from its numbers, every sample's place and build.

use std::collections::BTreeMap;

use super::Broken;
use crate::case::{Case, CaseOrigin};
use crate::check::Check;
use crate::evidence::Facts;
use crate::samples::Launch;
use crate::subject::Side;

pub(super) fn check(facts: &Facts, launches: &[Launch], broken: &mut Vec<Broken>) {
    for (position, check) in facts.checks.iter().enumerate() {
        check_check(&format!("facts.checks.{position}"), facts, check, broken);
    }
    check_agreement(facts, broken);
    check_coverage(facts, launches, broken);
    check_clock(facts, broken);
    check_floor(facts, broken);
    check_launches(facts, launches, broken);
    check_disturbances(facts, launches, broken);
}

fn case<'a>(facts: &'a Facts, name: &str) -> Option<&'a Case> {
    facts.cases.iter().find(|case| case.name == name)
}

fn side<'a>(facts: &'a Facts, name: &str) -> Option<&'a Side> {
    match name {
        "baseline" => Some(&facts.sides.baseline),
        _ if name == facts.candidate => Some(&facts.sides.candidate),
        _ => None,
    }
}

fn check_check(path: &str, facts: &Facts, check: &Check, broken: &mut Vec<Broken>) {
    let mut refuse = |field: &str, what: String| broken.push(Broken::new(format!("{path}.{field}"), what));
    match case(facts, &check.case) {
        None => refuse("case", "is not one of the cases".to_owned()),
        Some(case) if check.phase == "before" && case.seed != check.seed => {
            refuse("seed", "is not the case's seed".to_owned());
        }
        Some(_) => {}
    }
    match side(facts, &check.side) {
        None => refuse("side", "is neither baseline nor candidate".to_owned()),
        Some(side) if side.build.as_ref().is_none_or(|build| build.id != check.build) => {
            refuse("build", "is not the build of that side".to_owned());
        }
        Some(_) => {}
    }
    if !matches!(check.phase.as_str(), "before" | "timed" | "refill" | "after") {
        refuse("phase", "is unknown".to_owned());
    }
    if check.passed != check.computed_pass() {
        refuse("passed", format!("says {} but its own numbers say {}", check.passed, !check.passed));
    }
    for (position, output) in check.outputs.iter().enumerate() {
        if let Some(what) = output.contradiction() {
            refuse(&format!("outputs.{position}"), what);
        }
        let loosened = output.tolerance.mismatch_share.get() > 0.0;
        if loosened && !facts.policy.reasons.contains_key("mismatch_share") {
            refuse(
                &format!("outputs.{position}.tolerance.mismatch_share"),
                "is loosened without a reason".to_owned(),
            );
        }
    }
}

/// All checks ask the same of the same operand: names, tolerances, which inputs are restored. What follows from a profile may differ
/// between cases only as the length of their sums does.
fn check_agreement(facts: &Facts, broken: &mut Vec<Broken>) {
    let mut tolerances = BTreeMap::new();
    let mut profiles = BTreeMap::new();
    let mut reductions = BTreeMap::new();
    let mut restored = BTreeMap::new();
    for (position, check) in facts.checks.iter().enumerate() {
        let mut refuse = |field: &str, what: &str| {
            broken.push(Broken::new(format!("facts.checks.{position}.{field}"), what));
        };
        let names =
            |check: &Check| check.outputs.iter().map(|output| output.name.clone()).collect::<Vec<_>>();
        if facts.checks.first().is_some_and(|first| names(first) != names(check)) {
            refuse("outputs", "are not those of the first check");
        }
        for output in &check.outputs {
            let (name, dtype) = (&output.name, &output.dtype);
            let profile = output.profile.as_ref();
            let reduction = profile.and_then(|profile| profile.reduction);
            let asked = tolerances.entry((name, dtype, reduction)).or_insert((output.tolerance, profile));
            if *asked != (output.tolerance, profile) {
                refuse("outputs", "have another tolerance than in an earlier check");
            }
            let called = profile.map(|profile| &profile.name);
            if *profiles.entry((name, dtype)).or_insert(called) != called {
                refuse("outputs", "have another tolerance profile than in an earlier check");
            }
            if *reductions.entry((name, dtype, &check.case)).or_insert(reduction) != reduction {
                refuse("outputs", "have sums of another length than in an earlier check of the case");
            }
        }
        for input in &check.inputs {
            if *restored.entry(&input.name).or_insert(input.inout) != input.inout {
                refuse("inputs", "are restored here and not elsewhere");
            }
        }
    }
}

/// Before anything was timed, each side was checked once on every case.
fn check_coverage(facts: &Facts, launches: &[Launch], broken: &mut Vec<Broken>) {
    if launches.is_empty() {
        return;
    }
    for case in &facts.cases {
        for side in ["baseline", facts.candidate.as_str()] {
            let own =
                |check: &&Check| check.case == case.name && check.side == side && check.phase == "before";
            let count = facts.checks.iter().filter(own).count();
            if count != 1 {
                let what = format!("{side} was checked {count} times on {} before timing", case.name);
                broken.push(Broken::new("facts.checks", what));
            }
        }
    }
}

fn check_clock(facts: &Facts, broken: &mut Vec<Broken>) {
    for (position, clock) in facts.clock.iter().enumerate() {
        let mut refuse = |field: &str, what: &str| {
            broken.push(Broken::new(format!("facts.clock.{position}.{field}"), what));
        };
        if case(facts, &clock.case).is_none() {
            refuse("case", "is not one of the cases");
        }
        if side(facts, &clock.side).is_none() {
            refuse("side", "is neither baseline nor candidate");
        }
        if clock.runs == 0 {
            refuse("runs", "is zero");
        }
        if clock.allowed.get().to_bits() != facts.policy.measure.clock_agreement.to_bits() {
            refuse("allowed", "is not the policy's value");
        }
        if clock.agrees != clock.computed_agrees() {
            refuse("agrees", "does not follow from the times");
        }
    }
}

fn check_floor(facts: &Facts, broken: &mut Vec<Broken>) {
    for (position, floor) in facts.floor.iter().enumerate() {
        let mut refuse = |what: &str| broken.push(Broken::new(format!("facts.floor.{position}"), what));
        if case(facts, &floor.case).is_none_or(|case| case.origin != CaseOrigin::Declared) {
            refuse("is not about a timed case");
        }
        if floor.least_ns().is_some_and(|least| !(least.is_finite() && least >= 0.0)) {
            refuse("has peaks that give no time");
        }
    }
}

/// A win needs what would have spoken against it: the clock outside, compared on both sides, and the physical limit or why it is
/// not known, for every timed case.
pub(super) fn check_win(facts: &Facts, broken: &mut Vec<Broken>) {
    for case in facts.cases.iter().filter(|case| case.origin == CaseOrigin::Declared) {
        for side in ["baseline", facts.candidate.as_str()] {
            if !facts.clock.iter().any(|clock| clock.case == case.name && clock.side == side) {
                let what =
                    format!("does not compare {side}'s clock on case {}, which a win needs", case.name);
                broken.push(Broken::new("facts.clock", what));
            }
        }
        if !facts.floor.iter().any(|floor| floor.case == case.name) {
            let what = format!("says nothing of case {}, which a win needs", case.name);
            broken.push(Broken::new("facts.floor", what));
        }
    }
}

fn check_launches(facts: &Facts, launches: &[Launch], broken: &mut Vec<Broken>) {
    let timed: Vec<&str> = facts
        .cases
        .iter()
        .filter(|case| case.origin == CaseOrigin::Declared)
        .map(|case| case.name.as_str())
        .collect();
    for (position, launch) in launches.iter().enumerate() {
        let mut refuse = |what: &str| broken.push(Broken::new(format!("samples.launches.{position}"), what));
        if launch.index as usize != position {
            refuse("is out of order");
        }
        if launch.tick_ns < 1 {
            refuse("has a clock without ticks");
        }
        if !launch.series.iter().map(|series| series.case.as_str()).eq(timed.iter().copied()) {
            refuse("does not time exactly the declared cases in their order");
        }
        if !launch.series.iter().all(crate::Series::is_whole) {
            refuse("has columns of unequal length, empty samples or misplaced drops");
        }
        let first = launches.first().map(|first| first.series.iter().map(|series| series.runs));
        if first.is_some_and(|runs| !runs.eq(launch.series.iter().map(|series| series.runs))) {
            refuse("takes other numbers of runs a sample than the first launch");
        }
    }
}

/// Every dropped block has a disturbance that says why, and every dropping disturbance has its block.
fn check_disturbances(facts: &Facts, launches: &[Launch], broken: &mut Vec<Broken>) {
    let mut explained = 0_usize;
    let mut seen = std::collections::BTreeSet::new();
    for (position, disturbance) in facts.disturbances.iter().enumerate() {
        let mut refuse =
            |what: &str| broken.push(Broken::new(format!("facts.disturbances.{position}"), what));
        let Some(launch) = launches.get(disturbance.launch as usize) else {
            refuse("names no launch");
            continue;
        };
        let series =
            disturbance.case.as_ref().map(|name| launch.series.iter().find(|series| &series.case == name));
        match (series, disturbance.block) {
            (Some(None), _) => refuse("names no timed case"),
            (None, Some(_)) => refuse("names a block without a case"),
            (Some(Some(series)), Some(block)) => {
                if block as usize >= series.order.len() {
                    refuse("names no block");
                } else if disturbance.dropped != series.is_dropped(block) {
                    refuse("disagrees with the samples about the drop");
                } else if disturbance.dropped && seen.insert((disturbance.launch, &series.case, block)) {
                    explained += 1;
                }
            }
            (None | Some(Some(_)), None) if disturbance.dropped => refuse("drops more than a block"),
            (None | Some(Some(_)), None) => {}
        }
    }
    let dropped: usize =
        launches.iter().flat_map(|launch| &launch.series).map(|series| series.dropped.len()).sum();
    if dropped != explained {
        broken.push(Broken::new(
            "samples",
            format!("{dropped} blocks are dropped, {explained} drops are explained"),
        ));
    }
}
