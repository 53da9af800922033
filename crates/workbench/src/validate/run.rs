//! Carries an experiment through its stages, and writes down what happens before and after it is measured.

use super::answer::{Beside, CandidateAnswer, Response};
use super::locate;
use super::moment;
use super::request::Request;
use super::resources::Resources;
use super::since::{self, Compared};
use super::world::{Asked, Opened, World, with_engine};
use crate::{Error, Note, Observer, inside_commit};
use kforge_experiment::{
    Checked, Entropy, Experiment, Harness, Interrupt, PROTOCOL, Place, Proposed, Remark, Repository,
    RunContext, Sealed, Shop, Snapshot, SystemEntropy,
};
use kforge_ledger::Ledger;
use kforge_record::{Claim, Digest, JOURNAL_SCHEMA, JournalEntry, JournalEvent, Run};
use std::collections::BTreeMap;
use std::path::Path;

/// An observer as the engine's interrupt.
pub(super) struct Wish<'a>(pub(super) &'a dyn Observer);

impl Interrupt for Wish<'_> {
    fn is_set(&self) -> bool {
        self.0.cancelled()
    }
}

/// Validates candidates and stores the evidence.
///
/// # Errors
/// Where the experiment cannot be carried out; what a candidate does wrong is part of the answer.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    inside_commit::refuse("validate")?;
    let mut opened = Opened::read(&request.target, &request.folder)?;
    let (root, policy) = (opened.repository.root.clone(), opened.settings.policy.clone());
    let compared = since::apply(&mut opened.experiment, request, &root, &policy)?;
    opened.refuse_todo()?;
    let claim =
        request.claim.as_deref().map(Claim::parse).transpose().map_err(kforge_experiment::Error::from)?;
    let ledger = Ledger::open(&opened.settings.ledger)?;
    let files_before = Snapshot::of(&opened.repository);
    let asked = Asked {
        place: request.place.as_deref(),
        maps: &request.maps,
        device: request.device.as_deref(),
        patience: request.patience,
    };
    let (opened, compared) = (&opened, compared.as_ref());
    let mode = opened.experiment.tuning.cache;
    let (mut response, remarks) = with_engine(opened, &asked, mode, observer, |engine, world| {
        let sealed = Proposed::new(engine, since::wanted(compared, &request.candidates))?
            .build()?
            .seal(&mut SystemEntropy)?;
        let names = sealed.candidates();
        about_one(claim.as_ref(), names.len())?;
        let work = Work {
            ledger: &ledger,
            experiment: &opened.experiment,
            request,
            text: &opened.text,
            claim,
            base: compared,
            shop: world.shop,
        };
        let contexts = work.journal(&sealed, &names, world)?;
        let base = compared.map(|compared| compared.answer(&sealed)).transpose()?;
        let rivals = contexts.values().map(|context| context.run.candidates).max().unwrap_or(0);
        let checked = sealed.check(&mut SystemEntropy)?;
        let candidates = work.finish_all(&checked, &names, contexts, &opened.repository)?;
        let notes = match &base {
            Some(base) => base.notes(),
            None => notes(&candidates, rivals),
        };
        Ok(Response {
            op: opened.experiment.op.clone(),
            experiment: locate::shown(&opened.path, &request.folder),
            device: engine.device.describe().name,
            prefix: world.place.is_elsewhere().then(|| world.place.prefix.join(" ")),
            cache: mode.word().to_owned(),
            notes,
            candidates,
            base,
        })
    })?;
    let changed = Snapshot::of(&opened.repository).changed_since(&files_before);
    let remarks = remarks.into_iter().chain(tree_changed(&opened.experiment, &changed));
    response.notes.splice(..0, remarks.map(|remark| noted(&remark)));
    Ok(response)
}

/// A claim is about one candidate.
fn about_one(claim: Option<&Claim>, candidates: usize) -> Result<(), Error> {
    if claim.is_none() || candidates == 1 {
        return Ok(());
    }
    Err(Error::Usage {
        message: format!("a claim is about one candidate, and {candidates} are validated"),
        hint: Some("add --candidate NAME".to_owned()),
    })
}

/// Whether the prefix runs commands at all.
pub(super) fn probe(place: &Place, scratch: &Path) -> Result<(), Error> {
    place.probe(scratch).map_err(|message| {
        Error::from(kforge_experiment::Error::Prefix {
            prefix: place.prefix.join(" "),
            probe: "sh FILE".to_owned(),
            message,
        })
    })
}

/// What every candidate's bookkeeping needs.
struct Work<'a> {
    ledger: &'a Ledger,
    experiment: &'a Experiment,
    request: &'a Request,
    text: &'a str,
    claim: Option<Claim>,
    base: Option<&'a Compared>,
    shop: &'a Shop<'a>,
}

impl Work<'_> {
    /// Writes every candidate into the journal before anything is checked or timed: a loss cannot be forgotten.
    fn journal(
        &self,
        sealed: &Sealed<'_>,
        names: &[String],
        world: &World<'_>,
    ) -> Result<BTreeMap<String, RunContext>, Error> {
        let mut contexts = BTreeMap::new();
        let (place, variables) = (world.place, world.shop.variables()?);
        let (op, baseline) = (&self.experiment.op, sealed.baseline()?);
        let mut rivals = self.ledger.rivals(op, &baseline)?;
        for name in names {
            rivals.insert(sealed.pair(name)?);
        }
        for name in names {
            let pair = sealed.pair(name)?;
            let prior = self.ledger.prior_runs(op, &pair)?;
            let started_at = moment::now();
            let nonce = format!("{:016x}{:016x}", SystemEntropy.seed(), SystemEntropy.seed());
            let run = Run {
                id: Digest::of_bytes(b""),
                nonce,
                finished_at: started_at.clone(),
                started_at,
                kforge: env!("CARGO_PKG_VERSION").to_owned(),
                protocol: PROTOCOL,
                harness: Harness::digest(),
                experiment: Digest::of_bytes(self.text.as_bytes()),
                pair,
                candidates: u32::try_from(rivals.len()).unwrap_or(u32::MAX),
                confirmation: self.request.confirm,
                base: self.base.map(|compared| compared.commit.clone()),
            };
            let run = run.identified().map_err(kforge_experiment::Error::from)?;
            // What cannot be started here says nothing about the candidate, and must not count against it later.
            if !sealed.never_ran(name) && run.base.is_none() {
                let started = self.entry(&run, name, JournalEvent::Started, None);
                self.ledger.journal(&JournalEntry { baseline: Some(baseline), ..started })?;
            }
            let prefix = place.is_elsewhere().then(|| place.prefix.join(" "));
            contexts.insert(
                name.clone(),
                RunContext {
                    run,
                    claim: self.claim.clone(),
                    prior,
                    prefix,
                    variables,
                    inherited: world.inherited.clone(),
                },
            );
        }
        Ok(contexts)
    }

    fn entry(
        &self,
        run: &Run,
        candidate: &str,
        event: JournalEvent,
        end: Option<(&str, Digest)>,
    ) -> JournalEntry {
        JournalEntry {
            schema: JOURNAL_SCHEMA.to_owned(),
            event,
            at: if end.is_some() { run.finished_at.clone() } else { run.started_at.clone() },
            run: run.id,
            op: self.experiment.op.clone(),
            candidate: candidate.to_owned(),
            pair: run.pair,
            baseline: None,
            verdict: end.map(|(verdict, _)| verdict.to_owned()),
            evidence: end.map(|(_, evidence)| evidence),
        }
    }

    /// Finishes every candidate, in the order of the experiment.
    fn finish_all(
        &self,
        checked: &Checked<'_>,
        names: &[String],
        mut contexts: BTreeMap<String, RunContext>,
        repository: &Repository,
    ) -> Result<Vec<CandidateAnswer>, Error> {
        let mut candidates = Vec::new();
        for name in names {
            let context =
                contexts.remove(name).ok_or_else(|| Error::Bug(format!("`{name}` was never journalled")))?;
            candidates.push(self.finish(checked, name, context, repository)?);
        }
        Ok(candidates)
    }

    /// Times one candidate where it is right, stores its evidence and closes its journal entry.
    fn finish(
        &self,
        checked: &Checked<'_>,
        name: &str,
        mut context: RunContext,
        repository: &Repository,
    ) -> Result<CandidateAnswer, Error> {
        let sealed = match checked.candidate(name) {
            Ok(correct) => {
                let timed = correct.time(&mut SystemEntropy)?;
                context.run.finished_at = moment::now();
                timed.evidence(&context)?
            }
            Err(refuted) => {
                context.run.finished_at = moment::now();
                refuted.evidence(&context)?
            }
        };
        let id = self.ledger.put_evidence(&sealed)?;
        let word = sealed.evidence.judgement.verdict.word();
        let ran = !sealed.evidence.facts.sides.candidate.never_ran() || checked.was_sealed(name);
        // A comparison with an earlier commit is no run of the pair, which may be made of the same files.
        let journalled = ran && context.run.base.is_none();
        if journalled {
            self.ledger.journal(&self.entry(&context.run, name, JournalEvent::Finished, Some((word, id))))?;
        }
        let file = self.ledger.layout().evidence(&self.experiment.op, &id)?;
        let launches = match (&sealed.evidence.samples.inline, &sealed.samples) {
            (Some(launches), _) => launches.clone(),
            (None, Some(file)) => {
                kforge_record::SamplesFile::read(&file.bytes).map_err(kforge_experiment::Error::from)?
            }
            (None, None) => Vec::new(),
        };
        let amount = |expression: &Option<kforge_experiment::Expression>, params| {
            expression.as_ref().and_then(|e| e.value(params).ok())
        };
        let amounts = self.experiment.cases.iter().map(|case| {
            (
                case.name.clone(),
                amount(&self.experiment.work.bytes, &case.params),
                amount(&self.experiment.work.flops, &case.params),
            )
        });
        let beside = Beside {
            work: amounts.collect(),
            suggested_cases: checked.suggested_cases(name),
            log: checked.log(name).to_owned(),
            path: locate::shown(&file, &repository.root),
            resources: Resources::of(self.shop, name).known(),
        };
        Ok(CandidateAnswer::of(&sealed, &launches, beside))
    }
}

/// Files of the user's own that changed in the meantime, but for what kforge itself wrote there.
fn tree_changed(experiment: &Experiment, changed: &[String]) -> Option<Remark> {
    let evidence = format!("kernels/{}/evidence/", experiment.op);
    let mine = |path: &&String| !path.contains(&evidence) && !path.starts_with(".kforge/");
    let files: Vec<&str> = changed.iter().filter(mine).map(String::as_str).collect();
    let shown = files.get(..files.len().min(5))?.join(", ");
    let more = if files.len() > 5 { format!(" and {} more", files.len() - 5) } else { String::new() };
    (!files.is_empty()).then(|| Remark {
        code: "tree-changed",
        message: format!(
            "{shown}{more} changed in the project while this ran: edited by hand, or written by a side that left its own copy"
        ),
    })
}

/// What a side did beside answering.
pub(super) fn noted(remark: &Remark) -> Note {
    let message = remark.message.clone();
    match remark.code {
        "left-process" => Note::new("validate.left-process", message),
        "subject-incomplete" => Note::new("validate.subject-incomplete", message),
        "tree-changed" => Note::new("validate.tree-changed", message),
        _ => Note::new("validate.source-changed", message),
    }
}

/// What goes beyond a single candidate.
fn notes(candidates: &[CandidateAnswer], rivals: u32) -> Vec<Note> {
    let mut notes = Vec::new();
    for answer in candidates {
        notes.extend(answer.resources.iter().flat_map(|resources| resources.notes(&answer.candidate)));
        notes.extend(answer.checks.errors.iter().filter_map(|errors| errors.note(&answer.candidate)));
        let again = answer.earlier.not_faster;
        if answer.verdict.is_faster() && again > 0 {
            notes.push(Note::new(
                "validate.earlier",
                format!("{}: {again} earlier runs of the same pair were no win; a commit needs a confirmation run (--confirm)", answer.candidate),
            ));
        }
    }
    let first_win = |answer: &CandidateAnswer| {
        answer.verdict.is_faster() && answer.earlier.runs == answer.earlier.not_faster
    };
    if rivals > 1 && candidates.iter().any(first_win) {
        notes.push(Note::new(
            "validate.selection",
            format!("{rivals} candidates have been measured against this baseline; the one that is kept needs a confirmation run before a commit (--confirm)"),
        ));
    }
    notes
}
