//! Times of a baseline and a candidate whose true ratio is known, with the faults of real machines.
//!
//! Every fault acts on the logarithm of a time, so that the true speedup stays exact in the median. Invariant: the same machine and
//! seed give the same samples on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::samples::{Block, CaseSamples};

/// A simulated machine; `Default` is a quiet one. Standard deviations are of the log time (0.01 = 1 %).
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// A baseline sample, nanoseconds.
    pub base_ns: f64,
    /// True speedup of the candidate over the baseline.
    pub speedup: f64,
    /// True speedup of A′ over A: 1 on a sound machine.
    pub second_baseline: f64,
    /// Noise of a single sample.
    pub sample_sd: f64,
    /// Offset of a process, drawn anew for each side in each launch (memory placement, code alignment).
    pub process_sd: f64,
    /// Offset of a launch, the same for all its sides (clocks, temperature).
    pub launch_sd: f64,
    /// Correlation of the noise of one sample with the next, 0 to 1.
    pub autocorrelation: f64,
    /// Relative growth of the times over a launch.
    pub drift: f64,
    /// Chance that a sample is taken in the slow clock state.
    pub slow_chance: f64,
    /// Log factor of the slow clock state.
    pub slow_log: f64,
    /// Chance of an outlier, always slower.
    pub outlier_chance: f64,
    /// Log size of an outlier.
    pub outlier_log: f64,
    /// Clock tick, nanoseconds.
    pub tick_ns: i64,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            base_ns: 1e6,
            speedup: 1.0,
            second_baseline: 1.0,
            sample_sd: 0.005,
            process_sd: 0.0,
            launch_sd: 0.0,
            autocorrelation: 0.0,
            drift: 0.0,
            slow_chance: 0.0,
            slow_log: 0.0,
            outlier_chance: 0.0,
            outlier_log: 0.0,
            tick_ns: 1,
        }
    }
}

impl Machine {
    /// A case with this many launches of this many blocks; the order inside each block is random.
    pub fn case(&self, name: &str, launches: usize, blocks: usize, seed: u64) -> CaseSamples {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let made = (0..launches).map(|_| self.launch(blocks, &mut random)).collect();
        CaseSamples::new(name, 1.0, self.tick_ns.max(1), made)
    }

    fn launch(&self, blocks: usize, random: &mut ChaCha8Rng) -> Vec<Block> {
        let common = self.launch_sd * normal(random);
        let mut offset = || self.process_sd * normal(random);
        let sides =
            [offset(), offset() - libm::log(self.second_baseline), offset() - libm::log(self.speedup)];
        let steps = (blocks * 3).max(1) as f64;
        let mut noise = normal(random);
        let mut step = 0.0;
        let mut made = Vec::with_capacity(blocks);
        for _ in 0..blocks {
            let mut times = [1_i64; 3];
            for side in order(random) {
                let fresh = libm::sqrt(1.0 - self.autocorrelation * self.autocorrelation);
                noise = self.autocorrelation * noise + fresh * normal(random);
                let slow = if uniform(random) < self.slow_chance { self.slow_log } else { 0.0 };
                let outlier = if uniform(random) < self.outlier_chance {
                    self.outlier_log * uniform(random)
                } else {
                    0.0
                };
                let log = common + self.sample_sd * noise + self.drift * step / steps + slow + outlier;
                if let (Some(time), Some(own)) = (times.get_mut(side), sides.get(side)) {
                    *time = self.read(self.base_ns * libm::exp(log + own), uniform(random));
                }
                step += 1.0;
            }
            made.push(Block::new(times[0], times[1], times[2]));
        }
        made
    }

    /// The difference of two readings of a clock that counts whole ticks, started at a random phase.
    fn read(&self, ns: f64, phase: f64) -> i64 {
        let tick = self.tick_ns.max(1);
        let ticks = libm::floor(ns / tick as f64 + phase) as i64;
        ticks.max(1).saturating_mul(tick)
    }
}

/// A random order of the three sides.
fn order(random: &mut ChaCha8Rng) -> [usize; 3] {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let drawn = (u64::from(random.next_u32()) * ORDERS.len() as u64) >> 32;
    ORDERS.get(drawn as usize).copied().unwrap_or([0, 1, 2])
}

/// Uniform in (0, 1).
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0
}

/// Standard normal, by the method of Box & Muller (1958).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(uniform(random)));
    radius * libm::cos(std::f64::consts::TAU * uniform(random))
}
