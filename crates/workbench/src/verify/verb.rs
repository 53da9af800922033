//! From the target's words to the trees to look at.

use std::path::PathBuf;

use kforge_record::{Digest, Evidence, UNBOUND};
use serde::Deserialize;

use super::answer::{Response, UnboundField};
use super::derived;
use super::ledger_at;
use super::rerun;
use super::settings;
use super::shelf::Shelf;
use super::signers::List;
use super::start;
use super::state::{Findings, Look, level};
use crate::gate::BrokenLink;
use crate::git::Git;
use crate::project::Project;
use crate::{Error, Note, Observer};

/// What to verify.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A folder of the project.
    pub folder: PathBuf,
    /// An evidence id (its first digits), a revision, or a range `A..B`; absent: HEAD.
    pub target: Option<String>,
    /// Look at the index instead; the file, where it is not the repository's own.
    pub staged: Option<Option<PathBuf>>,
    /// A gate: changed subject files must rest on evidence, other changes pass.
    pub require: bool,
    /// Build and measure again what holds.
    pub rerun: bool,
    /// Also list the fields of evidence that nothing recomputes.
    pub unbound: bool,
}

/// A range longer than this is not looked through commit by commit; its end state still is.
const MOST_COMMITS: usize = 2000;

#[derive(Deserialize)]
struct NoteText {
    op: String,
    evidence: Digest,
}

/// Verifies.
///
/// # Errors
/// Where the target names nothing, or files cannot be read; what does not hold is an answer, not an error.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    // A look at commits needs no working tree; a look at files, and measuring again, do.
    let files = request.staged.is_some() || request.rerun;
    let project =
        if files { Project::around(&request.folder)? } else { Project::in_objects(&request.folder)? };
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    let mut findings = Findings::default();
    let (target, needed) = look(&project, request, &mut findings)?;
    if findings.checked.is_empty() && findings.broken.is_empty() {
        if needed {
            let nothing = || {
                let message = format!("nothing that {target} changes rests on evidence");
                BrokenLink::new("no-evidence", message, "run `kforge validate` and `kforge commit`")
            };
            findings.broken.push(findings.unproven.take().unwrap_or_else(nothing));
        } else {
            let text = match findings.files {
                0 => format!("{target} changes no file that evidence is about"),
                files => format!(
                    "{target} changes {files} file(s) that evidence is about, and none that needs a win of its own: what is removed, holds what a win measured, is back at a measured baseline, or is kept as a loss"
                ),
            };
            findings.notes.push(Note::new("verify.nothing", text));
        }
    }
    if request.rerun && findings.broken.is_empty() {
        rerun::reproduce(&project, &mut findings, observer)?;
    }
    let holds = findings.broken.is_empty();
    let weakest = findings.checked.iter().map(|checked| &checked.level).max_by_key(|level| weakness(level));
    let unbound = UNBOUND.iter().filter(|_| request.unbound);
    Ok(Response {
        target,
        holds,
        level: weakest.cloned().filter(|_| holds),
        checked: findings.checked,
        broken: findings.broken,
        unbound: unbound.map(|field| UnboundField { path: field.path, why: field.why }).collect(),
        notes: findings.notes,
    })
}

/// The larger, the less a level says.
fn weakness(level: &str) -> u8 {
    match level {
        "reproduced" => 0,
        "consistent, unsigned" => 3,
        _ if level.starts_with("consistent, signed by unlisted key") => 2,
        _ => 1,
    }
}

fn malformed(what: &dyn std::fmt::Display) -> BrokenLink {
    let hint = "restore the evidence file from version control, or measure again with `kforge validate`";
    BrokenLink::new("malformed", what.to_string(), hint)
}

/// Looks at the target; gives its name and whether something has to be found.
fn look(project: &Project, request: &Request, findings: &mut Findings) -> Result<(String, bool), Error> {
    if let Some(index) = &request.staged {
        return staged(project, request, index.as_deref(), findings).map(|name| (name, false));
    }
    let Some(target) = &request.target else {
        return revision(project, "HEAD", findings).map(|name| (name, !request.require));
    };
    if let Some((from, to)) = target.split_once("...").or_else(|| target.split_once("..")) {
        return range(project, request, from, to, findings).map(|name| (name, false));
    }
    // Few digits are a revision first, where they are one; git's own shortest are four.
    let digits = target.len() >= 4 && target.bytes().all(|byte| byte.is_ascii_hexdigit());
    let taken = || -> Result<bool, Error> {
        Ok(target.len() < 7 && matches!(&project.git, Some(git) if git.commit(target)?.is_some()))
    };
    if digits && !taken()? {
        match project.ledger.resolve(target) {
            Ok((op, id)) => return evidence(project, &op, &id, findings).map(|name| (name, true)),
            Err(error @ kforge_ledger::Error::Ambiguous { .. }) => return Err(error.into()),
            Err(_) => {}
        }
    }
    revision(project, target, findings).map(|name| (name, !request.require))
}

fn evidence(project: &Project, op: &str, id: &Digest, findings: &mut Findings) -> Result<String, Error> {
    let name = format!("evidence {id}");
    let audited = match project.ledger.audited(op, id) {
        Ok(audited) => audited,
        Err(kforge_ledger::Error::Evidence { broken, .. }) => {
            let links = broken.into_iter().map(|broken| malformed(&broken));
            findings.broken.extend(links);
            return Ok(name);
        }
        Err(error @ kforge_ledger::Error::Record { .. }) => {
            findings.broken.push(malformed(&error));
            return Ok(name);
        }
        Err(error) => return Err(error.into()),
    };
    match level(&project.ledger, op, id, project.allowed_signers.as_ref())? {
        Ok(level) => findings.checked.push(super::Checked {
            commit: None,
            op: op.to_owned(),
            candidate: audited.evidence.facts.candidate.clone(),
            evidence: *id,
            answer: answer(&audited.evidence),
            found_by: "evidence",
            level,
        }),
        Err(link) => findings.broken.push(link),
    }
    Ok(name)
}

/// The verdict, and over what where that was not the op's baseline.
fn answer(evidence: &Evidence) -> String {
    let headline = kforge_ledger::headline(&evidence.judgement.verdict);
    match &evidence.facts.run.base {
        Some(commit) => format!("{headline} against commit {}", commit.get(..12).unwrap_or(commit)),
        None => headline,
    }
}

fn commit_of(git: &Git, revision: &str) -> Result<String, Error> {
    if let Some(commit) = git.commit(revision)? {
        return Ok(commit);
    }
    if !git.has_commits()? {
        return Err(Error::Repository {
            message: format!("`{revision}` names no commit: the repository has none yet"),
            hint: Some(
                "commit something first; evidence alone is verified by the first digits of its id".to_owned(),
            ),
        });
    }
    Err(Error::Usage {
        message: format!("`{revision}` is neither evidence nor a commit"),
        hint: Some(missing(git, "give at least 4 digits of an evidence id, a revision, or a range A..B")?),
    })
}

/// What to do about a revision that is not there; a CI job's clone often has no history.
pub(super) fn missing(git: &Git, otherwise: &str) -> Result<String, Error> {
    let shallow = git.call(["rev-parse", "--is-shallow-repository"]).maybe()?.as_deref() == Some("true");
    Ok(if shallow {
        "this clone is shallow: fetch its history with `git fetch --unshallow`"
    } else {
        otherwise
    }
    .to_owned())
}

/// In a repository without a working tree the project is taken to lie at the top of each tree: evidence that lies elsewhere
/// alone is refused, so that nothing is passed over in silence.
fn at_the_top(git: &Git, tree: &str) -> Result<(), Error> {
    if git.top != git.folder {
        return Ok(());
    }
    let bytes = git.call(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree]).bytes()?;
    let files = crate::git::names(&bytes);
    let mut evidence = files.iter().filter(|path| ledger_at::is_evidence(path) && path.contains("kernels/"));
    match evidence.clone().find(|path| path.starts_with("kernels/")).or_else(|| evidence.next()) {
        Some(path) if !path.starts_with("kernels/") => Err(Error::Repository {
            message: format!("{path} belongs to a project below the top of its tree"),
            hint: Some("verify such a project in a clone, from the folder of its kforge.toml".to_owned()),
        }),
        _ => Ok(()),
    }
}

fn revision(project: &Project, revision: &str, findings: &mut Findings) -> Result<String, Error> {
    let git = project.repository()?;
    let commit = commit_of(git, revision)?;
    at_the_top(git, &commit)?;
    let (ledger, _place) = ledger_at::open(project, git, &[&commit])?;
    let shelf = Shelf::new(&ledger);
    let parent = git.commit(&format!("{commit}^1"))?;
    // Later commits may have brought another list, which the working tree then has with good reason.
    let trusted = trusts(List::of(project, git).brought(parent.as_deref(), &commit)?, findings);
    let look = Look::new(project, git, &shelf, &commit).of_commit(&commit).since(parent.as_deref());
    let look = look.trusting(trusted);
    claims(&look, &commit, findings)?;
    let changed = git.changed_by(&commit)?;
    look.changed(&changed, findings)?;
    derived::edited(project, git, &commit, &changed, findings)?;
    Ok(format!("commit {}", commit.get(..12).unwrap_or(&commit)))
}

/// The path by which the list of allowed signers is not the one where a range starts.
fn other_list(project: &Project, git: &Git, start: Option<&str>, end: &str) -> Result<Option<String>, Error> {
    let list = List::of(project, git);
    match list.brought(start, end)? {
        Some(path) => Ok(Some(path)),
        None => list.other_on_disk(end),
    }
}

/// Whether the list of allowed signers counts; a list that comes with what it vouches for does not.
fn trusts(other: Option<String>, findings: &mut Findings) -> bool {
    let Some(path) = other else { return true };
    let text = format!(
        "{path}, which says whose signatures count, is not what it was before: nobody is taken to have signed anything"
    );
    findings.notes.push(Note { file: Some(path), ..Note::new("verify.signers-changed", text) });
    false
}

/// What a commit itself says it rests on.
fn claims(look: &Look<'_>, commit: &str, findings: &mut Findings) -> Result<(), Error> {
    let note = look.git.call(["notes", "--ref=refs/notes/kforge", "show", commit]).maybe()?;
    for line in note.iter().flat_map(|text| text.lines()) {
        if let Ok(named) = serde_json::from_str::<NoteText>(line) {
            look.claim(&named.op, &named.evidence, "note", findings)?;
        } else {
            let text = format!("the note of {commit} is not kforge's and was left aside");
            findings.notes.push(Note::new("verify.note", text));
        }
    }
    let trailers =
        look.git.call(["log", "-1", "--format=%(trailers:key=Kforge-Evidence,valueonly)", commit]).text()?;
    for id in trailers.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match look.shelf.ledger.resolve(id) {
            Ok((op, id)) => look.claim(&op, &id, "trailer", findings)?,
            Err(error) => {
                let message = format!("the trailer names evidence {id}: {error}");
                findings.broken.push(BrokenLink::new(
                    "no-evidence",
                    message,
                    "restore the ledger's evidence files",
                ));
            }
        }
    }
    Ok(())
}

fn range(
    project: &Project,
    request: &Request,
    from: &str,
    to: &str,
    findings: &mut Findings,
) -> Result<String, Error> {
    let git = project.repository()?;
    let end = commit_of(git, if to.is_empty() { "HEAD" } else { to })?;
    at_the_top(git, &end)?;
    let start = start::of(git, from, &end)?;
    if other_settings(project, request, Some(&start), &end, findings)? {
        return Ok(format!("range {from}..{to}"));
    }
    let (ledger, _place) = ledger_at::open(project, git, &[&start, &end])?;
    let shelf = Shelf::new(&ledger);
    removed_evidence(project, git, &start, &end, findings)?;
    let trusted = trusts(other_list(project, git, Some(&start), &end)?, findings);
    let look = Look::new(project, git, &shelf, &end).of_commit(&end).since(Some(&start)).trusting(trusted);
    let changed = git.changed(&start, &end)?;
    look.changed(&changed, findings)?;
    derived::edited(project, git, &end, &changed, findings)?;
    if git.commit(&start)?.is_some() {
        let span = format!("{start}..{end}");
        let commits = git.call(["rev-list", "--max-count=2001", span.as_str()]).text()?;
        for commit in commits.lines().take(MOST_COMMITS) {
            let look = Look::new(project, git, &shelf, commit).of_commit(commit).trusting(trusted);
            claims(&look, commit, findings)?;
        }
        if commits.lines().count() > MOST_COMMITS {
            let text = format!("only the newest {MOST_COMMITS} commits were asked what they rest on");
            findings.notes.push(Note::new("verify.long-range", text));
        }
    }
    Ok(format!("range {from}..{to}"))
}

/// Evidence is never taken away: a range that removes some hides what it proved or refuted.
fn removed_evidence(
    project: &Project,
    git: &Git,
    start: &str,
    end: &str,
    findings: &mut Findings,
) -> Result<(), Error> {
    let Some(prefix) = project.ledger_prefix() else { return Ok(()) };
    let kept = ledger_at::evidence_files(git, end, &prefix)?;
    let gone = ledger_at::evidence_files(git, start, &prefix)?.into_iter().find(|file| {
        ledger_at::is_evidence(&file.path)
            && !kept.iter().any(|kept| kept.path == file.path && kept.blob == file.blob)
    });
    if let Some(file) = gone {
        let message = format!("{} was removed or changed", file.path);
        findings.broken.push(
            BrokenLink::new("evidence-removed", message, "bring it back; evidence is never edited")
                .about(&file.path),
        );
    }
    Ok(())
}

/// Whether a gate has nothing to go by because settings changed: they decide what everything else means.
fn other_settings(
    project: &Project,
    request: &Request,
    start: Option<&str>,
    end: &str,
    findings: &mut Findings,
) -> Result<bool, Error> {
    if !request.require {
        return Ok(false);
    }
    let link = settings::changed(project, &request.folder, start, end)?;
    findings.broken.extend(link);
    Ok(!findings.broken.is_empty())
}

fn staged(
    project: &Project,
    request: &Request,
    index: Option<&std::path::Path>,
    findings: &mut Findings,
) -> Result<String, Error> {
    let git = project.repository()?;
    let own = git.folder.join("index");
    let unmerged = git.call(["ls-files", "-z", "--unmerged"]).index(index.unwrap_or(&own)).bytes()?;
    if let Some(record) = crate::git::names(&unmerged).into_iter().next() {
        let path = record.split_once('\t').map_or(record.as_str(), |(_, path)| path);
        let message = format!("the index has conflicts: {path} is not merged");
        let link =
            BrokenLink::new("staged-conflict", message, "settle them, `git add` the files, then repeat");
        findings.broken.push(link.about(path));
        return Ok("the index".to_owned());
    }
    let tree = git.call(["write-tree"]).index(index.unwrap_or(&own)).text()?;
    let head = git.commit("HEAD")?;
    if other_settings(project, request, head.as_deref(), &tree, findings)? {
        return Ok("the index".to_owned());
    }
    let changed = match &head {
        Some(head) => git.changed(head, &tree)?,
        None => git.staged(index)?.into_iter().map(|entry| entry.path).collect(),
    };
    let (ledger, _place) = ledger_at::open(project, git, &[&tree])?;
    let shelf = Shelf::new(&ledger);
    let trusted = trusts(other_list(project, git, head.as_deref(), &tree)?, findings);
    let look = Look::new(project, git, &shelf, &tree).since(head.as_deref()).trusting(trusted);
    look.changed(&changed, findings)?;
    derived::edited(project, git, &tree, &changed, findings)?;
    Ok("the index".to_owned())
}
