//! The figures that a profile may have, each with its source.
//!
//! Refuses a figure that is negative or not finite, and one whose source is not on record.

use super::builtin::SOURCES;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A figure of a profile.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its value; the unit is the row's.
    pub value: f64,
    /// The id of its source.
    pub from: String,
    /// What it means here.
    #[serde(default)]
    pub note: String,
}

/// Where figures come from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSource {
    /// The document's title.
    pub title: String,
    /// Its address, where it is a page.
    pub url: Option<String>,
    /// Its month, `yyyy-mm`.
    pub date: String,
    /// The document has no date; the month is the one in which it was read.
    #[serde(default)]
    pub undated: bool,
}

impl FigureSource {
    /// Every source by id.
    ///
    /// # Errors
    /// A lowercase fact where the data is broken, which a test rules out for what ships.
    pub fn all() -> Result<BTreeMap<String, Self>, String> {
        toml::from_str(SOURCES).map_err(|error| format!("data/tolerances/sources.toml: {error}"))
    }
}

/// Figures for one element type or for all; u is the unit roundoff of the output's type, a that of what is accumulated in.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// A fixed absolute part.
    pub(super) abs: Option<Figure>,
    /// A fixed relative part.
    pub(super) rel: Option<Figure>,
    /// Relative, × u.
    pub(super) rounding: Option<Figure>,
    /// Absolute, × the smallest step of the output's type.
    pub(super) steps: Option<Figure>,
    /// Relative, × √length × a.
    pub(super) growth: Option<Figure>,
    /// Absolute, × length × a × magnitude.
    pub(super) terms: Option<Figure>,
    /// Absolute, × a × magnitude.
    pub(super) cancel: Option<Figure>,
    /// Absolute, × u × magnitude.
    pub(super) between: Option<Figure>,
    /// Absolute, × √length × the roundoff of the factors × magnitude.
    pub(super) factors: Option<Figure>,
    /// Share of elements that may mismatch.
    pub(super) share: Option<Figure>,
    /// How many times what is allowed any element may differ.
    pub(super) outlier: Option<Figure>,
    /// From how many times the baseline's error on a candidate's is worth a note.
    pub(super) beside: Option<Figure>,
}

impl Row {
    /// Every figure with its name.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&'static str, &Figure)> {
        let all = [
            ("abs", &self.abs),
            ("rel", &self.rel),
            ("rounding", &self.rounding),
            ("steps", &self.steps),
            ("growth", &self.growth),
            ("terms", &self.terms),
            ("cancel", &self.cancel),
            ("between", &self.between),
            ("factors", &self.factors),
            ("share", &self.share),
            ("outlier", &self.outlier),
            ("beside", &self.beside),
        ];
        all.into_iter().filter_map(|(name, figure)| Some((name, figure.as_ref()?)))
    }

    /// The first thing wrong with the row.
    pub(super) fn fault(&self, sources: &BTreeMap<String, FigureSource>) -> Option<String> {
        self.figures().find_map(|(name, figure)| {
            let (least, most) = match name {
                "share" => (0.0, 0.5),
                "outlier" | "beside" => (1.0, f64::MAX),
                _ => (0.0, f64::MAX),
            };
            if !(least..=most).contains(&figure.value) {
                return Some(format!("{name} = {} is out of range", figure.value));
            }
            let known = sources.contains_key(&figure.from);
            (!known).then(|| format!("{name} is from `{}`, which is no source", figure.from))
        })
    }
}
