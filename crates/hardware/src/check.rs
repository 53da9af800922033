//! The self-check: what a device states about itself must agree.
//!
//! Invariant: of every peak, clock × units × operations a clock is within [`TOLERANCE`], or the peak says why it is not.

use crate::{Device, Error, Key, Mode, Peak};

/// How far a stated peak may be from the computed one, in thousandths: data sheets print two to five digits.
const TOLERANCE: u128 = 20;

/// Checks every peak of a device.
pub(crate) fn peaks(device: &Device) -> Result<(), Error> {
    for ((pipe, dtype), peak) in &device.peaks {
        if let Ok(peak) = peak {
            one(device, &format!("{} {}", pipe.name(), dtype.name()), peak)?;
        }
    }
    Ok(())
}

fn one(device: &Device, place: &str, peak: &Peak) -> Result<(), Error> {
    let file = || device.id.clone();
    let place = || place.to_owned();
    let computed = computed(device, peak);
    let stated = peak.cell.value;
    let agrees = computed
        .map(|computed| u128::from(stated.abs_diff(computed)) * 1000 <= TOLERANCE * u128::from(computed));
    match (agrees, computed, &peak.deviates) {
        (Err(missing), _, None) => Err(Error::Unchecked { file: file(), place: place(), missing }),
        (Ok(false), Ok(computed), None) => {
            Err(Error::Disagrees { file: file(), place: place(), stated, computed })
        }
        (Ok(true), _, Some(_)) => Err(Error::NeedlessDeviation { file: file(), place: place() }),
        _ => Ok(()),
    }
}

/// Operations a second by clock × units × rate, or what is missing for it.
fn computed(device: &Device, peak: &Peak) -> Result<u64, &'static str> {
    let (rate, _) = peak.per_clock.as_ref().ok_or("rate")?;
    let units = device.cell(Key::Units).map_err(|_| "number of units")?.value;
    let clock = match &peak.clock {
        Some(clock) => clock.value,
        None => device.cell(Key::Clock).map_err(|_| "clock")?.value,
    };
    clock.checked_mul(units).and_then(|product| product.checked_mul(*rate)).ok_or("plausible rate")
}

/// Checks that every mode divides the dies and units of its device, and that the undivided one comes first.
pub(crate) fn modes(device: &Device) -> Result<(), Error> {
    let refuse =
        |mode: &Mode, what| Error::Mode { file: device.id.clone(), mode: mode.compute.clone(), what };
    for (index, mode) in device.modes.iter().enumerate() {
        let divides = |key| {
            device.cell(key).is_ok_and(|cell| mode.devices > 0 && cell.value.is_multiple_of(mode.devices))
        };
        if !divides(Key::Chiplets) || !divides(Key::Units) {
            return Err(refuse(mode, "does not divide the dies and units"));
        }
        if (index == 0) != (mode.devices == 1) {
            return Err(refuse(mode, "is not in order: the undivided mode comes first, and once"));
        }
        if mode.memory.first().is_none_or(|memory| memory.domains != 1)
            && mode.memory.iter().any(|memory| memory.domains == 1)
        {
            return Err(refuse(mode, "does not name the undivided memory first"));
        }
        if mode.memory.is_empty() || mode.memory.iter().any(|memory| memory.domains > mode.devices.max(1)) {
            return Err(refuse(mode, "has more memory domains than devices, or none"));
        }
    }
    Ok(())
}
