//! What the inputs of a slot hold: recipes that a runner follows and kforge can follow too.
//!
//! A recipe is either arithmetic over Philox words, stated in docs/runner-protocol.md and identical in Rust, C++ and Python, or a file
//! of raw bytes that kforge wrote. Invariant: [`Recipe::bytes`] gives exactly the bytes that a runner must hold, so a runner that
//! was given the wrong data, or prepared other data, is found by its hash.

use crate::dtype::Dtype;
use crate::philox::philox;
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;

/// How a word becomes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Evenly spaced values strictly inside `low..high`, 2^20 of them.
    Uniform {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The sum of four uniform bytes, scaled: bell-shaped, 1,021 values, within 3.45 standard deviations.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std: f64,
    },
    /// Whole numbers from `low` up to, and not including, `high`.
    Integer {
        /// Smallest value.
        low: i64,
        /// One more than the largest value; at most 2^32 above `low`.
        high: i64,
    },
}

/// How the contents of one input are made, for every slot.
#[derive(Clone, Debug, PartialEq)]
pub enum Recipe {
    /// Generated from a seed.
    Philox {
        /// The seed.
        seed: u64,
        /// The input's number: inputs of one case never share words.
        stream: u32,
        /// How words become values.
        distribution: Distribution,
    },
    /// One value everywhere.
    Constant(f64),
    /// Raw little-endian bytes, one file a slot, used in turn.
    Files(Vec<RawFile>),
    /// Zeros; the operation does not read it.
    Nothing,
}

/// A file of raw bytes that kforge wrote for a runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFile {
    /// The path on this side of a prefix.
    pub path: PathBuf,
    /// The path as the runner sees it.
    pub inside: String,
}

/// A recipe as it travels in `prepare` and `refill`. Numbers that need all their bits travel as hexadecimal text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fill {
    /// See [`Recipe::Philox`].
    Philox {
        /// 64 bits.
        seed: String,
        /// The input's number.
        stream: u32,
        /// `uniform`, `normal` or `integer`.
        distribution: &'static str,
        /// The centre of the values, binary64 bits.
        centre_bits: String,
        /// The value of one step, binary64 bits.
        scale_bits: String,
        /// Smallest integer, 64 bits.
        low: String,
        /// Number of integers.
        span: String,
        /// Bits of a word that a uniform value uses.
        grid: u32,
    },
    /// See [`Recipe::Constant`].
    Constant {
        /// binary64 bits.
        value_bits: String,
    },
    /// See [`Recipe::Files`].
    File {
        /// One path a slot.
        paths: Vec<String>,
    },
    /// See [`Recipe::Nothing`].
    None,
}

/// Bits of a word that a uniform value uses: a grid that binary32 holds exactly around a centre of 0.
const GRID: u32 = 20;
/// Elements that are generated in one go.
const PIECE: usize = 1 << 16;
/// Standard deviation of `2 × (sum of four bytes) − 1020`: twice the root of 4 × (256² − 1) / 12.
const BYTES_DEVIATION: f64 = 295.601_082_541_996_1;

/// The arithmetic of a distribution: value = centre + steps × scale, or low + (word × span >> 32).
struct Arithmetic {
    word: &'static str,
    centre: f64,
    scale: f64,
    low: i64,
    span: u64,
}

impl Distribution {
    fn arithmetic(self) -> Arithmetic {
        match self {
            Self::Uniform { low, high } => Arithmetic {
                word: "uniform",
                centre: low / 2.0 + high / 2.0,
                scale: (high / 2.0 - low / 2.0) / f64::from(1_u32 << GRID),
                low: 0,
                span: 0,
            },
            Self::Normal { mean, std } => {
                Arithmetic { word: "normal", centre: mean, scale: std / BYTES_DEVIATION, low: 0, span: 0 }
            }
            Self::Integer { low, high } => {
                Arithmetic { word: "integer", centre: 0.0, scale: 0.0, low, span: high.abs_diff(low) }
            }
        }
    }
}

impl Arithmetic {
    fn value(&self, word: u32) -> f64 {
        if self.word == "integer" {
            return (self.low + ((u64::from(word) * self.span) >> 32) as i64) as f64;
        }
        let steps = if self.word == "uniform" {
            2 * i64::from(word >> (32 - GRID)) + 1 - (1 << GRID)
        } else {
            2 * word.to_le_bytes().into_iter().map(i64::from).sum::<i64>() - 1020
        };
        let product = steps as f64 * self.scale;
        if self.centre == 0.0 { product } else { self.centre + product }
    }
}

impl Recipe {
    /// The recipe as a message.
    pub fn message(&self) -> Fill {
        match self {
            Self::Philox { seed, stream, distribution } => {
                let arithmetic = distribution.arithmetic();
                Fill::Philox {
                    seed: format!("{seed:x}"),
                    stream: *stream,
                    distribution: arithmetic.word,
                    centre_bits: format!("{:x}", arithmetic.centre.to_bits()),
                    scale_bits: format!("{:x}", arithmetic.scale.to_bits()),
                    low: format!("{:x}", arithmetic.low as u64),
                    span: format!("{:x}", arithmetic.span),
                    grid: GRID,
                }
            }
            Self::Constant(value) => Fill::Constant { value_bits: format!("{:x}", value.to_bits()) },
            Self::Files(files) => {
                Fill::File { paths: files.iter().map(|file| file.inside.clone()).collect() }
            }
            Self::Nothing => Fill::None,
        }
    }

    /// The bytes that a runner holds for this input in this slot.
    ///
    /// # Errors
    /// Where a raw file cannot be read or is short.
    pub fn bytes(&self, dtype: Dtype, count: usize, slot: u32) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Nothing => Ok(vec![0; dtype.bytes(count)]),
            Self::Constant(value) => Ok(dtype.pack(std::iter::repeat_n(dtype.round(*value), count))),
            Self::Files(files) => {
                let file =
                    files.get(slot as usize % files.len().max(1)).ok_or(std::io::ErrorKind::NotFound)?;
                let bytes = std::fs::read(&file.path)?;
                if bytes.len() == dtype.bytes(count) {
                    Ok(bytes)
                } else {
                    Err(std::io::ErrorKind::UnexpectedEof.into())
                }
            }
            Self::Philox { seed, stream, distribution } => {
                let arithmetic = distribution.arithmetic();
                let key = [*seed as u32, (*seed >> 32) as u32];
                // A whole number of Philox blocks and of bytes.
                let mut bytes = vec![0; dtype.bytes(count)];
                bytes.par_chunks_mut(dtype.bytes(PIECE)).enumerate().for_each(|(number, piece)| {
                    let first = number * PIECE;
                    let here = PIECE.min(count - first);
                    let words = (0..here.div_ceil(4) as u64).flat_map(|block| {
                        let group = (first / 4) as u64 + block;
                        philox([group as u32, (group >> 32) as u32, *stream, slot], key)
                    });
                    let patterns = words.take(here).map(|word| dtype.round(arithmetic.value(word)));
                    piece.copy_from_slice(&dtype.pack(patterns));
                });
                Ok(bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(distribution: Distribution) -> Vec<f64> {
        let recipe = Recipe::Philox { seed: 99, stream: 2, distribution };
        let bytes = recipe.bytes(Dtype::F64, 20_000, 1).unwrap();
        Dtype::F64.patterns(&bytes).map(f64::from_bits).collect()
    }

    #[test]
    fn uniform_values_fill_their_range_and_are_never_zero_around_zero() {
        let seen = values(Distribution::Uniform { low: -2.0, high: 2.0 });
        assert!(seen.iter().all(|v| *v != 0.0 && v.abs() < 2.0));
        let mean = seen.iter().sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.04, "{mean}");
    }

    #[test]
    fn normal_values_have_the_asked_mean_and_deviation() {
        let seen = values(Distribution::Normal { mean: 3.0, std: 0.5 });
        let mean = seen.iter().sum::<f64>() / 20_000.0;
        let variance = seen.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 3.0).abs() < 0.02 && (variance.sqrt() - 0.5).abs() < 0.01, "{mean} {variance}");
    }

    #[test]
    fn integers_stay_inside_their_range_and_reach_both_ends() {
        let seen = values(Distribution::Integer { low: -3, high: 4 });
        assert!(seen.iter().all(|v| (-3.0..4.0).contains(v)));
        assert!(seen.contains(&-3.0) && seen.contains(&3.0));
    }

    #[test]
    fn slots_streams_and_seeds_differ() {
        let make = |seed, stream, slot| {
            let distribution = Distribution::Uniform { low: 0.0, high: 1.0 };
            Recipe::Philox { seed, stream, distribution }.bytes(Dtype::F32, 5, slot).unwrap()
        };
        let all = [make(1, 0, 0), make(2, 0, 0), make(1, 1, 0), make(1, 0, 1)];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
        assert_eq!(make(1, 0, 0).len(), 20);
    }
}
