//! What an experiment needs of this machine before anything of it runs: a place, a device, a folder, a harness, a clock.
//!
//! Invariant: when `with_engine` returns, the folder, the helper behind a prefix and the lease on a device are gone, whatever the answer.

use super::device;
use super::locate;
use super::place::Surroundings;
use super::run::{Wish, probe};
use super::scratch::Scratch;
use super::todo;
use crate::{Error, Observer, Progress};
use kforge_experiment::{
    Bench, CacheMode, Cpu, Device, Engine, Event, Experiment, Harness, MonotonicClock, Place, Relay, Remark,
    Repository, Shop, inherited,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An experiment and the repository that it is in.
pub(super) struct Opened {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) repository: Repository,
    pub(super) settings: Surroundings,
    pub(super) experiment: Experiment,
}

impl Opened {
    /// Reads an experiment by its path or by the operation's name.
    ///
    /// # Errors
    /// Where there is none, or it cannot be read.
    pub(super) fn read(target: &str, folder: &Path) -> Result<Self, Error> {
        let path = locate::experiment(target, folder)?;
        let text =
            std::fs::read_to_string(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
        let repository = Repository::around(path.parent().unwrap_or(Path::new(".")))?;
        let settings = Surroundings::read(&repository.root)?;
        let experiment = Experiment::parse(&path, &text, &settings.policy)?;
        Ok(Self { path, text, repository, settings, experiment })
    }

    /// # Errors
    /// Where a skeleton was not filled in.
    pub(super) fn refuse_todo(&self) -> Result<(), Error> {
        todo::refuse(&self.experiment, &self.text, &self.repository.root)
    }
}

/// Where it is to be carried out, as it was asked.
pub(super) struct Asked<'a> {
    /// A command prefix, or the name of one; absent: here.
    pub(super) place: Option<&'a str>,
    /// Path maps of a prefix.
    pub(super) maps: &'a [String],
    /// Which GPU.
    pub(super) device: Option<&'a str>,
    /// How long to wait for one.
    pub(super) patience: Duration,
}

/// What the engine's users need beside it.
pub(super) struct World<'a> {
    pub(super) shop: &'a Shop<'a>,
    pub(super) place: &'a Place,
    /// Variables that builds and runners inherit and that choose what runs.
    pub(super) inherited: &'a BTreeMap<String, String>,
}

/// Makes everything ready, does the work, and takes it away again. Gives the answer, and what was remarked meanwhile.
///
/// # Errors
/// Where something is not to be had here, or the work fails.
pub(super) fn with_engine<T>(
    opened: &Opened,
    asked: &Asked<'_>,
    mode: CacheMode,
    observer: &dyn Observer,
    work: impl FnOnce(Engine<'_>, &World<'_>) -> Result<T, Error>,
) -> Result<(T, Vec<Remark>), Error> {
    let Opened { repository, settings, experiment, .. } = opened;
    let outside = settings.place(asked.place, asked.maps, &repository.root)?;
    let wanted = device::Wish { device: asked.device, patience: asked.patience };
    let chosen = device::choose(&outside, experiment, &wanted, observer)?;
    let device = chosen.as_ref().map_or(&Cpu as &dyn Device, device::Chosen::device);
    can_be(mode, device)?;
    let mut place = outside.clone();
    place.env.extend(chosen.iter().flat_map(|chosen| chosen.variables.clone()));
    let scratch = Scratch::make(&place.scratch_parent())?;
    if place.is_elsewhere() {
        probe(&place, scratch.path())?;
    }
    let harness = Harness::write(&scratch.path().join("harness"))?;
    let relay = Relay::start(&place, scratch.path())
        .map_err(|source| Error::Io { path: scratch.path().to_owned(), source })?;
    let (clock, wish) = (MonotonicClock::starting_now(), Wish(observer));
    let bench = Bench {
        repository,
        place: &place,
        relay: &relay,
        harness: &harness,
        scratch: scratch.path(),
        clock: &clock,
        interrupt: &wish,
    };
    let shop = Shop::new(bench, experiment);
    let remarks = RefCell::new(Vec::new());
    let report = |event: Event| match event {
        Event::Remark(remark) => remarks.borrow_mut().push(remark),
        event => observer.progress(told(event)),
    };
    let engine =
        Engine { experiment, workshop: &shop, device, clock: &clock, interrupt: &wish, report: &report };
    let inherited = inherited(&place);
    let answer = work(engine, &World { shop: &shop, place: &place, inherited: &inherited })?;
    Ok((answer, remarks.into_inner()))
}

/// Whether the caches can be met cold at all.
fn can_be(mode: CacheMode, device: &dyn Device) -> Result<(), Error> {
    if mode != CacheMode::Cold || device.last_level_cache().is_some() {
        return Ok(());
    }
    Err(Error::Device {
        message: format!(
            "the last-level cache of {} is not known, so nothing can be called cold",
            device.describe().name
        ),
        hint: Some("measure with cache = \"warm\", or add the device to data/hardware".to_owned()),
    })
}

fn told(event: Event) -> Progress {
    match event {
        Event::Stage(text) => Progress::Stage(text),
        Event::Step(done, total) => Progress::Step { done, total: Some(total) },
        Event::Line(text) | Event::Remark(Remark { message: text, .. }) => Progress::Line(text),
    }
}
