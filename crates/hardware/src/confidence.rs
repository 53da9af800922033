//! Where a figure comes from and how far it can be trusted.

use serde::{Deserialize, Serialize};

/// How a figure is known, the firmest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A vendor's data sheet, brochure or product page, read there or where the source reproduces it.
    Datasheet,
    /// A vendor's documentation or source code, or a description that names them.
    Documentation,
    /// Reported by the driver of a real device, or measured on one.
    Measured,
    /// Computed from other figures; the note says how.
    Derived,
    /// A secondary source that names none of its own.
    Weak,
}

impl Confidence {
    /// The word that the data files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Datasheet => "datasheet",
            Self::Documentation => "documentation",
            Self::Measured => "measured",
            Self::Derived => "derived",
            Self::Weak => "weak",
        }
    }

    /// The less firm of two, which is what a figure made of both deserves.
    #[must_use]
    pub fn weaker(self, other: Self) -> Self {
        self.max(other)
    }
}

/// A document, program or device that figures were taken from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The key in `data/hardware/sources.toml`.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Where it is, for a page.
    pub url: Option<String>,
    /// The month, as `yyyy-mm`: of the document, or of the reading where it has none.
    pub date: String,
    /// The document has no date of its own.
    pub undated: bool,
}
