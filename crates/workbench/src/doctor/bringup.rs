//! A kernel class from its skeleton to verified evidence, on the machine at hand, step by step.
//!
//! It goes through what a first user meets: the skeleton is built and sealed, its baseline is timed with warm and cold caches and with calls too
//! short to be launched one by one, its candidate gets a verdict, a wrong candidate is caught, and evidence verifies. Invariant: nothing but
//! the report is left behind.

use super::answer::Step;
use super::verb::Request;
use crate::git::Git;
use crate::init::{self, Class};
use crate::validate::{self, bench};
use crate::{Error, Observer, headline, verify};
use kforge_experiment::{Clock, MonotonicClock};
use std::path::Path;
use std::time::Duration;

const OP: &str = "softmax";
/// A case whose calls are too short to be launched one by one.
const SHORT: &str = "[[case]]\nname = \"short\"\nparams = { rows = 8, cols = 64 }\n\n[domain]";
/// The skeleton that adds instead has another shape.
const SHORT_ADD: &str = "[[case]]\nname = \"short\"\nparams = { n = 1024 }\n\n[domain]";

/// What a step gives: whether it went as it should, and what was seen.
type Seen = (bool, Vec<String>);

/// Runs the steps in a folder that is there for them alone.
///
/// # Errors
/// Only an interrupt; what goes wrong is a step that does not work.
pub(super) fn run(
    request: &Request,
    class: Class,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<Vec<Step>, Error> {
    let (mut steps, clock) = (Vec::new(), MonotonicClock::starting_now());
    let word = class.word();
    let mut step = |what: &'static str,
                    command: String,
                    work: &dyn Fn() -> Result<Seen, Error>|
     -> Result<bool, Error> {
        if observer.cancelled() {
            return Err(Error::Interrupted);
        }
        let start = clock.now();
        let (works, seen) = match work() {
            Ok(seen) => seen,
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(error) => (false, told(&error)),
        };
        let ms = clock.now().since(start).0.unsigned_abs() / 1_000_000;
        steps.push(Step { what, command, works, seen, ms });
        Ok(works)
    };
    let ready = step("a skeleton is written", format!("kforge init {OP} --class {word}"), &|| {
        skeleton(class, folder)
    })?;
    if !ready {
        return Ok(steps);
    }
    step("its baseline is right and is timed, warm, cold and short", format!("kforge bench {OP}"), &|| {
        alone(request, folder, observer)
    })?;
    step("its candidate gets a verdict", format!("kforge validate {OP}"), &|| {
        verdict(request, folder, observer)
    })?;
    step("a candidate that is wrong is caught", format!("kforge validate {OP}"), &|| {
        caught(request, class, folder, observer)
    })?;
    step("what was measured verifies", "kforge verify ID".to_owned(), &|| verified(folder, observer))?;
    Ok(steps)
}

fn told(error: &Error) -> Vec<String> {
    let hint = error.hint().map(|hint| format!("hint: {hint}"));
    error.to_string().lines().map(str::to_owned).chain(hint).collect()
}

fn skeleton(class: Class, folder: &Path) -> Result<Seen, Error> {
    let failed = |source| Error::Write { path: folder.to_owned(), source };
    std::fs::write(folder.join("kforge.toml"), "").map_err(failed)?;
    std::fs::write(folder.join(".gitignore"), "/build/\n/.kforge/\n").map_err(failed)?;
    git(folder, &["init", "--quiet"])?;
    let request =
        init::Request { folder: folder.to_owned(), op: OP.to_owned(), start: init::Start::Skeleton(class) };
    let written = init::run(&request, &crate::Silent)?;
    let file = folder.join("kernels").join(OP).join("experiment.toml");
    let text = std::fs::read_to_string(&file).map_err(failed)?;
    let short = if text.contains("rows") { SHORT } else { SHORT_ADD };
    std::fs::write(&file, text.replacen("[domain]", short, 1)).map_err(failed)?;
    git(folder, &["add", "--all"])?;
    git(
        folder,
        &[
            "-c",
            "user.name=kforge",
            "-c",
            "user.email=kforge@localhost",
            "commit",
            "--quiet",
            "--message",
            "skeleton",
        ],
    )?;
    Ok((true, vec![format!("needs {}", written.needs)]))
}

/// A scratch repository needs no more of git than to exist.
fn git(folder: &Path, arguments: &[&str]) -> Result<(), Error> {
    let git = Git { top: folder.to_owned(), folder: folder.join(".git"), prefix: String::new() };
    git.call(arguments.iter().copied()).text().map(drop)
}

fn alone(request: &Request, folder: &Path, observer: &dyn Observer) -> Result<Seen, Error> {
    let answer = bench::run(
        &bench::Request {
            target: OP.to_owned(),
            folder: folder.to_owned(),
            launches: 3,
            place: request.place.clone(),
            maps: request.maps.clone(),
            device: request.device.clone(),
            patience: request.patience,
            ..bench::Request::default()
        },
        observer,
    )?;
    let mut seen = vec![format!("on {}", answer.device)];
    seen.extend(answer.cases.iter().map(|case| {
        let (name, cache, way, median) = (&case.case, case.cache, case.launching, case.median_ns);
        format!("{name}, {cache}, launched by {way}: {median:.0} ns a call, {} samples", case.samples)
    }));
    if !answer.correct {
        seen.push(format!("incorrect: {}", answer.reason));
    }
    seen.extend(answer.doubts.iter().map(|doubt| format!("doubtful: {doubt}")));
    seen.extend(answer.notes.iter().map(|note| format!("note: {}", note.message)));
    Ok((answer.correct && answer.doubts.is_empty(), seen))
}

fn answer(request: &Request, folder: &Path, observer: &dyn Observer) -> Result<validate::Response, Error> {
    let request = validate::Request {
        target: OP.to_owned(),
        folder: folder.to_owned(),
        place: request.place.clone(),
        maps: request.maps.clone(),
        device: request.device.clone(),
        patience: request.patience,
        ..validate::Request::default()
    };
    validate::run(&request, observer)
}

fn verdict(request: &Request, folder: &Path, observer: &dyn Observer) -> Result<Seen, Error> {
    let answer = answer(request, folder, observer)?;
    let Some(one) = answer.candidates.first() else { return Ok((false, Vec::new())) };
    let timed = !matches!(one.verdict.word(), "incorrect" | "void");
    let mut seen = vec![headline(&one.verdict), one.reason.clone()];
    let agree = one.clock.iter().filter(|check| check.agrees).count();
    seen.push(format!("{agree} of {} clocks agree with the time from outside", one.clock.len()));
    seen.extend(answer.notes.iter().map(|note| format!("note: {}", note.message)));
    Ok((timed, seen))
}

fn caught(request: &Request, class: Class, folder: &Path, observer: &dyn Observer) -> Result<Seen, Error> {
    let Some((name, right, wrong)) = class.spoilt() else {
        return Ok((true, vec!["not tried: this skeleton has no wrong version".to_owned()]));
    };
    let file = folder.join("kernels").join(OP).join(name);
    let text = std::fs::read_to_string(&file).map_err(|source| Error::Io { path: file.clone(), source })?;
    let failed = |source| Error::Write { path: file.clone(), source };
    std::fs::write(&file, text.replacen(right, wrong, 1)).map_err(failed)?;
    let answered = answer(request, folder, observer);
    std::fs::write(&file, &text).map_err(failed)?;
    let answered = answered?;
    let Some(one) = answered.candidates.first() else { return Ok((false, Vec::new())) };
    Ok((one.verdict.word() == "incorrect", vec![one.verdict.word().to_owned(), one.reason.clone()]))
}

fn verified(folder: &Path, observer: &dyn Observer) -> Result<Seen, Error> {
    let evidence = folder.join("kernels").join(OP).join("evidence");
    let entries =
        std::fs::read_dir(&evidence).map_err(|source| Error::Io { path: evidence.clone(), source })?;
    let mut ids: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".json")?.to_owned()))
        .collect();
    ids.sort();
    let mut seen = Vec::new();
    let mut works = !ids.is_empty();
    for id in ids {
        let request = verify::Request {
            folder: folder.to_owned(),
            target: Some(id.clone()),
            ..verify::Request::default()
        };
        let answer = verify::run(&request, observer)?;
        works &= answer.broken.is_empty();
        let broken = answer.broken.iter().map(|link| link.message.clone());
        let short: String = id.chars().take(12).collect();
        seen.push(format!(
            "{short}: {}",
            answer.level.clone().unwrap_or_else(|| broken.collect::<Vec<_>>().join("; "))
        ));
    }
    Ok((works, seen))
}

/// The longest that a bring-up waits for a free GPU.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);
