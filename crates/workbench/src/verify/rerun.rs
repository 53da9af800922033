//! Measuring again: the only answer to whoever could have made everything up.
//!
//! Builds and measures the same pair as it lies in the working tree. Reproduced means that a fresh run of exactly these
//! subjects reaches the same verdict, and one that says something: a run that is void or inconclusive reproduces nothing. The fresh run is
//! journalled and its evidence kept like any other.
//!
//! Evidence made behind a prefix is measured again behind the `[env.NAME]` of kforge.toml with that prefix, its maps and variables with
//! it; words that evidence brings along are never run.

use kforge_experiment::Place;
use kforge_record::{Digest, Evidence, Verdict};

use super::answer::Checked;
use super::state::Findings;
use crate::gate::BrokenLink;
use crate::project::Project;
use crate::settings::{PlaceTable, Settings};
use crate::{Error, Note, Observer, validate};

/// The level of evidence whose measurement was made again with the same answer.
const REPRODUCED: &str = "reproduced";
/// How long a measurement that needs a GPU waits for one.
const PATIENCE: std::time::Duration = std::time::Duration::from_mins(10);

/// Measures every checked piece of evidence again and raises its level, or adds what did not come out.
pub(super) fn reproduce(
    project: &Project,
    findings: &mut Findings,
    observer: &dyn Observer,
) -> Result<(), Error> {
    let mut checked = std::mem::take(&mut findings.checked);
    for one in &mut checked {
        match again(project, one, observer)? {
            Ok(fresh) => {
                let text = format!("evidence {} was measured again: {}", one.evidence.short(), fresh.short());
                findings.notes.push(Note::new("verify.reproduced", text));
                REPRODUCED.clone_into(&mut one.level);
            }
            Err(link) => findings.broken.push(link),
        }
    }
    findings.checked = checked;
    Ok(())
}

fn again(
    project: &Project,
    one: &Checked,
    observer: &dyn Observer,
) -> Result<Result<Digest, BrokenLink>, Error> {
    let old = project.ledger.read(&one.op, &one.evidence)?;
    if let Some(path) = edited(project, &old)? {
        return Ok(Err(elsewhere(one, &format!("another {path}")).about(&path)));
    }
    let place = match old.facts.environment.prefix.as_deref().map(|prefix| place_of(project, prefix)) {
        None => None,
        Some(Ok(Some(name))) => Some(name),
        Some(Ok(None)) => return Ok(Err(no_place(one, &old))),
        Some(Err(error)) => return Err(error),
    };
    let request = validate::Request {
        device: None,
        patience: PATIENCE,
        target: one.op.clone(),
        folder: project.root.clone(),
        candidates: vec![one.candidate.clone()],
        place,
        maps: Vec::new(),
        claim: None,
        confirm: true,
        base: old.facts.run.base.clone(),
    };
    let response = validate::run(&request, observer)?;
    let Some(fresh) = response.candidates.first() else {
        return Err(Error::Bug("a validation without candidates".to_owned()));
    };
    let new = project.ledger.read(&one.op, &fresh.evidence)?;
    if new.facts.run.pair != old.facts.run.pair {
        return Ok(Err(elsewhere(one, "another baseline or candidate")));
    }
    let (before, after) = (&old.judgement.verdict, &new.judgement.verdict);
    let says_nothing = matches!(after, Verdict::Void { .. } | Verdict::Inconclusive { .. });
    if says_nothing || before.word() != after.word() {
        let message = format!(
            "evidence {} says {}, measured again it is {}",
            one.evidence.short(),
            before.word(),
            kforge_ledger::headline(after)
        );
        return Ok(Err(BrokenLink::new(
            "not-reproduced",
            message,
            "measure on a quiet machine of the same kind",
        )));
    }
    Ok(Ok(fresh.evidence))
}

/// The name in kforge.toml of the place with this prefix.
fn place_of(project: &Project, prefix: &str) -> Result<Option<String>, Error> {
    let settings = Settings::read(&project.root)?;
    let words = |place: &PlaceTable| Place::new(&place.prefix, &[]).ok().map(|place| place.prefix.join(" "));
    let mut fits = settings.env.iter().filter(|(_, place)| words(place).as_deref() == Some(prefix));
    Ok(fits.next().map(|(name, _)| name.clone()))
}

fn no_place(one: &Checked, old: &Evidence) -> BrokenLink {
    let prefix = old.facts.environment.prefix.as_deref().unwrap_or_default();
    let message = format!(
        "evidence {} was measured behind `{prefix}`, and no [env.NAME] of kforge.toml has that prefix",
        one.evidence.short()
    );
    let hint = "state the place in kforge.toml (`[env.NAME]` with its prefix and maps), then repeat; what evidence names is not run";
    BrokenLink::new("not-reproduced", message, hint)
}

fn elsewhere(one: &Checked, what: &str) -> BrokenLink {
    let message = format!("the working tree holds {what} than evidence {}", one.evidence.short());
    BrokenLink::new("subject-differs", message, "check out the commit that is verified, then repeat")
}

/// The first file of a side of the working tree that is not as it was measured; no run is spent on another pair.
fn edited(project: &Project, old: &Evidence) -> Result<Option<String>, Error> {
    let git = project.repository()?;
    for side in [&old.facts.sides.candidate, &old.facts.sides.baseline] {
        let entries = &side.subject.entries;
        if side.subject.tree != "worktree" {
            continue;
        }
        let paths: Vec<String> = entries.iter().map(|entry| entry.path.clone()).collect();
        let present = git.present(&project.root, &paths)?;
        let differs = entries.iter().zip(present).find(|(entry, found)| found.as_ref() != Some(*entry));
        if let Some((entry, _)) = differs {
            return Ok(Some(entry.path.clone()));
        }
    }
    Ok(None)
}
