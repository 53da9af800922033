//! From a case and a seed to the operands that a runner is told to hold.
//!
//! Invariant: reference, baseline and candidate get the same input bytes for the same case, seed and slot; only the reference's floating-point
//! outputs are of higher precision.

use crate::dtype::Dtype;
use crate::error::Error;
use crate::expression::{Expression, Params};
use crate::fill::{RawFile, Recipe};
use crate::philox::Stream;
use crate::runner::{Operand, Role};
use crate::safetensors;
use crate::spec::{CaseSpec, Experiment, InputKind, InputSpec, extents};

/// Makes files that runners can read.
pub trait InputSource {
    /// Writes raw bytes where a runner can read them.
    fn file(&self, bytes: &[u8]) -> Result<RawFile, Error>;
    /// Runs a trusted generator that writes exactly `length` raw bytes.
    fn generated(&self, command: &str, seed: u64, params: &Params, length: usize) -> Result<RawFile, Error>;
}

/// Most blocks and experts that numbers are drawn from: all of them are shuffled.
const MOST_NUMBERS: usize = 1 << 24;

/// For whom operands are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The reference: floating-point outputs in binary64, in-place operands apart.
    Reference,
    /// Baseline or candidate: exactly what the experiment declares.
    Contestant,
}

/// Makes the operands of cases.
pub struct Operands<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Where files come from.
    pub source: &'a dyn InputSource,
}

impl Operands<'_> {
    /// The operands of a case under a seed, inputs first.
    ///
    /// # Errors
    /// Where an expression has no value, or a file cannot be read or written.
    pub fn of(
        &self,
        case: &CaseSpec,
        seed: u64,
        slots: u32,
        audience: Audience,
    ) -> Result<Vec<Operand>, Error> {
        let mut operands = Vec::new();
        for (number, input) in self.experiment.inputs.iter().enumerate() {
            let dtype = self.experiment.dtype(case, &input.name, input.dtype);
            let shape = shape(&input.shape, &case.params)?;
            let count = shape.iter().product::<u64>() as usize;
            let recipe = self.recipe(input, number as u32, case, seed, slots, dtype, &shape, count)?;
            let in_place = input.inout && audience == Audience::Contestant;
            let role = if in_place { Role::InOut } else { Role::Input };
            operands.push(Operand { name: input.name.clone(), role, dtype, shape, recipe });
        }
        for output in &self.experiment.outputs {
            if audience == Audience::Contestant
                && operands.iter().any(|o| o.name == output.name && o.role == Role::InOut)
            {
                continue;
            }
            let declared = self.experiment.dtype(case, &output.name, output.dtype);
            let dtype =
                if audience == Audience::Reference && declared.is_float() { Dtype::F64 } else { declared };
            let shape = shape(&output.shape, &case.params)?;
            operands.push(Operand {
                name: output.name.clone(),
                role: Role::Output,
                dtype,
                shape,
                recipe: Recipe::Nothing,
            });
        }
        Ok(operands)
    }

    #[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
    fn recipe(
        &self,
        input: &InputSpec,
        number: u32,
        case: &CaseSpec,
        seed: u64,
        slots: u32,
        dtype: Dtype,
        shape: &[u64],
        count: usize,
    ) -> Result<Recipe, Error> {
        let each_slot = |make: &dyn Fn(&mut Stream) -> Result<Vec<i64>, Error>| -> Result<Recipe, Error> {
            let mut files = Vec::new();
            for slot in 0..slots {
                let mut stream = Stream::new(seed ^ u64::from(slot) << 40, number.wrapping_add(1 << 16));
                files.push(self.source.file(&raw(dtype, &make(&mut stream)?))?);
            }
            Ok(Recipe::Files(files))
        };
        let value = |expression: &Expression| {
            expression.value(&case.params).map_err(|error| self.unusable(input, &error.to_string()))
        };
        let row = shape.last().copied().unwrap_or(1) as usize;
        let rows = count.checked_div(row).unwrap_or(0);
        match &input.kind {
            InputKind::Random(distribution) => {
                Ok(Recipe::Philox { seed, stream: number, distribution: *distribution })
            }
            InputKind::Constant(value) => Ok(Recipe::Constant(*value)),
            InputKind::Nothing => Ok(Recipe::Nothing),
            InputKind::Permutation => each_slot(&|stream| Ok(permutations(rows, row, stream))),
            InputKind::Offsets { total } => {
                let total = value(total)?;
                each_slot(&|stream| Ok((0..rows).flat_map(|_| offsets(row, total, stream)).collect()))
            }
            InputKind::BlockTable { blocks } => {
                let blocks = usize::try_from(value(blocks)?).unwrap_or(0);
                if blocks == 0 {
                    return Err(self.unusable(input, "there are no blocks"));
                }
                if blocks > MOST_NUMBERS {
                    return Err(
                        self.unusable(input, &format!("more than {MOST_NUMBERS} blocks are not drawn from"))
                    );
                }
                each_slot(&|stream| Ok(block_table(count, blocks, stream)))
            }
            InputKind::TopkIds { experts, skew } => {
                let experts = usize::try_from(value(experts)?).unwrap_or(0);
                if experts > MOST_NUMBERS {
                    return Err(
                        self.unusable(input, &format!("more than {MOST_NUMBERS} experts are not drawn from"))
                    );
                }
                if experts < row {
                    return Err(self
                        .unusable(input, &format!("{row} distinct experts of {experts} cannot be chosen")));
                }
                each_slot(&|stream| {
                    Ok((0..rows).flat_map(|_| experts_of(row, experts, *skew, stream)).collect())
                })
            }
            InputKind::File { path, tensor } => {
                let folder = self.experiment.path.parent().unwrap_or_else(|| std::path::Path::new("."));
                let bytes = safetensors::tensor(&folder.join(path), tensor, dtype, shape)?;
                Ok(Recipe::Files(vec![self.source.file(&bytes)?]))
            }
            InputKind::Command(command) => {
                let files = (0..slots)
                    .map(|slot| {
                        self.source.generated(
                            command,
                            seed ^ u64::from(slot) << 40,
                            &case.params,
                            dtype.bytes(count),
                        )
                    })
                    .collect::<Result<_, _>>()?;
                Ok(Recipe::Files(files))
            }
        }
    }

    fn unusable(&self, input: &InputSpec, message: &str) -> Error {
        Error::Spec {
            path: self.experiment.path.clone(),
            line: 1,
            message: format!("input `{}`: {message}", input.name),
            cure: None,
        }
    }
}

fn shape(shape: &[Expression], params: &Params) -> Result<Vec<u64>, Error> {
    extents(shape, params).map_err(|error| Error::Bug(format!("a checked shape has no value: {error}")))
}

fn raw(dtype: Dtype, values: &[i64]) -> Vec<u8> {
    dtype.pack(values.iter().map(|value| *value as u64))
}

fn permutations(rows: usize, row: usize, stream: &mut Stream) -> Vec<i64> {
    let mut all = Vec::with_capacity(rows * row);
    for _ in 0..rows {
        let mut items: Vec<i64> = (0..row as i64).collect();
        stream.shuffle(&mut items);
        all.extend(items);
    }
    all
}

/// A rising row from 0 to `total`.
fn offsets(row: usize, total: i64, stream: &mut Stream) -> Vec<i64> {
    let mut inner: Vec<i64> =
        (0..row.saturating_sub(2)).map(|_| stream.below(total.max(0).unsigned_abs() + 1) as i64).collect();
    inner.sort_unstable();
    let mut all = vec![0];
    all.extend(inner);
    all.push(total);
    all.truncate(row);
    all
}

/// Block numbers: a permutation, repeated where there are fewer blocks than entries.
fn block_table(count: usize, blocks: usize, stream: &mut Stream) -> Vec<i64> {
    let mut table = Vec::with_capacity(count);
    while table.len() < count {
        table.extend(permutations(1, blocks, stream));
    }
    table.truncate(count);
    table
}

/// `k` distinct experts, drawn one after another by weight.
fn experts_of(k: usize, experts: usize, skew: f64, stream: &mut Stream) -> Vec<i64> {
    let mut weights: Vec<f64> = (0..experts).map(|expert| (expert as f64 + 1.0).powf(-skew)).collect();
    let mut chosen = Vec::with_capacity(k);
    for _ in 0..k {
        let total: f64 = weights.iter().sum();
        let mut left = f64::from(stream.word()) / f64::from(u32::MAX) * total;
        let open = |expert: &usize| !chosen.contains(&(*expert as i64));
        let pick = (0..experts).filter(open).find(|expert| {
            left -= weights[*expert];
            left <= 0.0
        });
        // Rounding may leave a remainder; the last open expert then takes it.
        let Some(pick) = pick.or_else(|| (0..experts).rev().find(open)) else { break };
        weights[pick] = 0.0;
        chosen.push(pick as i64);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_rise_from_zero_to_the_total() {
        let row = offsets(9, 1000, &mut Stream::new(1, 0));
        assert_eq!((row.len(), row[0], row[8]), (9, 0, 1000));
        assert!(row.windows(2).all(|pair| pair[0] <= pair[1]));
    }

    #[test]
    fn a_block_table_repeats_no_block_while_they_last() {
        let table = block_table(10, 16, &mut Stream::new(1, 0));
        let distinct: std::collections::BTreeSet<i64> = table.iter().copied().collect();
        assert_eq!((table.len(), distinct.len()), (10, 10));
        assert!(table.iter().all(|block| (0..16).contains(block)));
        assert_eq!(block_table(40, 16, &mut Stream::new(1, 0)).len(), 40);
    }

    #[test]
    fn experts_are_distinct_and_skew_favours_the_first() {
        let mut stream = Stream::new(5, 0);
        let mut first = 0;
        for _ in 0..200 {
            let row = experts_of(4, 32, 1.0, &mut stream);
            let distinct: std::collections::BTreeSet<i64> = row.iter().copied().collect();
            assert_eq!(distinct.len(), 4);
            first += i32::from(row.contains(&0));
        }
        assert!(first > 100, "{first} of 200 rows hold expert 0");
    }
}
