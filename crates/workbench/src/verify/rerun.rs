//! Measuring again: the only answer to whoever could have made everything up.
//!
//! Builds and measures the same pair as it lies in the working tree. Reproduced means that a fresh run of exactly these
//! subjects says faster too; the fresh run is journalled and its evidence kept like any other.

use kforge_record::Digest;

use super::answer::Checked;
use super::state::Findings;
use crate::gate::BrokenLink;
use crate::project::Project;
use crate::{Error, Note, Observer, validate};

/// The level of evidence whose measurement was made again with the same answer.
const REPRODUCED: &str = "reproduced";

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
    let request = validate::Request {
        target: one.op.clone(),
        folder: project.root.clone(),
        candidates: vec![one.candidate.clone()],
        place: old.facts.environment.prefix.clone(),
        maps: Vec::new(),
        claim: None,
        confirm: true,
    };
    let response = validate::run(&request, observer)?;
    let Some(fresh) = response.candidates.first() else {
        return Err(Error::Bug("a validation without candidates".to_owned()));
    };
    let new = project.ledger.read(&one.op, &fresh.evidence)?;
    if new.facts.run.pair != old.facts.run.pair {
        let message = format!(
            "the working tree holds another baseline or candidate than evidence {}",
            one.evidence.short()
        );
        let hint = "check out the commit that is verified, then repeat";
        return Ok(Err(BrokenLink::new("subject-differs", message, hint)));
    }
    let (before, after) = (&old.judgement.verdict, &new.judgement.verdict);
    if before.word() != after.word() {
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
