//! Reads the tables and answers.

use super::answer::{File, Found, Refused, Response};
use crate::{Error, Note, Observer};
use kforge_hardware::{Devices, Found as Device, Key, Query};
use kforge_tuning::{Match, Scope, Severity, Table, audit, lookup, read, untuned};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What to read and to answer.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The tables.
    pub files: Vec<PathBuf>,
    /// A shape, as `NAME=VALUE,…`.
    pub shape: Option<String>,
    /// The device that the rows should be for: `gfx942`, `gfx942:304` or a model's name.
    pub gpu: Option<String>,
    /// A list of shapes that should have rows.
    pub untuned: Option<PathBuf>,
    /// Judge every row.
    pub audit: bool,
}

/// Answers.
///
/// # Errors
/// Where the shape or the device cannot be read, a file cannot be opened, or no file is a table.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let devices = Devices::builtin().map_err(|error| Error::Bug(error.to_string()))?;
    let (gfx, units) = device(request.gpu.as_deref(), &devices)?;
    let mut shape = parse(request.shape.as_deref().unwrap_or_default())?;
    let (tables, refused) = tables(&request.files, observer)?;
    let mut response = Response {
        files: Vec::new(),
        refused,
        shape: BTreeMap::new(),
        lookups: Vec::new(),
        findings: Vec::new(),
        audited: request.audit,
        notes: Vec::new(),
    };
    let scope = Scope { gfx: gfx.as_deref(), units, devices: Some(&devices) };
    let wanted = request.untuned.as_ref().map(|path| one(path)).transpose()?;
    for table in &tables {
        let mut findings = if request.audit { audit(table, &scope) } else { table.findings.clone() };
        findings.extend(wanted.iter().flat_map(|wanted| untuned(table, wanted)));
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        response.files.push(File {
            file: table.file.clone(),
            layout: table.layout.word(),
            rows: table.rows.len(),
            damaged: table.damaged,
            columns: table.columns.clone(),
            named: table.named.clone(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
        });
        response.findings.extend(findings);
    }
    if request.shape.is_some() {
        for (name, value) in [("gfx", gfx), ("cu_num", units.map(|units| units.to_string()))] {
            if let Some(value) = value {
                shape.entry(name.to_owned()).or_insert(value);
            }
        }
        response.lookups = tables.iter().map(|table| found(table, &shape)).collect();
        response.shape = shape;
    }
    if !request.audit {
        let message = "only what damages a file is told; --audit judges its rows";
        response.notes.push(Note::new("tuned.not-audited", message));
    }
    Ok(response)
}

fn tables(files: &[PathBuf], observer: &dyn Observer) -> Result<(Vec<Table>, Vec<Refused>), Error> {
    let (mut tables, mut refused, mut first) = (Vec::new(), Vec::new(), None);
    for path in files {
        if observer.cancelled() {
            return Err(Error::Interrupted);
        }
        match one(path) {
            Ok(table) => tables.push(table),
            Err(Error::Tuning(error)) => {
                refused.push(Refused {
                    file: path.display().to_string(),
                    code: error.code(),
                    message: error.to_string(),
                    hint: error.hint(),
                });
                first.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    match first {
        Some(error) if tables.is_empty() => Err(error.into()),
        _ => Ok((tables, refused)),
    }
}

fn one(path: &Path) -> Result<Table, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
    Ok(read(&path.display().to_string(), &bytes)?)
}

/// `M=16,N=512` as names and values.
fn parse(text: &str) -> Result<BTreeMap<String, String>, Error> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let pairs = parts.map(|part| match part.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(Error::Usage {
            message: format!("`{part}` of the shape is not NAME=VALUE"),
            hint: Some("write the table's columns: --shape M=16,N=512,K=7168".to_owned()),
        }),
    });
    pairs.collect()
}

/// The architecture and the number of units of a device that was named.
fn device(name: Option<&str>, devices: &Devices) -> Result<(Option<String>, Option<u64>), Error> {
    let Some(name) = name else { return Ok((None, None)) };
    let refuse = |message: String| Error::Usage {
        message,
        hint: Some("write gfx942, gfx942:304, or a model such as MI300X".to_owned()),
    };
    if name.starts_with("gfx") {
        let (gfx, units) = name.split_once(':').unwrap_or((name, ""));
        let parsed = units.parse::<u64>().ok();
        if !units.is_empty() && parsed.is_none() {
            return Err(refuse(format!("`{units}` of --gpu is no number of units")));
        }
        return Ok((Some(gfx.to_owned()), parsed));
    }
    match devices.find(Query { name: Some(name), ..Query::default() }) {
        Device::One(device) => {
            Ok((Some(device.architecture().to_owned()), device.cell(Key::Units).ok().map(|cell| cell.value)))
        }
        Device::Ambiguous(several) => {
            let ids: Vec<&str> = several.iter().map(|device| device.id()).collect();
            Err(refuse(format!("--gpu {name} fits several devices: {}", ids.join(", "))))
        }
        Device::Unknown(why) => Err(refuse(format!("--gpu {name}: {why}"))),
    }
}

fn found(table: &Table, shape: &BTreeMap<String, String>) -> Found {
    let answer = lookup(table, shape);
    let only = match answer.hits.as_slice() {
        [one] => table.rows.get(one.row),
        _ => None,
    };
    let cells = only.into_iter().flat_map(|row| table.columns.iter().zip(&row.cells));
    let row = cells.filter_map(|(name, cell)| Some((name.clone(), cell.clone()?))).collect();
    Found {
        file: table.file.clone(),
        outcome: match answer.outcome {
            Match::Exact => "exact",
            Match::Rounded => "rounded",
            Match::Ambiguous => "ambiguous",
            Match::None => "none",
            Match::OtherFile => "other-file",
            Match::Incomplete => "incomplete",
        },
        lines: answer.hits.iter().map(|hit| hit.line).collect(),
        row,
        steps: answer.steps,
        rule: answer.rule.id,
        rule_text: answer.rule.text,
        source: answer.rule.source,
        otherwise: answer.rule.otherwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_named_by_architecture_or_model() {
        let devices = Devices::builtin().unwrap();
        let of = |name: &str| device(Some(name), &devices).ok();
        assert_eq!(of("gfx942:80"), Some((Some("gfx942".to_owned()), Some(80))));
        // 304 compute units: AMD's data sheet of the Instinct MI300X.
        assert_eq!(of("MI300X"), Some((Some("gfx942".to_owned()), Some(304))));
        assert_eq!((of("gfx942:x"), of("no such thing")), (None, None));
    }

    #[test]
    fn a_shape_that_is_no_list_of_pairs_is_a_mistake_of_the_command_line() {
        assert_eq!(parse("M=1, N=2").unwrap().len(), 2);
        assert!(matches!(parse("M=1,N"), Err(Error::Usage { .. })));
        assert!(matches!(parse("M="), Err(Error::Usage { .. })));
    }
}
