//! Raw samples: every one an integer, in the order in which it was taken, so that anyone can judge again.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::Error;

/// The order in which one block ran: `a` baseline, `p` the second process of the baseline (A′), `b` candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockOrder {
    /// Baseline, A′, candidate.
    Apb,
    /// Baseline, candidate, A′.
    Abp,
    /// A′, baseline, candidate.
    Pab,
    /// A′, candidate, baseline.
    Pba,
    /// Candidate, baseline, A′.
    Bap,
    /// Candidate, A′, baseline.
    Bpa,
}

/// The blocks of one case in one launch, in columns of equal length: block `i` is the `i`th entry of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The case's name.
    pub case: String,
    /// Kernel runs in one sample: a sample is the time of this many runs together.
    pub runs: u32,
    /// The order inside each block.
    pub order: Vec<BlockOrder>,
    /// Baseline, ns a sample.
    pub a: Vec<u64>,
    /// Second process of the baseline, ns a sample.
    pub a_prime: Vec<u64>,
    /// Candidate, ns a sample.
    pub b: Vec<u64>,
    /// Blocks (by position) left out of the judgement; a disturbance names each cause.
    pub dropped: Vec<u32>,
}

impl Series {
    /// Whether all columns have the length of `order`, no sample is 0, and dropped positions ascend inside.
    pub fn is_whole(&self) -> bool {
        let blocks = self.order.len();
        [&self.a, &self.a_prime, &self.b].iter().all(|column| column.len() == blocks && !column.contains(&0))
            && self.runs > 0
            && self.dropped.windows(2).all(|pair| matches!(pair, [first, second] if first < second))
            && self.dropped.last().is_none_or(|last| (*last as usize) < blocks)
    }

    /// Whether the block at a position is left out; dropped positions ascend.
    pub fn is_dropped(&self, position: u32) -> bool {
        self.dropped.binary_search(&position).is_ok()
    }

    /// The kept blocks as (order, a, a′, b) in ns a sample.
    pub fn kept(&self) -> impl Iterator<Item = (BlockOrder, u64, u64, u64)> + '_ {
        let columns = self.order.iter().zip(&self.a).zip(&self.a_prime).zip(&self.b).enumerate();
        columns.filter_map(|(position, (((order, a), a_prime), b))| {
            let dropped = u32::try_from(position).is_ok_and(|position| self.is_dropped(position));
            (!dropped).then_some((*order, *a, *a_prime, *b))
        })
    }
}

/// One launch: fresh processes on every side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// From 0, ascending.
    pub index: u32,
    /// The build ids that this launch timed: baseline, candidate.
    pub builds: [Digest; 2],
    /// One tick of the coarsest clock that took the times, ns, at least 1.
    pub tick_ns: i64,
    /// One series a timed case, in the order of the cases.
    pub series: Vec<Series>,
}

/// What stands in the evidence about the samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    /// BLAKE3 of the compact JSON of the launches.
    pub blake3: Digest,
    /// Number of launches.
    pub launches: u32,
    /// Number of samples on one side, dropped ones included.
    pub blocks: u64,
    /// The launches themselves; absent where they are in `ID.samples.zst`.
    pub inline: Option<Vec<Launch>>,
}

impl Samples {
    /// The samples of these launches, inline.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn of(launches: Vec<Launch>) -> Result<Self, Error> {
        let file = SamplesFile::of(&launches)?;
        Ok(Self {
            blake3: file.blake3,
            launches: u32::try_from(launches.len()).unwrap_or(u32::MAX),
            blocks: blocks_of(&launches),
            inline: Some(launches),
        })
    }
}

/// Number of blocks over all launches and cases.
pub(crate) fn blocks_of(launches: &[Launch]) -> u64 {
    launches.iter().flat_map(|launch| &launch.series).map(|series| series.order.len() as u64).sum()
}

/// The uncompressed content of `ID.samples.zst`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplesFile {
    /// Compact JSON of the launches.
    pub bytes: Vec<u8>,
    /// BLAKE3 of `bytes`.
    pub blake3: Digest,
}

impl SamplesFile {
    /// The file of these launches.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn of(launches: &[Launch]) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(launches)
            .map_err(|error| Error::Unwritable { what: "samples", reason: error.to_string() })?;
        Ok(Self { blake3: Digest::of_bytes(&bytes), bytes })
    }

    /// Reads launches from the uncompressed bytes.
    ///
    /// # Errors
    /// `Error::Malformed` where the bytes are not exactly what `of` writes.
    pub fn read(bytes: &[u8]) -> Result<Vec<Launch>, Error> {
        serde_json::from_slice(bytes)
            .map_err(|error| Error::Malformed { what: "samples", reason: error.to_string() })
    }
}
