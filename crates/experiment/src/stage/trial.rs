//! A case with the seeds under which it is tried.

use crate::spec::{CaseSpec, Experiment};
use kforge_record::{Case, CaseOrigin, ParamValue, Real};

/// One case, declared or drawn, with its seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The case.
    pub case: CaseSpec,
    /// Declared cases are checked and timed, drawn ones are checked.
    pub origin: CaseOrigin,
    /// The seed of the first data.
    pub seed: u64,
    /// The seed of the data that replaces it behind the same pointers.
    pub refill_seed: u64,
}

impl Trial {
    /// The durable form.
    pub(super) fn record(&self, experiment: &Experiment) -> Case {
        let inputs = experiment.inputs.iter().map(|input| (&input.name, input.dtype));
        let outputs = experiment.outputs.iter().map(|output| (&output.name, output.dtype));
        Case {
            name: self.case.name.clone(),
            origin: self.origin,
            params: self
                .case
                .params
                .iter()
                .map(|(name, value)| (name.clone(), ParamValue::Int(*value)))
                .collect(),
            dtypes: inputs
                .chain(outputs)
                .map(|(name, dtype)| {
                    (name.clone(), experiment.dtype(&self.case, name, dtype).name().to_owned())
                })
                .collect(),
            weight: Real::new(self.case.weight),
            seed: self.seed,
        }
    }
}
