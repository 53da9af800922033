//! The GPU that an experiment gets: the one that was named, else the first that is free.
//!
//! Invariant: the runners see exactly one GPU, the leased one, whatever order their framework numbers devices in.

use super::lease::{Lease, Tried, folder, try_take, wait_for};
use crate::{Error, Observer};
use kforge_experiment::{Device, Experiment, Gpu, GpuFacts, GpuVendor, Place, survey};
use kforge_hardware::Devices;
use std::time::Duration;

/// The longest a measurement is taken to need; what a lease says to those who wait.
const MOST: Duration = Duration::from_hours(4);

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(in crate::validate) struct Wish<'a> {
    /// A PCI address, a unique id or the vendor tool's number; absent: any free one.
    pub(in crate::validate) device: Option<&'a str>,
    /// How long to wait for a free one.
    pub(in crate::validate) patience: Duration,
}

/// A leased GPU.
pub(in crate::validate) struct Chosen<'a> {
    pub(in crate::validate) gpu: Gpu<'a>,
    /// Variables that make it the only one the runners see.
    pub(in crate::validate) variables: Vec<(String, String)>,
    _lease: Lease,
}

/// Chooses and leases the GPU of an experiment; none for one that runs on the processor.
///
/// # Errors
/// Where there is no GPU of the needed kind, the named one is not there, or none becomes free in time.
pub(in crate::validate) fn choose<'a>(
    place: &'a Place,
    experiment: &Experiment,
    wish: &Wish<'_>,
    observer: &dyn Observer,
) -> Result<Option<Chosen<'a>>, Error> {
    if !experiment.on_gpu {
        return match wish.device {
            Some(device) => Err(Error::Usage {
                message: format!("{} runs on the processor; --device {device} has no meaning", experiment.op),
                hint: Some("write device = \"gpu\" in experiment.toml, or leave --device out".to_owned()),
            }),
            None => Ok(None),
        };
    }
    let devices = Devices::builtin().map_err(|error| Error::Bug(error.to_string()))?;
    let folder = folder();
    let found = wait_for(wish.patience, observer, || {
        let mut reasons = Vec::new();
        for facts in candidates(place, wish.device)? {
            let why = match facts.occupied() {
                Some(why) => why,
                None => match try_take(&folder, &facts.pci, &experiment.op, MOST)? {
                    Tried::Taken(lease) => return Ok(Ok((facts, lease))),
                    Tried::Held(why) => why,
                },
            };
            reasons.push(format!("GPU {} is not free: {why}", facts.pci));
        }
        Ok(Err(reasons.join("; ")))
    });
    let (facts, lease) = found?;
    let variables = visible(&facts);
    Ok(Some(Chosen { gpu: Gpu::new(place, facts, &devices), variables, _lease: lease }))
}

/// The GPUs that come into question, in the tools' order.
fn candidates(place: &Place, wanted: Option<&str>) -> Result<Vec<GpuFacts>, Error> {
    let survey = survey(place);
    let missing = |message: String, hint: &str| Error::Device { message, hint: Some(hint.to_owned()) };
    if survey.gpus.is_empty() {
        let why = survey.silent.join("; ");
        return Err(missing(
            format!("no GPU was found: {why}"),
            "the experiment needs a GPU; run it where there is one, through --in if need be",
        ));
    }
    let listed: Vec<String> = survey.gpus.iter().map(|gpu| format!("{} ({})", gpu.pci, gpu.name)).collect();
    let Some(wanted) = wanted.map(str::to_owned).or_else(restricted) else { return Ok(survey.gpus) };
    let wanted_all: Vec<&str> = wanted.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let kept: Vec<GpuFacts> =
        survey.gpus.into_iter().filter(|gpu| wanted_all.iter().any(|word| is(gpu, word))).collect();
    if kept.is_empty() {
        return Err(missing(
            format!("there is no GPU `{wanted}`"),
            &format!("there are {}", listed.join(", ")),
        ));
    }
    Ok(kept)
}

/// What the caller's environment allows, where it restricts the GPUs at all.
fn restricted() -> Option<String> {
    ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
}

fn is(gpu: &GpuFacts, word: &str) -> bool {
    let id = |text: &str| text.trim_start_matches("GPU-").trim_start_matches("0x").to_ascii_lowercase();
    gpu.index.to_string() == word
        || gpu.pci.eq_ignore_ascii_case(word)
        || gpu.pci.trim_start_matches("0000:").eq_ignore_ascii_case(word)
        || gpu.uuid.as_deref().is_some_and(|uuid| id(uuid) == id(word))
}

/// Variables that show a runner this GPU alone. A unique id means the same device in every numbering; a number does not.
fn visible(facts: &GpuFacts) -> Vec<(String, String)> {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    match (facts.vendor, &facts.uuid) {
        (GpuVendor::Nvidia, Some(uuid)) => vec![pair("CUDA_VISIBLE_DEVICES", uuid)],
        (GpuVendor::Nvidia, None) => {
            vec![
                pair("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
                pair("CUDA_VISIBLE_DEVICES", &facts.index.to_string()),
            ]
        }
        (GpuVendor::Amd, Some(id)) => {
            let id = format!("GPU-{}", id.trim_start_matches("0x").to_ascii_lowercase());
            vec![
                pair("ROCR_VISIBLE_DEVICES", &id),
                pair("HIP_VISIBLE_DEVICES", "0"),
                pair("CUDA_VISIBLE_DEVICES", "0"),
            ]
        }
        (GpuVendor::Amd, None) => vec![pair("HIP_VISIBLE_DEVICES", &facts.index.to_string())],
    }
}

impl Chosen<'_> {
    /// The device for the engine.
    pub(in crate::validate) fn device(&self) -> &dyn Device {
        &self.gpu
    }
}
