//! One side without a rival: is it right, and how long does a call take, warm and cold?

use super::locate;
use super::run::noted;
use super::world::{Asked, Opened, with_engine};
use crate::{Error, ExitClass, Note, Observer};
use kforge_experiment::{CacheMode, CaseTimes, Proposed, SystemEntropy};
use kforge_record::{FloorCheck, FloorStatus};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Which side of which experiment, in which states of the caches, and where.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// An operation's name, an experiment.toml, or a folder that holds one.
    pub target: String,
    /// The folder from which an operation's name is looked up.
    pub folder: PathBuf,
    /// `baseline` or a candidate; absent: the baseline.
    pub side: Option<String>,
    /// In this state of the caches; absent: warm, and cold where the last-level cache is known.
    pub cache: Option<CacheMode>,
    /// Fresh processes; at least one.
    pub launches: u32,
    /// A command prefix, or the NAME of an `[env.NAME]` in kforge.toml; absent: commands run here.
    pub place: Option<String>,
    /// Path maps `HOST:INSIDE` for a prefix given in words.
    pub maps: Vec<String>,
    /// Which GPU: a PCI address, a unique id or the vendor tool's number; absent: any free one.
    pub device: Option<String>,
    /// How long to wait for a free GPU.
    pub patience: Duration,
}

/// The whole answer. Invariant: nothing of it is evidence; times of one side alone show no speedup.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The operation.
    pub op: String,
    /// Its experiment.toml.
    pub experiment: String,
    /// The side that was timed.
    pub side: String,
    /// What it computes on.
    pub device: String,
    /// The command prefix, where one was used.
    pub prefix: Option<String>,
    /// Whether the side is right on every declared and drawn case.
    pub correct: bool,
    /// Why it is not; empty where it is.
    pub reason: String,
    /// The declared cases in each state of the caches; empty for a wrong side, which is never timed.
    pub cases: Vec<CaseAnswer>,
    /// Why the times may not be what they seem; none in a usual run.
    pub doubts: Vec<String>,
    /// What the user should know beside.
    pub notes: Vec<Note>,
}

/// The times of one case; all of them are of one call, in ns.
#[derive(Clone, Debug, Serialize)]
pub struct CaseAnswer {
    /// The case's name.
    pub case: String,
    /// `warm`, `cold` or `swept`.
    pub cache: &'static str,
    /// How calls reached the device: `stream`, `graph` or `held`.
    pub launching: &'static str,
    /// The middle of all samples.
    pub median_ns: f64,
    /// A quarter of all samples is below.
    pub lower_quartile_ns: f64,
    /// A quarter of all samples is above.
    pub upper_quartile_ns: f64,
    /// The smallest and the largest median of a launch: what fresh processes differ by.
    pub launch_medians_ns: [f64; 2],
    /// Calls in one sample.
    pub calls: u64,
    /// Samples, and fresh processes that they were taken in.
    pub samples: usize,
    /// Fresh processes.
    pub launches: usize,
    /// Bytes a second by the experiment's own count; absent where it has none.
    pub bytes_per_s: Option<f64>,
    /// Floating-point operations a second, likewise.
    pub flops: Option<f64>,
    /// The physical limit, or why it is not known.
    pub floor: FloorStatus,
    /// The limit's time as a share of the median: 1 is as fast as the device can be.
    pub share_of_limit: Option<f64>,
    /// Every sample in ns, of all its calls together, launch by launch.
    pub raw_ns: Vec<Vec<u64>>,
}

impl Response {
    /// What the answer means for a script: a wrong side and doubtful times are no answer to rely on.
    pub fn class(&self) -> ExitClass {
        if self.correct && self.doubts.is_empty() { ExitClass::Yes } else { ExitClass::No }
    }
}

/// Checks one side and times it.
///
/// # Errors
/// Where the experiment cannot be carried out; a wrong side is an answer.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let opened = Opened::read(&request.target, &request.folder)?;
    opened.refuse_todo()?;
    let asked = Asked {
        place: request.place.as_deref(),
        maps: &request.maps,
        device: request.device.as_deref(),
        patience: request.patience,
    };
    let side = request.side.clone().unwrap_or_else(|| "baseline".to_owned());
    let least = request.cache.unwrap_or(CacheMode::Warm);
    let (mut response, remarks) = with_engine(&opened, &asked, least, observer, |engine, world| {
        let mut notes = Vec::new();
        let known = engine.device.last_level_cache().is_some();
        let device = engine.device.describe().name;
        let modes: &[CacheMode] = match &request.cache {
            Some(one) => std::slice::from_ref(one),
            None if known => &[CacheMode::Warm, CacheMode::Cold],
            None => {
                let message =
                    format!("the last-level cache of {device} is not known, so nothing was measured cold");
                notes.push(Note::new("bench.not-cold", message));
                &[CacheMode::Warm]
            }
        };
        let sealed = Proposed::alone(engine, &side)?.build()?.seal(&mut SystemEntropy)?;
        let checked = sealed.check(&mut SystemEntropy)?;
        let (times, reason) = match checked.alone(&side, &mut SystemEntropy) {
            Ok(alone) => {
                (Some(alone.measure(modes, request.launches.max(1), &mut SystemEntropy)?), String::new())
            }
            Err(why) => (None, why),
        };
        let (cases, doubts) = times.map_or_else(Default::default, |times| (times.cases, times.doubts));
        Ok(Response {
            op: opened.experiment.op.clone(),
            experiment: locate::shown(&opened.path, &request.folder),
            side: side.clone(),
            device,
            prefix: world.place.is_elsewhere().then(|| world.place.prefix.join(" ")),
            correct: reason.is_empty(),
            reason,
            cases: cases.into_iter().filter_map(CaseAnswer::of).collect(),
            doubts,
            notes,
        })
    })?;
    response.notes.extend(remarks.iter().map(noted));
    Ok(response)
}

impl CaseAnswer {
    /// Absent where nothing was sampled.
    fn of(times: CaseTimes) -> Option<Self> {
        let per_call = |samples: &[u64]| {
            let mut sorted: Vec<f64> =
                samples.iter().map(|ns| *ns as f64 / times.calls.max(1) as f64).collect();
            sorted.sort_by(f64::total_cmp);
            sorted
        };
        let medians = times.launches.iter().filter_map(|launch| quantile(&per_call(launch), 0.5));
        let (low, high) = medians.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), median| {
            (low.min(median), high.max(median))
        });
        let all = per_call(&times.launches.concat());
        let median_ns = quantile(&all, 0.5)?;
        let rate = |amount: Option<u64>| Some(amount? as f64 * 1e9 / median_ns);
        let (bytes_per_s, flops) = (rate(times.bytes), rate(times.flops));
        let floor = FloorCheck { case: times.case, limit: times.limit };
        let share_of_limit = floor.least_ns().map(|least| least / median_ns);
        Some(Self {
            case: floor.case,
            cache: times.cache.word(),
            launching: times.launching.word(),
            median_ns,
            lower_quartile_ns: quantile(&all, 0.25)?,
            upper_quartile_ns: quantile(&all, 0.75)?,
            launch_medians_ns: [low, high],
            calls: times.calls,
            samples: all.len(),
            launches: times.launches.len(),
            bytes_per_s,
            flops,
            floor: floor.limit,
            share_of_limit,
            raw_ns: times.launches,
        })
    }
}

/// A quantile of sorted values, between two of them in proportion.
fn quantile(sorted: &[f64], at: f64) -> Option<f64> {
    let place = at * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted.get(place.floor() as usize)?, sorted.get(place.ceil() as usize)?);
    Some(low + (high - low) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kforge_experiment::Launching;
    use kforge_record::Real;

    fn times() -> CaseTimes {
        CaseTimes {
            case: "decode".to_owned(),
            cache: CacheMode::Cold,
            launching: Launching::Stream,
            calls: 10,
            launches: vec![vec![1000, 1200, 1100], vec![1400, 1300]],
            bytes: Some(480),
            flops: None,
            limit: FloorStatus::Checked {
                bytes: 480,
                flops: 0,
                peak_bytes_per_s: Real::new(4.8e9),
                peak_flops: Real::new(1e12),
            },
        }
    }

    #[test]
    fn times_are_of_one_call_and_quartiles_are_those_of_a_hand_count() {
        let answer = CaseAnswer::of(times()).unwrap();
        // 100, 110, 120, 130, 140: the middle one, and the second and fourth of five.
        assert_eq!(
            (answer.lower_quartile_ns, answer.median_ns, answer.upper_quartile_ns),
            (110.0, 120.0, 130.0)
        );
        // Medians of {100, 120, 110} and of {140, 130}.
        let [low, high] = answer.launch_medians_ns;
        assert_eq!((low, high), (110.0, 135.0));
        assert_eq!((answer.samples, answer.launches), (5, 2));
        // 480 bytes in 120 ns are 4 GB/s; at 4.8 GB/s they take 100 ns.
        assert_eq!(answer.bytes_per_s, Some(4e9));
        assert!((answer.share_of_limit.unwrap() - 100.0 / 120.0).abs() < 1e-12);
        assert_eq!(answer.flops, None);
    }

    #[test]
    fn without_samples_there_is_no_case_and_quantiles_lie_between_their_neighbours() {
        assert!(CaseAnswer::of(CaseTimes { launches: vec![Vec::new()], ..times() }).is_none());
        assert_eq!(quantile(&[1.0, 2.0], 0.25), Some(1.25));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
