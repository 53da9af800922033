//! From the text of the data files to devices.
//!
//! Refuses a figure that is not positive and finite, one without source and confidence, a key that is missing, unknown
//! or given twice, and whatever the self-check refuses. Invariant: a device that was read has every key of
//! [`Key::ALL`] and every pair of pipe and data type, as a figure or as a reason.

use std::collections::BTreeMap;

use crate::name::Names;
use crate::text::{CellText, ConflictText, FileText, ModeText, NoPeakText, PeakText, SourceText};
use crate::{
    Absent, Cell, Confidence, Conflict, Device, Dtype, Error, Key, MemoryMode, Mode, PciId, Peak, Pipe,
    Source, arch, check, pci,
};

/// Operations a second in one `tera_ops`.
const TERA: f64 = 1e12;
/// Hertz in one megahertz.
const MEGA: f64 = 1e6;

type Peaks = BTreeMap<(Pipe, Dtype), Result<Peak, Absent>>;

/// The sources by id.
pub(crate) fn sources(text: &str) -> Result<BTreeMap<String, Source>, Error> {
    let read: BTreeMap<String, SourceText> = toml::from_str(text)
        .map_err(|error| Error::Syntax { file: "sources".to_owned(), detail: error.to_string() })?;
    let mut sources = BTreeMap::new();
    for (id, text) in read {
        if !is_month(&text.date) {
            return Err(Error::Date { source_id: id, date: text.date });
        }
        let SourceText { title, url, date, undated } = text;
        sources.insert(id.clone(), Source { id, title, url, date, undated });
    }
    Ok(sources)
}

/// `yyyy-mm` with a month that exists.
fn is_month(date: &str) -> bool {
    let Some((year, month)) = date.split_once('-') else { return false };
    let digits = |text: &str, length: usize| text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
    digits(year, 4) && digits(month, 2) && matches!(month.parse(), Ok(1_u8..=12))
}

/// One device from its file, self-checked.
pub(crate) fn device(sources: &BTreeMap<String, Source>, id: &str, text: &str) -> Result<Device, Error> {
    let file: FileText = toml::from_str(text)
        .map_err(|error| Error::Syntax { file: id.to_owned(), detail: error.to_string() })?;
    let reader = Reader { file: id, sources };
    let device = Device {
        id: id.to_owned(),
        name: file.device.name,
        vendor: file.device.vendor,
        architecture: match arch::normal(&file.device.architecture) {
            Some(same) if same == file.device.architecture => same,
            _ => return Err(reader.bad("architecture", "is not written like `gfx942` or `sm_90`")),
        },
        scope: file.device.scope,
        names: Names { require: file.names.require, allow: file.names.allow },
        reported: file.names.reported,
        pci: file
            .pci
            .iter()
            .map(|row| {
                let id = pci::hex(&row.id, 4).ok_or_else(|| {
                    reader.bad(&format!("pci id {}", row.id), "is not four hexadecimal digits")
                })?;
                Ok(PciId { id, source: reader.source("pci", &row.from)? })
            })
            .collect::<Result<_, Error>>()?,
        cells: reader.cells(&file.cells)?,
        peaks: reader.peaks(&file.peak, &file.no_peak)?,
        modes: reader.modes(&file.mode)?,
    };
    check::peaks(&device)?;
    check::modes(&device)?;
    Ok(device)
}

/// What every step of reading one file needs.
struct Reader<'a> {
    file: &'a str,
    sources: &'a BTreeMap<String, Source>,
}

impl Reader<'_> {
    fn bad(&self, place: &str, what: &str) -> Error {
        Error::Cell { file: self.file.to_owned(), place: place.to_owned(), what: what.to_owned() }
    }

    fn source(&self, place: &str, id: &str) -> Result<Source, Error> {
        self.sources.get(id).cloned().ok_or_else(|| Error::UnknownSource {
            file: self.file.to_owned(),
            place: place.to_owned(),
            source_id: id.to_owned(),
        })
    }

    fn cells(&self, read: &BTreeMap<String, CellText>) -> Result<BTreeMap<Key, Result<Cell, Absent>>, Error> {
        if let Some(odd) = read.keys().find(|name| Key::ALL.iter().all(|key| key.name() != *name)) {
            return Err(self.bad(odd, "is no known key"));
        }
        let one = |key: Key| {
            let text = read.get(key.name()).ok_or_else(|| self.bad(key.name(), "is missing"))?;
            Ok((key, self.cell(key.name(), text, key.scale())?))
        };
        Key::ALL.into_iter().map(one).collect()
    }

    fn cell(&self, place: &str, text: &CellText, scale: f64) -> Result<Result<Cell, Absent>, Error> {
        let bare = text.from.is_none() && text.confidence.is_none() && text.conflicts.is_empty();
        match (text.value, &text.why, &text.none) {
            (Some(value), None, None) => {
                let (Some(from), Some(confidence)) = (&text.from, text.confidence) else {
                    return Err(self.bad(place, "has a value without source or confidence"));
                };
                let origin = Origin { from, confidence, note: text.note.as_ref() };
                self.figure(place, value, scale, &origin, &text.conflicts).map(Ok)
            }
            (None, Some(why), None) if bare => Ok(Err(Absent::Unknown(why.clone()))),
            (None, None, Some(none)) if bare => Ok(Err(Absent::None(none.clone()))),
            _ => Err(self.bad(place, "is not one value or one reason")),
        }
    }

    fn figure(
        &self,
        place: &str,
        value: f64,
        scale: f64,
        origin: &Origin<'_>,
        conflicts: &[ConflictText],
    ) -> Result<Cell, Error> {
        let conflict = |text: &ConflictText| {
            Ok(Conflict {
                value: self.scaled(place, text.value, scale)?,
                source: self.source(place, &text.from)?,
                confidence: text.confidence,
                note: text.note.clone(),
            })
        };
        Ok(Cell {
            value: self.scaled(place, value, scale)?,
            source: self.source(place, origin.from)?,
            confidence: origin.confidence,
            note: origin.note.cloned(),
            conflicts: conflicts.iter().map(conflict).collect::<Result<_, Error>>()?,
        })
    }

    /// The figure in its base unit; below 2^53, so that no digit of it is lost.
    fn scaled(&self, place: &str, value: f64, scale: f64) -> Result<u64, Error> {
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        let base = (value * scale).round();
        // Peaks are the only figures that are larger; their six digits are far from the limit of a double.
        let limit = if scale >= TERA { WHOLE * 1e3 } else { WHOLE };
        if base.is_finite() && base >= 1.0 && base <= limit {
            Ok(base as u64)
        } else {
            Err(self.bad(place, "is not a positive figure"))
        }
    }

    fn peaks(&self, peaks: &[PeakText], none: &[NoPeakText]) -> Result<Peaks, Error> {
        let mut all = Peaks::new();
        for text in peaks {
            for dtype in &text.dtypes {
                let place = place(text.pipe, *dtype);
                let peak = self.peak(&place, text)?;
                if all.insert((text.pipe, *dtype), Ok(peak)).is_some() {
                    return Err(self.bad(&place, "is given twice"));
                }
            }
        }
        for text in none {
            for dtype in &text.dtypes {
                let place = place(text.pipe, *dtype);
                let absent = match (&text.why, &text.none) {
                    (Some(why), None) => Absent::Unknown(why.clone()),
                    (None, Some(none)) => Absent::None(none.clone()),
                    _ => return Err(self.bad(&place, "is not one value or one reason")),
                };
                if all.insert((text.pipe, *dtype), Err(absent)).is_some() {
                    return Err(self.bad(&place, "is given twice"));
                }
            }
        }
        let pairs = Pipe::ALL.into_iter().flat_map(|pipe| Dtype::ALL.map(|dtype| (pipe, dtype)));
        match pairs.into_iter().find(|pair| !all.contains_key(pair)) {
            Some((pipe, dtype)) => Err(self.bad(&place(pipe, dtype), "is missing")),
            None => Ok(all),
        }
    }

    fn peak(&self, place: &str, text: &PeakText) -> Result<Peak, Error> {
        let origin = Origin { from: &text.from, confidence: text.confidence, note: text.note.as_ref() };
        let clock = match &text.clock_mhz {
            None => None,
            Some(clock) => match self.cell(place, clock, MEGA)? {
                Ok(cell) => Some(cell),
                Err(_) => return Err(self.bad(place, "has a clock without a value")),
            },
        };
        let per_clock = match (text.per_clock, &text.rate_from) {
            (Some(rate), Some(from)) if rate > 0 => Some((rate, self.source(place, from)?)),
            (None, None) => None,
            _ => return Err(self.bad(place, "has a rate without a source, or a source without a rate")),
        };
        Ok(Peak {
            cell: self.figure(place, text.tera_ops, TERA, &origin, &text.conflicts)?,
            per_clock,
            clock,
            deviates: text.deviates.clone(),
        })
    }

    fn modes(&self, read: &[ModeText]) -> Result<Vec<Mode>, Error> {
        let refuse =
            |mode: &str, what| Error::Mode { file: self.file.to_owned(), mode: mode.to_owned(), what };
        let memory = |mode: &str, name: &String| {
            let domains = name.strip_prefix("NPS").and_then(|digits| digits.parse().ok()).filter(|n| *n > 0);
            let domains =
                domains.ok_or_else(|| refuse(mode, "has a memory mode that is not NPS and a number"))?;
            Ok(MemoryMode { name: name.clone(), domains })
        };
        let one = |text: &ModeText| {
            Ok(Mode {
                compute: text.compute.clone(),
                devices: text.devices,
                memory: text
                    .memory
                    .iter()
                    .map(|name| memory(&text.compute, name))
                    .collect::<Result<_, Error>>()?,
                source: self.source(&text.compute, &text.from)?,
                note: text.note.clone(),
            })
        };
        read.iter().map(one).collect()
    }
}

/// Who gives a figure.
struct Origin<'a> {
    from: &'a str,
    confidence: Confidence,
    note: Option<&'a String>,
}

fn place(pipe: Pipe, dtype: Dtype) -> String {
    format!("{} {}", pipe.name(), dtype.name())
}
