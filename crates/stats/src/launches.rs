//! From integer times to one number a launch: the median log ratio of its blocks.
//!
//! Invariant: a logarithm is taken of the correctly rounded quotient of two positive integers with a portable `log`, so equal times
//! give exactly zero and the same bits everywhere. Disturbed blocks are left out here and nowhere else.

use crate::policy::JudgePolicy;
use crate::samples::{Block, CaseSamples};
use crate::verdict::Why;

/// Log ratios of a launch's undisturbed blocks.
#[derive(Clone, Debug)]
pub(crate) struct LaunchRatios {
    /// ln(A ÷ B).
    pub(crate) speedup: Vec<f64>,
    /// ln(A ÷ A′).
    pub(crate) noise: Vec<f64>,
}

/// A case's launches up to a look.
#[derive(Clone, Debug)]
pub(crate) struct CaseTable {
    /// One entry a launch; `None` where more than half of its blocks were disturbed.
    pub(crate) launches: Vec<Option<LaunchRatios>>,
    pub(crate) blocks: u32,
    pub(crate) dropped: u32,
    pub(crate) baseline_ns: Option<i64>,
    pub(crate) candidate_ns: Option<i64>,
    /// What a rounding of both times to whole ticks can do to a log ratio.
    pub(crate) resolution: f64,
    /// Why these samples cannot carry a verdict, however clear they look.
    pub(crate) obstacle: Option<Why>,
}

/// Reads the first `upto` launches of a case.
pub(crate) fn tabulate(case: &CaseSamples, upto: usize, policy: &JudgePolicy) -> CaseTable {
    let seen: Vec<&Vec<Block>> = case.launches.iter().take(upto).collect();
    let mut kept: Vec<Block> = Vec::new();
    let mut launches = Vec::with_capacity(seen.len());
    for blocks in &seen {
        let usable: Vec<Block> = blocks.iter().filter(|block| !block.disturbed).copied().collect();
        let enough = !usable.is_empty() && usable.len() * 2 >= blocks.len();
        if enough {
            kept.extend(&usable);
        }
        launches.push(enough.then(|| ratios(&usable)));
    }
    let blocks = seen.iter().map(|blocks| blocks.len()).sum::<usize>() as u32;
    let dropped = blocks - kept.len() as u32;
    let shortest = |side: fn(&Block) -> i64| kept.iter().map(side).min();
    let tick = case.tick_ns as f64;
    let part = |shortest: Option<i64>| shortest.map_or(0.0, |ns| tick / ns as f64);
    let resolution =
        if case.tick_ns > 1 { part(shortest(|b| b.a_ns)) + part(shortest(|b| b.b_ns)) } else { 0.0 };
    CaseTable {
        obstacle: obstacle(case, &seen, &kept, dropped, policy),
        baseline_ns: lower_median(kept.iter().map(|b| b.a_ns).collect()),
        candidate_ns: lower_median(kept.iter().map(|b| b.b_ns).collect()),
        launches,
        blocks,
        dropped,
        resolution,
    }
}

fn obstacle(
    case: &CaseSamples,
    seen: &[&Vec<Block>],
    kept: &[Block],
    dropped: u32,
    policy: &JudgePolicy,
) -> Option<Why> {
    let name = || case.case.clone();
    let short = seen.iter().position(|blocks| (blocks.len() as u64) < u64::from(policy.min_blocks));
    if let Some(launch) = short {
        let have = seen.get(launch).map_or(0, |blocks| blocks.len()) as u32;
        return Some(Why::TooFewBlocks {
            case: name(),
            launch: launch as u32,
            have,
            need: policy.min_blocks,
        });
    }
    let need_ns = case.tick_ns.saturating_mul(i64::from(policy.min_ticks));
    let shortest_ns = kept.iter().map(|b| b.a_ns.min(b.a2_ns).min(b.b_ns)).min();
    if let Some(shortest_ns) = shortest_ns.filter(|ns| *ns < need_ns) {
        return Some(Why::BelowClock { case: name(), shortest_ns, need_ns });
    }
    let of = dropped + kept.len() as u32;
    let over = f64::from(dropped) > policy.max_disturbed * f64::from(of);
    over.then(|| Why::Disturbed { case: name(), dropped, of })
}

fn ratios(blocks: &[Block]) -> LaunchRatios {
    LaunchRatios {
        speedup: blocks.iter().map(|b| log_ratio(b.a_ns, b.b_ns)).collect(),
        noise: blocks.iter().map(|b| log_ratio(b.a_ns, b.a2_ns)).collect(),
    }
}

fn log_ratio(numerator: i64, denominator: i64) -> f64 {
    libm::log(numerator as f64 / denominator as f64)
}

/// The median; the mean of the two middle values where their number is even, 0 where there is none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let at = |i: usize| values.get(i).copied().unwrap_or(0.0);
    if values.len() % 2 == 1 || values.is_empty() { at(middle) } else { 0.5 * (at(middle - 1) + at(middle)) }
}

/// The median as one of the measured times; the lower of the two middle ones where their number is even.
fn lower_median(mut times: Vec<i64>) -> Option<i64> {
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied()
}
