//! What was measured before, judged again by the thresholds that hold now. Nothing is measured and nothing is stored.
//!
//! What the samples were compared with is in the evidence; looks, minimum effect, floors and the agreement of clocks come from
//! experiment.toml and kforge.toml as they are. Tolerances are not applied again: outputs are not kept. Invariant: evidence that an audit
//! refuses is judged by nobody.

use super::answer::{class_of, together};
use super::world::Opened;
use crate::{Error, ExitClass, Note};
use kforge_ledger::Ledger;
use kforge_record::{Digest, Evidence, LoosenedValue, Policy};
use kforge_stats::Verdict;
use serde::Serialize;
use std::path::PathBuf;

/// Which evidence of which experiment.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// An operation's name, an experiment.toml, or a folder that holds one.
    pub target: String,
    /// The folder from which an operation's name is looked up.
    pub folder: PathBuf,
    /// Evidence by its id or the start of one.
    pub evidence: Vec<String>,
}

/// The whole answer.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The operation.
    pub op: String,
    /// Every piece of evidence in the order in which it was asked for.
    pub judged: Vec<Judged>,
    /// Thresholds that are looser now than their defaults.
    pub loosened: Vec<LoosenedValue>,
    /// What the user should know beside.
    pub notes: Vec<Note>,
}

/// One piece of evidence, then and now.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// Its id.
    pub evidence: Digest,
    /// The candidate.
    pub candidate: String,
    /// When it was measured, RFC 3339.
    pub measured_at: String,
    /// On what.
    pub device: String,
    /// Launches that were measured.
    pub launches: usize,
    /// The verdict in the evidence, by its own thresholds.
    pub then: Verdict,
    /// The verdict by the present ones.
    pub now: Verdict,
    /// Whether the two are the same word.
    pub same: bool,
    /// Whether it is a win by all present thresholds, those about its cases among them.
    pub wins: bool,
    /// Why it is no win now; absent where it is one.
    pub reason: Option<String>,
}

impl Response {
    /// What the answer means for a script: yes where all of it is a win now, else as `validate` says it of the same verdicts.
    pub fn class(&self) -> ExitClass {
        let classes = self.judged.iter().map(|judged| match class_of(&judged.now) {
            ExitClass::Yes if !judged.wins => ExitClass::No,
            class => class,
        });
        classes.fold(ExitClass::Yes, together)
    }
}

/// Judges evidence again.
///
/// # Errors
/// Where the experiment or the evidence cannot be read, or the evidence is of another operation.
pub fn run(request: &Request) -> Result<Response, Error> {
    let opened = Opened::read(&request.target, &request.folder)?;
    let ledger = Ledger::open(&opened.settings.ledger)?;
    let (op, policy) = (&opened.experiment.op, &opened.experiment.tuning.policy);
    let judged = request.evidence.iter().map(|id| judge(&ledger, op, id, policy));
    let judged: Vec<Judged> = judged.collect::<Result<_, Error>>()?;
    let short = judged.iter().filter(|one| one.then.is_faster() && !one.wins);
    let notes = short.map(|one| {
        let (id, word) = (one.evidence.short(), one.now.word());
        let message = format!(
            "evidence {id} is no win by the present thresholds ({word}); measure again for more launches"
        );
        Note::new("validate.no-longer", message)
    });
    Ok(Response { op: op.clone(), notes: notes.collect(), judged, loosened: policy.loosened() })
}

fn judge(ledger: &Ledger, op: &str, prefix: &str, policy: &Policy) -> Result<Judged, Error> {
    let (of, id) = ledger.resolve(prefix)?;
    if of != op {
        return Err(Error::Usage {
            message: format!("evidence {} is of the operation `{of}`, not `{op}`", id.short()),
            hint: Some(format!("kforge validate {of} --reuse {}", id.short())),
        });
    }
    let audited = ledger.audited(op, &id)?;
    let then = audited.evidence.judgement.verdict.clone();
    let mut facts = audited.evidence.facts;
    facts.policy = policy.clone();
    for clock in &mut facts.clock {
        clock.allowed = kforge_record::Real::new(policy.measure.clock_agreement);
        clock.agrees = clock.computed_agrees();
    }
    let launches = audited.launches.len();
    let sealed = Evidence::seal(facts, audited.launches).map_err(kforge_experiment::Error::from)?;
    let (facts, now) = (sealed.evidence.facts, sealed.evidence.judgement.verdict);
    let lacking = facts.disallowed_win(&now).then(|| {
        let needed = facts.policy.measure.drawn_cases;
        format!("a win needs {needed} drawn cases now, and this run had fewer")
    });
    Ok(Judged {
        evidence: id,
        candidate: facts.candidate,
        measured_at: facts.run.started_at,
        device: facts.environment.device.name,
        launches,
        same: then.word() == now.word(),
        wins: now.is_faster() && lacking.is_none(),
        reason: lacking.or_else(|| kforge_ledger::reason(&now)),
        then,
        now,
    })
}
