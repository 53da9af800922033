//! Asks whichever vendor's tool is there, where the commands run.

use super::facts::GpuFacts;
use super::{amd, nvidia};
use crate::process::Place;

/// The GPUs of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Every GPU that some tool named.
    pub gpus: Vec<GpuFacts>,
    /// Why a tool gave nothing, a clause each.
    pub silent: Vec<String>,
}

/// Looks for GPUs in a place.
pub fn survey(place: &Place) -> Survey {
    let mut found = Survey::default();
    match place.ask(&nvidia::command()) {
        Ok(text) => found.gpus = nvidia::read(&text, place.ask(&nvidia::users_command()).ok().as_deref()),
        Err(why) => found.silent.push(format!("nvidia-smi {why}")),
    }
    let [fixed, metric, process] = amd::commands();
    match place.ask(&fixed) {
        Ok(text) => {
            let (metric, process) = (place.ask(&metric).ok(), place.ask(&process).ok());
            found.gpus.extend(amd::read(&text, metric.as_deref(), process.as_deref()));
        }
        Err(why) => {
            found.silent.push(format!("amd-smi {why}"));
            match place.ask(&amd::old_command()) {
                Ok(text) => found.gpus.extend(amd::read_old(&text)),
                Err(why) => found.silent.push(format!("rocm-smi {why}")),
            }
        }
    }
    found
}
