//! The order of the links: evidence, verdict, history, staged code, hooks, blobs, branch.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use kforge_ledger::{Disk, RealDisk};
use kforge_record::{Audited, Digest, SubjectEntry};
use serde::Serialize;

use super::publish::{self, Publication};
use super::staging::Staging;
use crate::gate::{self, BrokenLink, Runs};
use crate::git::Git;
use crate::inside_commit;
use crate::project::Project;
use crate::settings::Binding;
use crate::{Error, Note, Observer, Progress};

/// What to commit.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A folder of the project.
    pub folder: PathBuf,
    /// The op.
    pub op: String,
    /// Only evidence of this candidate.
    pub candidate: Option<String>,
    /// The message; one is made from the evidence where none is given.
    pub message: Option<String>,
    /// Other paths that the commit may hold, relative to `folder`.
    pub also: Vec<String>,
}

/// The commit, or why there is none.
#[derive(Debug, Serialize)]
pub struct Response {
    /// What was committed.
    pub committed: Option<Committed>,
    /// The first broken link.
    pub refused: Option<BrokenLink>,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// A commit that rests on evidence.
#[derive(Debug, Serialize)]
pub struct Committed {
    /// The commit.
    pub commit: String,
    /// The branch that moved; `HEAD` where no branch is checked out.
    pub reference: String,
    /// The op.
    pub op: String,
    /// The candidate.
    pub candidate: String,
    /// The evidence.
    pub evidence: Digest,
    /// The verdict with its number.
    pub answer: String,
    /// Files that the commit changes, relative to the repository's top.
    pub files: Vec<String>,
    /// `note`, `trailer` or `none`.
    pub binding: &'static str,
}

/// Commits, or refuses.
///
/// # Errors
/// Where there is no repository, git fails, or a file cannot be read; a refusal is an answer, not an error.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    run_on(request, observer, Arc::new(RealDisk))
}

/// As `run`, with effects going through the given disk.
///
/// # Errors
/// As `run`.
pub fn run_on(request: &Request, observer: &dyn Observer, disk: Arc<dyn Disk>) -> Result<Response, Error> {
    inside_commit::refuse("commit")?;
    let project = Project::with_disk(&request.folder, disk)?;
    let refused = |link| Response { committed: None, refused: Some(link), notes: Vec::new() };
    match attempt(&project, request, observer)? {
        Ok(response) => Ok(response),
        Err(link) => Ok(refused(link)),
    }
}

fn attempt(
    project: &Project,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Result<Response, BrokenLink>, Error> {
    let git = project.repository()?;
    if let Some(link) = in_progress(git) {
        return Ok(Err(link));
    }
    let held = project.ledger.hold()?;
    let entries = present(project, git, &request.op)?;
    let lookup = |path: &str| entries.get(path).cloned();
    let id = match gate::evidence_for(&project.ledger, &request.op, request.candidate.as_deref(), &lookup)? {
        Ok((id, _)) => id,
        Err(link) => return Ok(Err(link)),
    };
    let audited = match gate::admissible(&project.ledger, &request.op, &id, Runs::Known)? {
        Ok(audited) => audited,
        Err(mut link) => {
            if request.candidate.is_none()
                && let Some(other) = gate::other_win(&project.ledger, &request.op, &id, &lookup)?
            {
                let op = &request.op;
                link.hint = Some(format!(
                    "this is the newest evidence; `kforge commit {op} --candidate {other}` may be committed"
                ));
            }
            return Ok(Err(link));
        }
    };
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    let mut staging = Staging::new(project, git, request, &audited)?;
    if let Some(link) = staging.fill()? {
        return Ok(Err(link));
    }
    observer.progress(Progress::Stage("running the repository's hooks".to_owned()));
    let mut message = message(project, request, &audited)?;
    if let Some(link) = staging.hooks(&mut message)? {
        return Ok(Err(link));
    }
    let tree = staging.tree()?;
    let files = staging.changed(&tree)?;
    if files.is_empty() {
        let text = "HEAD already holds exactly these files and their evidence";
        let hint = "`kforge verify` shows what HEAD rests on";
        return Ok(Err(BrokenLink::new("nothing-to-commit", text, hint)));
    }
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    let publication =
        Publication { tree: &tree, message: &message, files: &files, evidence: &audited, op: &request.op };
    let published = match publish::publish(project, git, &held, &staging, &publication)? {
        Ok(published) => published,
        Err(link) => return Ok(Err(link)),
    };
    let mut notes = published.notes;
    if project.ledger.lesson(&request.op, &id)?.is_none() {
        let hint = "the evidence is committed but not recorded: `kforge record` gives it a version and notes";
        notes.push(Note::new("commit.not-recorded", hint));
    }
    Ok(Ok(Response {
        committed: Some(Committed {
            commit: published.commit,
            reference: published.reference,
            op: request.op.clone(),
            candidate: audited.evidence.facts.candidate.clone(),
            evidence: id,
            answer: kforge_ledger::headline(&audited.evidence.judgement.verdict),
            files,
            binding: match project.binding {
                Binding::Note => "note",
                Binding::Trailer => "trailer",
                Binding::None => "none",
            },
        }),
        refused: None,
        notes,
    }))
}

/// A merge, rebase or pick that waits to be finished: a commit now would take its place.
pub(crate) fn in_progress(git: &Git) -> Option<BrokenLink> {
    let marks = [
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
    ];
    let (_, what) = marks.into_iter().find(|(mark, _)| git.folder.join(mark).exists())?;
    let message = format!("a {what} is in progress");
    Some(BrokenLink::new("operation-in-progress", message, "finish or abort it first"))
}

/// The present entries of every file that is in some candidate's subject of the op.
fn present(project: &Project, git: &Git, op: &str) -> Result<BTreeMap<String, SubjectEntry>, Error> {
    let mut paths = Vec::new();
    for id in project.ledger.evidence_ids(op)? {
        // What cannot be read is named by the gate.
        let Ok(evidence) = project.ledger.read(op, &id) else { continue };
        paths.extend(evidence.facts.sides.candidate.subject.entries.into_iter().map(|entry| entry.path));
    }
    paths.sort();
    paths.dedup();
    let entries = git.present(&project.root, &paths)?;
    Ok(paths.into_iter().zip(entries).filter_map(|(path, entry)| Some((path, entry?))).collect())
}

fn message(project: &Project, request: &Request, audited: &Audited) -> Result<String, Error> {
    let facts = &audited.evidence.facts;
    let made = || {
        format!(
            "{}: {} is {}",
            request.op,
            facts.candidate,
            kforge_ledger::headline(&audited.evidence.judgement.verdict)
        )
    };
    let message = request.message.clone().unwrap_or_else(made);
    if project.binding != Binding::Trailer {
        return Ok(message);
    }
    let trailer = format!("Kforge-Evidence: {}", audited.id);
    let git = project.repository()?;
    git.call(["interpret-trailers", "--if-exists", "replace", "--trailer", trailer.as_str()])
        .input(message)
        .text()
}
