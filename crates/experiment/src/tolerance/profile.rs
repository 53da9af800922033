//! A profile by its name: what it is for, what it asks of an output, and what it allows.
//!
//! Refuses data with a figure out of range, a source that is not on record, or an element type that is no float. Invariant: what an
//! integer may differ by is nothing, whatever the profile.

use super::budget::{Figures, Sum};
use super::builtin::PROFILES;
use super::figures::{Figure, FigureSource, Row};
use crate::dtype::Dtype;
use crate::error::Error;
use kforge_record::Tolerance;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What an output may differ by, for a kind of operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name in experiment.toml.
    pub name: &'static str,
    /// What it is for, in one line.
    pub means: String,
    /// It asks for the number of terms of the sum behind one element.
    pub needs_reduction: bool,
    every: Row,
    small: Row,
    only: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    means: String,
    #[serde(default)]
    reduction: bool,
    every: Row,
    /// For floats of 8 bits and fewer: nothing is computed in them, so that they are rounded to once.
    #[serde(default)]
    small: Row,
    #[serde(default)]
    only: BTreeMap<String, Row>,
}

impl Profile {
    /// The names of all profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PROFILES.into_iter().map(|(name, _)| name)
    }

    /// The profile of this name; none where there is no such profile.
    ///
    /// # Errors
    /// [`Error::Bug`] where the data in the binary is broken, which a test rules out.
    pub fn named(name: &str) -> Result<Option<Self>, Error> {
        let Some((name, text)) = PROFILES.into_iter().find(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let broken = |what: String| Error::Bug(format!("data/tolerances/{name}.toml: {what}"));
        let file: FileText = toml::from_str(text).map_err(|error| broken(error.to_string()))?;
        let sources = FigureSource::all().map_err(Error::Bug)?;
        for (dtype, row) in &file.only {
            if !Dtype::named(dtype).is_some_and(Dtype::is_float) {
                return Err(broken(format!("`{dtype}` is no floating-point element type")));
            }
            if let Some(fault) = row.fault(&sources) {
                return Err(broken(format!("{dtype}: {fault}")));
            }
        }
        if let Some(fault) = file.every.fault(&sources).or_else(|| file.small.fault(&sources)) {
            return Err(broken(fault));
        }
        let FileText { means, reduction, every, small, only } = file;
        Ok(Some(Self { name, means, needs_reduction: reduction, every, small, only }))
    }

    /// The profile that holds where nothing is said.
    ///
    /// # Errors
    /// As [`Profile::named`].
    pub fn usual() -> Result<Self, Error> {
        Self::named("default")?.ok_or_else(|| Error::Bug("there is no default tolerance profile".to_owned()))
    }

    fn figures(&self, dtype: Dtype) -> Figures<'_> {
        let small = (dtype.bits_wide() <= 8).then_some(&self.small);
        Figures([self.only.get(dtype.name()), small, Some(&self.every)])
    }

    /// What outputs of this type may differ by; integers must be exact.
    pub fn tolerance(&self, dtype: Dtype, sum: Sum) -> Tolerance {
        self.figures(dtype).tolerance(dtype, sum)
    }

    /// How many times what is allowed any element may differ, where a share may mismatch.
    pub fn outlier(&self, dtype: Dtype) -> Option<f64> {
        self.figures(dtype).of(|row| &row.outlier).filter(|_| dtype.roundoff().is_some())
    }

    /// From how many times the baseline's error on a candidate's is worth a note.
    pub fn beside(&self, dtype: Dtype) -> f64 {
        self.figures(dtype).of(|row| &row.beside).unwrap_or(f64::INFINITY)
    }

    /// Every figure with the element type that it is for; `small` for floats of 8 bits and fewer, `every` for all.
    pub fn all_figures(&self) -> impl Iterator<Item = (&str, &'static str, &Figure)> {
        let rows = [("every", &self.every), ("small", &self.small)]
            .into_iter()
            .chain(self.only.iter().map(|(dtype, row)| (dtype.as_str(), row)));
        rows.flat_map(|(dtype, row)| row.figures().map(move |(name, figure)| (dtype, name, figure)))
    }
}
