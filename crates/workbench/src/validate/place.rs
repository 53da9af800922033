//! `kforge.toml` as far as `validate` reads it: `[policy]` for the project's thresholds, `[env.NAME]` for places.

use crate::Error;
use crate::settings::{PlaceTable, Settings};
use kforge_experiment::Place;
use kforge_record::Policy;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What measuring needs of a project's kforge.toml.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) policy: Policy,
    places: BTreeMap<String, PlaceTable>,
    pub(super) ledger: PathBuf,
}

impl Surroundings {
    /// Reads the kforge.toml of a project; none is the same as an empty one.
    pub(super) fn read(root: &Path) -> Result<Self, Error> {
        let file = Settings::read(root)?;
        let mut policy = Policy::default();
        let reasons = file.policy.get("reasons").and_then(toml::Value::as_table);
        for (name, value) in file.policy.iter().filter(|(name, _)| name.as_str() != "reasons") {
            let json = serde_json::to_value(value).map_err(|error| Error::Bug(error.to_string()))?;
            let reason = reasons.and_then(|all| all.get(name)).and_then(toml::Value::as_str);
            policy.set(name, &json, reason).map_err(|error| Error::Settings {
                path: root.join("kforge.toml"),
                message: format!("[policy] {error}"),
                hint: error.hint(),
            })?;
        }
        let ledger = file.ledger.root.map_or_else(|| root.to_owned(), |named| root.join(named));
        Ok(Self { policy, places: file.env, ledger })
    }

    /// The place that `--in` means: a name of this file, or a prefix in words.
    pub(super) fn place(&self, wanted: Option<&str>, maps: &[String], root: &Path) -> Result<Place, Error> {
        let Some(wanted) = wanted else { return Ok(Place::default()) };
        let Some(table) = self.places.get(wanted) else { return Ok(Place::new(wanted, maps)?) };
        let all: Vec<String> = table.map.iter().chain(maps).cloned().collect();
        let mut place = Place::new(&table.prefix, &all)?;
        place.scratch = table.scratch.as_ref().map(|folder| root.join(folder));
        place.env = table.env.clone().into_iter().collect();
        Ok(place)
    }
}
