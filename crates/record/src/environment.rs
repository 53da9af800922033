//! The machine and its state around the measurement.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::Error;

/// The device that ran the kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// `cpu`, or the vendor's family (`amd`, `nvidia`).
    pub kind: String,
    /// The model as the runner's hello or the system names it.
    pub name: String,
    /// The architecture: `x86_64`, `gfx942`, `sm_90`.
    pub arch: String,
    /// Facts that matter to timing: caches in bytes, clock source, driver, compute mode; sorted by name.
    pub facts: BTreeMap<String, String>,
}

/// Where and under which conditions the experiment ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The digest of `device`, `kernel`, `governor`, `prefix` and `variables`: two experiments with the same
    /// id ran on equally described machines.
    pub id: Digest,
    /// The device under test.
    pub device: Device,
    /// The operating system's kernel release.
    pub kernel: String,
    /// The frequency governor; absent where the system does not say.
    pub governor: Option<String>,
    /// The command prefix (`--in`), where one was used.
    pub prefix: Option<String>,
    /// The digest of the environment variables given to builds and runners.
    pub variables: Digest,
    /// Load average over one minute in thousandths, before the first launch; absent where unknown.
    pub load_before_milli: Option<u64>,
    /// The same, after the last launch.
    pub load_after_milli: Option<u64>,
    /// Further facts before and after (temperature, power, clocks, other users), sorted by name.
    pub observations: BTreeMap<String, String>,
}

impl Environment {
    /// Sets `id`.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn identified(mut self) -> Result<Self, Error> {
        self.id = self.computed_id()?;
        Ok(self)
    }

    /// What `id` must be.
    ///
    /// # Errors
    /// `Error::Unwritable` never in practice.
    pub fn computed_id(&self) -> Result<Digest, Error> {
        Digest::of_value(&(
            "kforge.environment/1",
            &self.device,
            &self.kernel,
            &self.governor,
            &self.prefix,
            &self.variables,
        ))
    }
}
