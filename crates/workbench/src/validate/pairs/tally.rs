//! The numbers of all blocks, as the judge takes them.
//!
//! The judge compares integers of one scale. Every reading is divided by the first one and counted in 10⁻¹² of it; where more is
//! better, the quotient is turned around, so that less is better for the judge in either case. One printed digit is the judge's tick:
//! two numbers that printing cannot tell apart are not told apart here.

use super::metric::Reading;
use kforge_stats::{Block, CaseSamples, OpSamples};

/// The first reading, in parts.
const ONE: f64 = 1e12;
/// Readings further apart than this are not two answers to one question.
const WIDEST: f64 = 1e6;

/// What was read so far.
pub(super) struct Tally {
    higher_is_better: bool,
    first: Option<Reading>,
    tick: i64,
    blocks: Vec<Block>,
}

impl Tally {
    pub(super) const fn new(higher_is_better: bool) -> Self {
        Self { higher_is_better, first: None, tick: 1, blocks: Vec::new() }
    }

    /// Whether the numbers are times; absent before the first one.
    pub(super) fn is_time(&self) -> Option<bool> {
        self.first.as_ref().map(|reading| reading.is_time)
    }

    /// A reading on the judge's scale.
    ///
    /// # Errors
    /// A clause, where it cannot be compared with the first one.
    pub(super) fn scaled(&mut self, reading: &Reading) -> Result<i64, String> {
        let first = self.first.get_or_insert_with(|| reading.clone());
        if first.is_time != reading.is_time {
            return Err(format!("printed {} after {}: one has a unit of time", reading.text, first.text));
        }
        let ratio =
            if self.higher_is_better { first.value / reading.value } else { reading.value / first.value };
        if !(1.0 / WIDEST..=WIDEST).contains(&ratio) {
            return Err(format!("printed {} after {}: a million times apart", reading.text, first.text));
        }
        let step = ONE * ratio * (reading.step / reading.value);
        self.tick = self.tick.max(step.min(ONE * WIDEST).round() as i64);
        Ok((ONE * ratio).round() as i64)
    }

    /// What one printed digit is worth at most, as a share of the smallest number; absent before the first block.
    pub(super) fn coarseness(&self) -> Option<f64> {
        let smallest = self.blocks.iter().map(|block| block.a_ns.min(block.a2_ns).min(block.b_ns)).min()?;
        Some(self.tick as f64 / smallest as f64)
    }

    pub(super) fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// All blocks, so many to a launch.
    pub(super) fn samples(&self, to_a_launch: usize) -> OpSamples {
        let launches = self.blocks.chunks(to_a_launch.max(1)).map(<[Block]>::to_vec).collect();
        OpSamples::of_one_case(CaseSamples::new("pair", 1.0, self.tick, launches))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(value: f64, step: f64) -> Reading {
        Reading { text: value.to_string(), value, step, is_time: true }
    }

    #[test]
    fn times_keep_their_ratio_and_rates_are_turned_around() {
        let mut times = Tally::new(false);
        assert_eq!(times.scaled(&reading(200.0, 0.1)), Ok(1_000_000_000_000));
        assert_eq!(times.scaled(&reading(100.0, 0.1)), Ok(500_000_000_000));
        assert_eq!(times.tick, 500_000_000);
        let mut rates = Tally::new(true);
        assert_eq!(rates.scaled(&reading(200.0, 0.1)), Ok(1_000_000_000_000));
        assert_eq!(rates.scaled(&reading(400.0, 0.1)), Ok(500_000_000_000));
    }

    #[test]
    fn what_has_no_unit_is_not_compared_with_what_has_one_nor_anything_with_what_is_a_million_times_as_much()
    {
        let mut tally = Tally::new(false);
        tally.scaled(&reading(1.0, 0.1)).unwrap();
        assert!(tally.scaled(&Reading { is_time: false, ..reading(1.0, 0.1) }).is_err());
        assert!(tally.scaled(&reading(2e6, 0.1)).is_err());
    }
}
