//! Which evidence a commit may rest on. Fails closed: the first broken link is named.
//!
//! A win counts alone where the pair never did anything but win. After an earlier run that was no win, or where the
//! candidate was kept out of several, it takes two wins that follow each other: the second is the confirmation.

use kforge_ledger::Ledger;
use kforge_record::{Audited, Digest, Evidence, PriorRun, SubjectEntry};
use serde::Serialize;

use crate::Error;

/// The first link that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenLink {
    /// A stable word: `no-evidence`, `malformed`, `not-faster`, `subject-differs`, `needs-confirmation`, `staged-code`,
    /// `staged-conflict`, `hook-refused`, `hook-changed-subject`, `ref-moved`, `operation-in-progress`, `nothing-to-commit`, `empty-message`,
    /// `bad-signature`, `other-baseline`, `evidence-removed`, `subject-removed`, `settings-changed`, `not-reproduced`.
    pub link: &'static str,
    /// A lowercase fact.
    pub message: String,
    /// The cure, where there is one.
    pub hint: Option<String>,
    /// The file it is about.
    pub file: Option<String>,
}

impl BrokenLink {
    pub(crate) fn new(link: &'static str, message: impl Into<String>, hint: &str) -> Self {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        Self { link, message: message.into(), hint, file: None }
    }

    pub(crate) fn about(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }
}

/// Which runs count.
#[derive(Clone, Copy)]
pub(crate) enum Runs<'a> {
    /// Journal and evidence, all of them: before a commit.
    Known,
    /// This evidence of the op alone, up to the one that is looked at: when verifying what was committed then. Candidates of
    /// later runs count as well where their evidence came together with it.
    Shown {
        /// All that can be read.
        evidence: &'a [(Digest, Evidence)],
        /// Of these, later runs that count.
        together: &'a [Digest],
    },
}

/// The newest evidence of an op for exactly these files, or the first broken link.
pub(crate) fn evidence_for(
    ledger: &Ledger,
    op: &str,
    candidate: Option<&str>,
    present: &dyn Fn(&str) -> Option<SubjectEntry>,
) -> Result<Result<(Digest, Evidence), BrokenLink>, Error> {
    let mut all = Vec::new();
    let (mut unreadable, mut aside) = (None, None);
    for id in ledger.evidence_ids(op)? {
        match ledger.read(op, &id) {
            // What was compared with an earlier commit answers another question and hides nothing.
            Ok(evidence) if evidence.facts.run.base.is_some() => aside = Some(id),
            Ok(evidence) if candidate.is_none_or(|name| evidence.facts.candidate == name) => {
                all.push((id, evidence));
            }
            Ok(_) => {}
            Err(error) => unreadable = Some(error),
        }
    }
    all.sort_by(|(a, one), (b, other)| (&other.facts.run.started_at, b).cmp(&(&one.facts.run.started_at, a)));
    // What cannot be read may be the loss that speaks against the win which fits.
    if let Some(error) = unreadable {
        let hint = "restore the evidence file, or measure again";
        return Ok(Err(BrokenLink::new("malformed", error.to_string(), hint)));
    }
    if let Some(position) = all.iter().position(|(_, evidence)| evidence.first_difference(present).is_none())
    {
        return Ok(Ok(all.swap_remove(position)));
    }
    let who = candidate.map_or_else(String::new, |name| format!(" and candidate {name}"));
    Ok(Err(match all.first() {
        None => match aside {
            Some(id) => other_baseline(op, &id),
            None => BrokenLink::new(
                "no-evidence",
                format!("there is no evidence for op {op}{who}"),
                "run `kforge validate` first",
            ),
        },
        Some((id, evidence)) => {
            let name = &evidence.facts.candidate;
            let entry = evidence.first_difference(present);
            let path = entry.map(|entry| entry.path.clone()).unwrap_or_default();
            let (found, wanted) = how(present(&path).as_ref(), entry);
            BrokenLink::new(
                "subject-differs",
                format!("{path} is {found}, the newest evidence ({}, {name}) is for {wanted}", id.short()),
                "measure the files as they are with `kforge validate`, or restore the measured ones",
            )
            .about(&path)
        }
    }))
}

/// How a file is, and how it was measured: by its blobs, or by git's modes where only those differ.
pub(crate) fn how(found: Option<&SubjectEntry>, measured: Option<&SubjectEntry>) -> (String, String) {
    let same = matches!((found, measured), (Some(found), Some(measured)) if found.blob == measured.blob);
    let words = |entry: Option<&SubjectEntry>| match entry {
        Some(entry) if same => format!("mode {}", entry.mode),
        Some(entry) => format!("blob {}", entry.blob.short()),
        None => "absent".to_owned(),
    };
    (words(found), words(measured))
}

/// Evidence that compares with an earlier commit, where a comparison with the op's baseline is asked for.
fn other_baseline(op: &str, id: &Digest) -> BrokenLink {
    BrokenLink::new(
        "other-baseline",
        format!("evidence {} compares with an earlier commit, not with the baseline of {op}", id.short()),
        &format!(
            "run `kforge validate {op}` without --base: a commit rests on a win over the op's own baseline"
        ),
    )
}

/// Another candidate of the op that may be committed as the files lie there, newest first.
pub(crate) fn other_win(
    ledger: &Ledger,
    op: &str,
    refused: &Digest,
    present: &dyn Fn(&str) -> Option<SubjectEntry>,
) -> Result<Option<String>, Error> {
    let name = ledger.read(op, refused)?.facts.candidate;
    let mut tried = vec![name];
    for (id, evidence) in ledger.find_by_subject(op, present)? {
        let candidate = &evidence.facts.candidate;
        if tried.contains(candidate) {
            continue;
        }
        if admissible(ledger, op, &id, Runs::Known)?.is_ok() {
            return Ok(Some(candidate.clone()));
        }
        tried.push(candidate.clone());
    }
    Ok(None)
}

/// The audited evidence, if a commit may rest on it.
pub(crate) fn admissible(
    ledger: &Ledger,
    op: &str,
    id: &Digest,
    runs: Runs<'_>,
) -> Result<Result<Audited, BrokenLink>, Error> {
    let audited = match ledger.audited(op, id) {
        Ok(audited) => audited,
        Err(error @ (kforge_ledger::Error::Evidence { .. } | kforge_ledger::Error::Record { .. })) => {
            let hint = error.hint().unwrap_or_default();
            return Ok(Err(BrokenLink::new("malformed", error.to_string(), &hint)));
        }
        Err(error) => return Err(error.into()),
    };
    if audited.evidence.facts.run.base.is_some() {
        return Ok(Err(other_baseline(op, id)));
    }
    let verdict = &audited.evidence.judgement.verdict;
    if !verdict.is_faster() {
        let why = kforge_ledger::reason(verdict).map_or_else(String::new, |reason| format!(": {reason}"));
        let message = format!("evidence {} says {}{why}", id.short(), kforge_ledger::headline(verdict));
        return Ok(Err(BrokenLink::new(
            "not-faster",
            message,
            "only a candidate that is faster may be committed",
        )));
    }
    let (run, baseline) = (&audited.evidence.facts.run, &audited.evidence.facts.sides.baseline.subject.id);
    // Best of many is a selection, whether they were tried in one run or one at a time: what the evidence states counts, or
    // more where the ledger shows more.
    let (read, known, mut rivals, until);
    let evidence = match runs {
        Runs::Known => {
            read = ledger.readable(op)?;
            (known, until) = (ledger.journalled_runs(&run.pair)?, None);
            rivals = ledger.journalled_rivals(op, baseline)?;
            read.as_slice()
        }
        Runs::Shown { evidence, together } => {
            (known, until) = (Vec::new(), Some(run.started_at.as_str()));
            let came = evidence.iter().filter(|(id, _)| together.contains(id));
            rivals = came.map(|(_, evidence)| evidence.facts.run.pair).collect();
            evidence
        }
    };
    rivals.extend(kforge_ledger::rivals_among(evidence, baseline, until));
    let kept_out_of = rivals.len().max(run.candidates as usize);
    let mut known = kforge_ledger::runs_of(&run.pair, evidence, known);
    known.retain(|known| until.is_none_or(|until| known.run == run.id || known.started_at.as_str() < until));
    let is_win = |run: &PriorRun| {
        let seen = run.evidence.as_ref().and_then(|id| evidence.iter().find(|(known, _)| known == id));
        run.verdict.as_deref() == Some("faster") && seen.is_some_and(|(_, e)| e.judgement.verdict.is_faster())
    };
    let after = known.iter().rposition(|run| !is_win(run));
    let wins = known.len() - after.map_or(0, |position| position + 1);
    if wins >= 2 || (after.is_none() && kept_out_of <= 1) {
        return Ok(Ok(audited));
    }
    let message = match after.and_then(|position| known.get(position)) {
        Some(loss) => format!(
            "the run of {} was {}; {wins} {} since",
            loss.started_at,
            loss.verdict.as_deref().unwrap_or("never finished"),
            if wins == 1 { "win" } else { "wins" }
        ),
        None => format!(
            "the candidate was kept out of {kept_out_of} that were measured against this baseline, and was not measured again"
        ),
    };
    let name = &audited.evidence.facts.candidate;
    let hint = format!("run `kforge validate {op} --candidate {name} --confirm`: a fresh run has to win too");
    Ok(Err(BrokenLink::new("needs-confirmation", message, &hint)))
}
