//! Looks at the machine, and runs a kernel class on it where that was asked for.

use super::answer::{Bringup, Response};
use super::{bringup, machine, pitfalls, report};
use crate::init::Class;
use crate::save::save;
use crate::validate::Scratch;
use crate::{Error, Observer};
use kforge_experiment::Place;
use std::path::PathBuf;
use std::time::Duration;

/// What to look at, and which class to run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The folder that a report is written to.
    pub folder: PathBuf,
    /// A library's tree, looked through for stale locks and damaged tuned tables.
    pub root: Option<PathBuf>,
    /// A kernel class to bring up.
    pub bringup: Option<Class>,
    /// A command prefix; absent: commands run here.
    pub place: Option<String>,
    /// Path maps `HOST:INSIDE` of the prefix.
    pub maps: Vec<String>,
    /// Which GPU.
    pub device: Option<String>,
    /// How long to wait for a free GPU.
    pub patience: Duration,
}

/// Answers.
///
/// # Errors
/// Where the prefix cannot be used or the report cannot be written; what is missing on the machine is part of the answer.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let place = match &request.place {
        Some(prefix) => Place::new(prefix, &request.maps).map_err(Error::from)?,
        None => Place::default(),
    };
    let mut findings = machine::look(&place);
    // What lies here says nothing of the place behind a prefix.
    if !place.is_elsewhere() {
        findings.extend(pitfalls::variables(&|name| std::env::var(name).ok()));
        findings.extend(pitfalls::shadows(&request.folder));
        if let Some(root) = &request.root {
            findings.extend(pitfalls::below(root));
        }
    }
    let mut response = Response {
        kforge: env!("CARGO_PKG_VERSION"),
        prefix: place.is_elsewhere().then(|| place.prefix.join(" ")),
        findings,
        bringup: None,
        notes: Vec::new(),
    };
    let Some(class) = request.bringup else { return Ok(response) };
    // Where commands see another file system, only a mapped folder is visible to them.
    let parent = place.scratch_parent();
    let folder = Scratch::make(&parent)?;
    let root = folder.path().canonicalize().unwrap_or_else(|_| folder.path().to_owned());
    let patient = Request { patience: request.patience.min(bringup::PATIENCE), ..request.clone() };
    let steps = bringup::run(&patient, class, &root, observer)?;
    let file = request.folder.join(format!("kforge-bringup-{}.md", class.word()));
    let text = report::text(class, &response.findings, &steps, &crate::validate::now());
    save(&file, text.as_bytes())?;
    let works = steps.iter().all(|step| step.works);
    let shown = file.strip_prefix("./").unwrap_or(&file).display().to_string();
    response.bringup = Some(Bringup { class, works, steps, report: shown });
    Ok(response)
}
