//! Raw repetitions of other people's Kernel Tuner search spaces, as blocks that the judge can be asked about.
//!
//! Files are found by their shape, not by a list: whatever cache in the folder has at least 32 repetitions a configuration.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use kforge_stats::{Block, CaseSamples, Judge, JudgePolicy, OpSamples};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The first repetitions are warm-up: in these sets they are up to 13 % (median) slower than the rest.
pub const SKIPPED: usize = 2;

/// One search space.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// The file's name without `.gz`.
    pub name: String,
    /// Repetitions in nanoseconds, in their order; one row a configuration.
    pub rows: Vec<Vec<i64>>,
}

#[derive(Deserialize)]
struct SearchSpace {
    #[serde(default)]
    cache: BTreeMap<String, Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    times: Option<Times>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Times {
    /// Milliseconds, in the order of the repetitions.
    Milliseconds(Vec<f64>),
    /// A word that says why the configuration did not run.
    Failed(IgnoredAny),
}

/// The data sets of `KFORGE_CORPUS` or of the folder beside the project, with at most `most` evenly spread configurations each; nothing
/// where there is no corpus.
pub fn data_sets(most: usize) -> Option<Vec<DataSet>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("KFORGE_CORPUS").map_or(beside, PathBuf::from).join("kernel-tuner");
    let entries = std::fs::read_dir(folder).ok()?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let packed = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "gz"));
    let named = packed.filter_map(|file| {
        Some(DataSet { name: file.file_stem()?.to_str()?.to_owned(), rows: repetitions(file, most)? })
    });
    Some(named.collect())
}

/// Evenly spread configurations with at least 32 repetitions; nothing for a file of another kind.
fn repetitions(file: &Path, most: usize) -> Option<Vec<Vec<i64>>> {
    let mut text = Vec::new();
    MultiGzDecoder::new(std::fs::File::open(file).ok()?).read_to_end(&mut text).ok()?;
    let space: SearchSpace = serde_json::from_slice(&text).ok()?;
    let rows: Vec<Vec<i64>> = space
        .cache
        .into_values()
        .filter_map(|configuration| match configuration.times? {
            Times::Milliseconds(times) if times.len() >= 32 => {
                Some(times.iter().map(|ms| (ms * 1e6).round() as i64).collect())
            }
            Times::Milliseconds(_) | Times::Failed(_) => None,
        })
        .collect();
    let step = (rows.len() / most.max(1)).max(1);
    let spread: Vec<Vec<i64>> = rows.into_iter().step_by(step).collect();
    (!spread.is_empty()).then_some(spread)
}

/// Blocks of three neighbouring repetitions whose roles are drawn at random.
pub fn interleaved(times: &[i64], random: &mut ChaCha8Rng) -> Vec<Block> {
    let blocks = times.get(SKIPPED..).unwrap_or(&[]).chunks_exact(3);
    blocks
        .map(|three| {
            let mut order = [three[0], three[1], three[2]];
            order.swap(0, (random.next_u32() % 3) as usize);
            order.swap(1, 1 + (random.next_u32() % 2) as usize);
            Block::new(order[0], order[1], order[2])
        })
        .collect()
}

/// The candidate's times multiplied; below 1 it is faster.
pub fn scaled(blocks: Vec<Block>, factor: f64) -> Vec<Block> {
    let scale = |block: Block| Block { b_ns: (block.b_ns as f64 * factor).round() as i64, ..block };
    blocks.into_iter().map(scale).collect()
}

/// Launches of a single block each: one configuration has no more than 32 repetitions.
pub fn single_blocks(looks: Vec<u32>) -> Option<Judge> {
    Judge::new(JudgePolicy { looks, min_blocks: 1, ..JudgePolicy::default() }).ok()
}

/// The verdict's word where every block stands for a launch.
pub fn word_of_one(judge: &Judge, blocks: Vec<Block>) -> &'static str {
    let launches = blocks.into_iter().map(|block| vec![block]).collect();
    judge
        .judge(&OpSamples::of_one_case(CaseSamples::new("x", 1.0, 1, launches)))
        .map_or("error", |judgement| judgement.verdict.word())
}
