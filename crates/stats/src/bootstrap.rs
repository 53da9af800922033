//! The hierarchical bootstrap: launches are drawn with replacement, and inside each the blocks; a cross-check of the t interval.
//!
//! Davison & Hinkley, "Bootstrap Methods and their Application" (1997), §3.8, for nested data; percentile interval. Its draws come
//! from ChaCha8 with a seed made of the samples themselves, so nobody chooses it and every repetition gives the same interval.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::interval::LogInterval;
use crate::launches::median;
use crate::samples::OpSamples;

/// One launch of the operation: the log ratios of each case's blocks beside the case's share of the weight.
pub(crate) type LaunchBlocks<'a> = Vec<(f64, &'a [f64])>;

/// The percentile interval of the mean over launches with `level` outside at each end.
pub(crate) fn interval(
    launches: &[LaunchBlocks<'_>],
    level: f64,
    resamples: u32,
    seed: [u8; 32],
) -> LogInterval {
    let mut random = ChaCha8Rng::from_seed(seed);
    let mut means: Vec<f64> = (0..resamples).map(|_| resampled_mean(launches, &mut random)).collect();
    let mid = median(&mut means);
    // `median` left the means sorted. The outer neighbours are taken: the interval is never narrower than asked.
    let skipped = libm::floor(level * f64::from(resamples)) as usize;
    let skipped = skipped.min(means.len().saturating_sub(1)).saturating_sub(1);
    let at = |i: usize| means.get(i).copied().unwrap_or(mid);
    LogInterval { low: at(skipped), mid, high: at(means.len().saturating_sub(1 + skipped)) }
}

fn resampled_mean(launches: &[LaunchBlocks<'_>], random: &mut ChaCha8Rng) -> f64 {
    let mut sum = 0.0;
    let mut drawn = Vec::new();
    for _ in launches {
        let Some(launch) = launches.get(below(launches.len(), random)) else { continue };
        for (share, ratios) in launch {
            drawn.clear();
            drawn.extend(ratios.iter().filter_map(|_| ratios.get(below(ratios.len(), random))));
            sum += share * median(&mut drawn);
        }
    }
    sum / launches.len().max(1) as f64
}

/// A whole number below `bound`; the bias of the multiplication is below 2^-20 for any number of launches or blocks in use.
fn below(bound: usize, random: &mut ChaCha8Rng) -> usize {
    ((u64::from(random.next_u32()) * bound as u64) >> 32) as usize
}

/// A seed from the first `upto` launches of the samples; `purpose` keeps the draws of different cases apart.
pub(crate) fn seed(samples: &OpSamples, upto: usize, purpose: &str) -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    hash.update(b"kernel-forge judge bootstrap 1\n");
    hash.update(purpose.as_bytes());
    for case in &samples.cases {
        hash.update(&(case.case.len() as u64).to_le_bytes());
        hash.update(case.case.as_bytes());
        hash.update(&case.weight.to_bits().to_le_bytes());
        hash.update(&case.tick_ns.to_le_bytes());
        for blocks in case.launches.iter().take(upto) {
            hash.update(&(blocks.len() as u64).to_le_bytes());
            for block in blocks {
                for ns in [block.a_ns, block.a2_ns, block.b_ns] {
                    hash.update(&ns.to_le_bytes());
                }
                hash.update(&[u8::from(block.disturbed)]);
            }
        }
    }
    *hash.finalize().as_bytes()
}
