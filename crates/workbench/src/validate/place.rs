//! `kforge.toml` as far as `validate` reads it: `[policy]` for the project's thresholds, `[env.NAME]` for places.

use crate::Error;
use kforge_experiment::Place;
use kforge_record::Policy;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct File {
    policy: BTreeMap<String, toml::Value>,
    env: BTreeMap<String, PlaceTable>,
    ledger: LedgerTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LedgerTable {
    root: Option<PathBuf>,
}

/// `[env.NAME]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlaceTable {
    prefix: String,
    map: Vec<String>,
    scratch: Option<PathBuf>,
    env: BTreeMap<String, String>,
}

/// What a project's kforge.toml says.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) policy: Policy,
    places: BTreeMap<String, PlaceTable>,
    pub(super) ledger: PathBuf,
}

impl Settings {
    /// Reads the kforge.toml of a project; none is the same as an empty one.
    pub(super) fn read(root: &Path) -> Result<Self, Error> {
        let path = root.join("kforge.toml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(Error::Io { path, source }),
        };
        let wrong = |message: String, hint: Option<String>| Error::Usage {
            message: format!("{}: {message}", path.display()),
            hint,
        };
        let file: File =
            toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().to_owned(), None))?;
        let mut policy = Policy::default();
        let reasons = file.policy.get("reasons").and_then(toml::Value::as_table);
        for (name, value) in file.policy.iter().filter(|(name, _)| name.as_str() != "reasons") {
            let json = serde_json::to_value(value).map_err(|error| Error::Bug(error.to_string()))?;
            let reason = reasons.and_then(|all| all.get(name)).and_then(toml::Value::as_str);
            policy
                .set(name, &json, reason)
                .map_err(|error| wrong(format!("[policy] {error}"), error.hint()))?;
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
