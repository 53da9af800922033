//! `record`: what did we learn? Evidence becomes a version with notes, a patch and a line in the index.
//!
//! Refuses evidence that does not hold. Failed candidates are recorded like wins, with the reason. Running it twice
//! changes nothing; `rebuild` derives everything again and resolves what a merge left.

use std::path::PathBuf;

use kforge_ledger::{Effect, EffectKind, Recording};
use kforge_record::{Attempt, Digest, Evidence, LESSON_SCHEMA, Lesson, SubjectEntry};
use kforge_units::counted;
use serde::Serialize;

use crate::git::{self, Git};
use crate::inside_commit;
use crate::project::Project;
use crate::{Error, Note, Observer, signing};

pub use kforge_record::Layer;

/// What to record.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A folder of the project.
    pub folder: PathBuf,
    /// An op, or the first digits of an evidence id; absent: every op.
    pub target: Option<String>,
    /// Only this candidate.
    pub candidate: Option<String>,
    /// The tag; the candidate's name where none is given.
    pub tag: Option<String>,
    /// At which layer the change works.
    pub layer: Option<Layer>,
    /// What changed, one paragraph.
    pub what: Option<String>,
    /// What failed on the way: `WHAT: REASON`.
    pub failed: Vec<String>,
    /// What was left out: `WHAT: REASON`.
    pub not_tried: Vec<String>,
    /// Sign the evidence with this SSH key.
    pub sign: Option<PathBuf>,
    /// Derive everything again instead of recording.
    pub rebuild: bool,
}

/// What was recorded.
#[derive(Debug, Serialize)]
pub struct Response {
    /// One a piece of evidence, in the order of time.
    pub recorded: Vec<Recorded>,
    /// Ledger files that changed, relative to the ledger's root.
    pub changed: Vec<String>,
    /// Ops that a rebuild looked at; absent where nothing was rebuilt.
    pub rebuilt_ops: Option<usize>,
    /// What could not be kept, and why.
    pub notes: Vec<Note>,
}

/// One recorded version.
#[derive(Debug, Serialize)]
pub struct Recorded {
    /// The op.
    pub op: String,
    /// The candidate.
    pub candidate: String,
    /// The evidence.
    pub evidence: Digest,
    /// The version's number.
    pub version: u32,
    /// Its tag.
    pub tag: String,
    /// The verdict's word.
    pub verdict: String,
    /// The verdict with its number.
    pub answer: String,
    /// Why it is not a win.
    pub reason: Option<String>,
    /// Files that belong to this version, relative to the ledger's root.
    pub files: Vec<String>,
}

impl Request {
    /// Whether the request says something about one version in particular.
    fn has_words(&self) -> bool {
        self.tag.is_some()
            || self.layer.is_some()
            || self.what.is_some()
            || !self.failed.is_empty()
            || !self.not_tried.is_empty()
    }
}

/// Records, or derives again.
///
/// # Errors
/// Where nothing fits the target, the evidence does not hold, or the ledger cannot be written.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    inside_commit::refuse("record")?;
    let project = Project::around(&request.folder)?;
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    if request.rebuild { rebuild(&project) } else { record(&project, request) }
}

fn record(project: &Project, request: &Request) -> Result<Response, Error> {
    let wanted = wanted(project, request)?;
    let mut response =
        Response { recorded: Vec::new(), changed: Vec::new(), rebuilt_ops: None, notes: Vec::new() };
    if wanted.is_empty() {
        response.notes.push(Note::new("record.nothing", "every piece of evidence is recorded already"));
        response.notes.extend(missing(project)?);
    }
    let layout = project.ledger.layout();
    for (op, id, _) in wanted {
        // Nothing is made of evidence that does not hold: what it names is somebody's words.
        let evidence = project.ledger.audited(&op, &id)?.evidence;
        let words = lesson(project, request, &op, &id, &evidence)?;
        let kept = change(project, &evidence, &mut response.notes)?;
        let signature = request
            .sign
            .as_ref()
            .map(|key| signing::sign(key, &project.ledger.bytes(&op, &id)?))
            .transpose()?;
        let source_ext = kept.source.as_ref().map(|(extension, _)| extension.clone());
        let recording = Recording {
            op: op.clone(),
            lesson: Lesson { source_ext, ..words },
            patch: kept.patch,
            source: kept.source.map(|(_, bytes)| bytes),
            signature,
        };
        let done = project.ledger.record(&recording)?;
        let relative = |files: &[PathBuf]| files.iter().map(|file| layout.relative(file)).collect::<Vec<_>>();
        response.changed.extend(relative(&done.changed));
        let verdict = &evidence.judgement.verdict;
        response.recorded.push(Recorded {
            op,
            candidate: evidence.facts.candidate.clone(),
            evidence: id,
            version: done.version.number,
            tag: done.version.tag,
            verdict: verdict.word().to_owned(),
            answer: kforge_ledger::headline(verdict),
            reason: kforge_ledger::reason(verdict),
            files: relative(&done.files),
        });
    }
    response.changed.sort();
    response.changed.dedup();
    Ok(response)
}

/// What is to be said where files that are derived from records are gone.
fn missing(project: &Project) -> Result<Option<Note>, Error> {
    let layout = project.ledger.layout();
    let files = project.ledger.missing()?;
    let Some(first) = files.first().map(|file| layout.relative(file)) else { return Ok(None) };
    let others = match files.len() - 1 {
        0 => String::new(),
        more => format!(" and {}", counted(more, "other file", "other files")),
    };
    let are = if files.len() == 1 { "is" } else { "are" };
    let text = format!(
        "{first}{others} {are} missing, though the records are there; `kforge record --rebuild` writes them again"
    );
    Ok(Some(Note { file: Some(first), ..Note::new("record.files-missing", text) }))
}

/// The evidence that the request is about, oldest first.
fn wanted(project: &Project, request: &Request) -> Result<Vec<(String, Digest, Evidence)>, Error> {
    let ledger = &project.ledger;
    let known = ledger.ops()?;
    let named = match &request.target {
        Some(target) if !known.contains(target) => Some(ledger.resolve(target)?),
        _ => None,
    };
    if let Some((op, id)) = named {
        let evidence = ledger.read(&op, &id)?;
        if evidence.facts.run.base.is_some() {
            return Err(Error::Usage {
                message: format!(
                    "evidence {} compares with an earlier commit, not with the baseline of {op}",
                    id.short()
                ),
                hint: Some(format!("record what `kforge validate {op}` says without --base")),
            });
        }
        let candidate = &evidence.facts.candidate;
        if let Some(other) = request.candidate.as_ref().filter(|name| *name != candidate) {
            return Err(Error::Usage {
                message: format!("evidence {} is of candidate {candidate}, not of {other}", id.short()),
                hint: Some("leave `--candidate` out, or name other evidence".to_owned()),
            });
        }
        return Ok(vec![(op, id, evidence)]);
    }
    let ops = request.target.as_ref().map_or(known, |op| vec![op.clone()]);
    let (mut all, mut fresh) = (Vec::new(), Vec::new());
    for op in ops {
        for id in ledger.evidence_ids(&op)? {
            let evidence = ledger.read(&op, &id)?;
            let other = request.candidate.as_ref().is_some_and(|name| *name != evidence.facts.candidate);
            // A comparison with an earlier commit is no version of the op.
            if other || evidence.facts.run.base.is_some() {
                continue;
            }
            let list = if ledger.lesson(&op, &id)?.is_some() { &mut all } else { &mut fresh };
            list.push((op.clone(), id, evidence));
        }
    }
    let order = |list: &mut Vec<(String, Digest, Evidence)>| {
        list.sort_by(|(_, a, one), (_, b, other)| {
            (&one.facts.run.started_at, a).cmp(&(&other.facts.run.started_at, b))
        });
    };
    order(&mut all);
    order(&mut fresh);
    if all.is_empty() && fresh.is_empty() {
        let what = request.candidate.as_ref().or(request.target.as_ref());
        return Err(kforge_ledger::Error::NoEvidence {
            id: what.map_or_else(|| "of any op".to_owned(), |what| format!("of {what}")),
            folder: ledger.layout().kernels(),
        }
        .into());
    }
    if !request.has_words() && request.sign.is_none() {
        return Ok(fresh);
    }
    // Words are about one version: the one that is not recorded yet, or the newest.
    match (fresh.len(), all.pop()) {
        (1, _) => Ok(fresh),
        (0, Some(newest)) => Ok(vec![newest]),
        _ => Err(Error::Usage {
            message: format!(
                "{} not recorded yet, and the words are about one",
                counted(fresh.len(), "piece of evidence is", "pieces of evidence are")
            ),
            hint: Some(
                "name one by `--candidate` or by the first digits of its id (`kforge history`)".to_owned(),
            ),
        }),
    }
}

/// The lesson with the request's words over what was recorded before.
fn lesson(
    project: &Project,
    request: &Request,
    op: &str,
    id: &Digest,
    evidence: &Evidence,
) -> Result<Lesson, Error> {
    let before = project.ledger.lesson(op, id)?;
    let fresh = || Lesson {
        schema: LESSON_SCHEMA.to_owned(),
        evidence: *id,
        tag: tag_of(&evidence.facts.candidate),
        layer: None,
        what: None,
        failed: Vec::new(),
        not_tried: Vec::new(),
        source_ext: None,
    };
    let mut lesson = before.unwrap_or_else(fresh);
    if let Some(tag) = &request.tag {
        lesson.tag.clone_from(tag);
    }
    lesson.layer = request.layer.or(lesson.layer);
    lesson.what = request.what.clone().or(lesson.what);
    for (words, list) in [(&request.failed, &mut lesson.failed), (&request.not_tried, &mut lesson.not_tried)]
    {
        for attempt in words.iter().map(|words| attempt(words)) {
            if !list.contains(&attempt) {
                list.push(attempt);
            }
        }
    }
    Ok(lesson)
}

/// `WHAT: REASON`.
fn attempt(words: &str) -> Attempt {
    let (what, reason) = words.split_once(": ").unwrap_or((words, "no reason given"));
    Attempt { what: what.trim().to_owned(), reason: reason.trim().to_owned() }
}

/// A candidate's name as a tag.
fn tag_of(candidate: &str) -> String {
    let plain =
        |letter: char| if letter.is_ascii_lowercase() || letter.is_ascii_digit() { letter } else { '-' };
    let tag: String = candidate.to_lowercase().chars().map(plain).take(40).collect();
    let tag = tag.trim_matches('-');
    if tag.is_empty() { "candidate".to_owned() } else { tag.to_owned() }
}

#[derive(Default)]
struct Change {
    patch: Option<Vec<u8>>,
    source: Option<(String, Vec<u8>)>,
}

/// The patch from baseline to candidate, and the source where it is one file; what cannot be found is noted.
fn change(project: &Project, evidence: &Evidence, notes: &mut Vec<Note>) -> Result<Change, Error> {
    let Some(git) = &project.git else {
        notes.push(Note::new("record.no-patch", "no patch was kept: the project is not in a git repository"));
        return Ok(Change::default());
    };
    let (before, after) =
        (&evidence.facts.sides.baseline.subject.entries, &evidence.facts.sides.candidate.subject.entries);
    let only = |from: &[SubjectEntry], other: &[SubjectEntry]| -> Vec<SubjectEntry> {
        from.iter().filter(|entry| !other.contains(entry)).cloned().collect()
    };
    let (gone, come) = (only(before, after), only(after, before));
    let old = contents(project, git, &gone)?;
    let new = contents(project, git, &come)?;
    let lost = old.iter().chain(&new).find(|(_, bytes)| bytes.is_none());
    if let Some((entry, _)) = lost {
        notes.push(Note {
            file: Some(entry.path.clone()),
            ..Note::new(
                "record.no-patch",
                format!(
                    "no patch was kept for {}: blob {} of {} is neither in the repository nor on disk",
                    evidence.facts.candidate,
                    entry.blob.short(),
                    entry.path
                ),
            )
        });
    }
    let source = match new.as_slice() {
        [(entry, Some(bytes))] => Some((extension(&entry.path), bytes.clone())),
        _ => None,
    };
    let whole = lost.is_none() && !(gone.is_empty() && come.is_empty());
    let patch = if whole { Some(patch(&old, &new)?) } else { None };
    Ok(Change { patch, source })
}

type Content = (SubjectEntry, Option<Vec<u8>>);

fn contents(project: &Project, git: &Git, entries: &[SubjectEntry]) -> Result<Vec<Content>, Error> {
    let paths: Vec<String> = entries.iter().map(|entry| entry.path.clone()).collect();
    let present = git.present(&project.root, &paths)?;
    let mut found = Vec::new();
    for (entry, present) in entries.iter().zip(present) {
        let on_disk = present.is_some_and(|present| present.blob == entry.blob);
        let bytes = if on_disk { std::fs::read(project.root.join(&entry.path)).ok() } else { None };
        let bytes = match bytes {
            Some(bytes) => Some(bytes),
            None => git.blob(&entry.blob)?,
        };
        found.push((entry.clone(), bytes));
    }
    Ok(found)
}

fn patch(old: &[Content], new: &[Content]) -> Result<Vec<u8>, Error> {
    let place = tempfile::tempdir().map_err(|source| Error::Io { path: std::env::temp_dir(), source })?;
    for (name, side) in [("a", old), ("b", new)] {
        let folder = place.path().join(name);
        let write = |path: PathBuf, bytes: &[u8]| -> std::io::Result<()> {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, bytes)
        };
        std::fs::create_dir_all(&folder).map_err(|source| Error::Io { path: folder.clone(), source })?;
        for (entry, bytes) in side {
            let path = folder.join(&entry.path);
            let bytes = bytes.as_deref().unwrap_or_default();
            write(path.clone(), bytes).map_err(|source| Error::Io { path, source })?;
        }
    }
    git::patch_between(place.path())
}

/// The extension of a path, cleaned to what a file name of the ledger may have.
fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension: String = name
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(16)
        .collect();
    // These names are taken by the files beside the evidence.
    if extension.is_empty() || matches!(extension.as_str(), "json" | "patch" | "sig" | "zst") {
        format!("source{}", if extension.is_empty() { String::new() } else { format!(".{extension}") })
    } else {
        extension
    }
}

fn rebuild(project: &Project) -> Result<Response, Error> {
    let done = project.ledger.rebuild()?;
    let layout = project.ledger.layout();
    let changed: Vec<String> = done.changed.iter().map(|file| layout.relative(file)).collect();
    let mut notes = Vec::new();
    if let (Some(git), Some(prefix)) = (&project.git, project.ledger_prefix()) {
        let settled = settle_index(project, git, &prefix, &done.changed)?;
        if settled > 0 {
            notes.push(Note::new(
                "record.merge-resolved",
                format!(
                    "{} staged for the merge; none is in conflict any more",
                    counted(settled, "derived file of the ledger is", "derived files of the ledger are")
                ),
            ));
        }
    }
    Ok(Response { recorded: Vec::new(), changed, rebuilt_ops: Some(done.ops), notes })
}

/// Stages the ledger's derived files where a merge waits: those in conflict, and those that were derived anew, so that the merge
/// holds one state of all of them. Nothing else in the index changes.
fn settle_index(project: &Project, git: &Git, prefix: &str, derived: &[PathBuf]) -> Result<usize, Error> {
    let pathspec = format!(":(literal){prefix}");
    let bytes = git.call(["ls-files", "-z", "--unmerged", "--", pathspec.as_str()]).bytes()?;
    let mut paths: Vec<String> = git::names(&bytes)
        .into_iter()
        .filter_map(|record| record.split_once('\t').map(|(_, path)| path.to_owned()))
        .filter(|path| !path.contains("/evidence/"))
        .collect();
    if paths.is_empty() && crate::commit::in_progress(git).is_none() {
        return Ok(0);
    }
    let layout = project.ledger.layout();
    let kernels = layout.kernels();
    let inside = derived.iter().filter_map(|file| file.strip_prefix(&kernels).ok());
    let inside: Vec<String> = inside.map(|path| format!("{prefix}{}", path.display())).collect();
    // What is gone and was never in the index is nothing to git.
    let bytes = git.call(["ls-files", "-z", "--", pathspec.as_str()]).bytes()?;
    let known = git::names(&bytes);
    paths.extend(inside.into_iter().filter(|path| known.contains(path) || git.top.join(path).exists()));
    paths.sort();
    paths.dedup();
    if paths.is_empty() {
        return Ok(0);
    }
    let input = paths.iter().map(|path| format!("{path}\0")).collect::<Vec<_>>().concat();
    let index = git.folder.join("index");
    let mut failure = None;
    let mut add = || {
        let add = git.call([
            "--literal-pathspecs",
            "add",
            "--all",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
        ]);
        if let Err(error) = add.input(input.clone()).bytes() {
            failure = Some(error);
        }
        Ok(())
    };
    project
        .disk
        .perform(Effect { kind: EffectKind::GitIndex, path: &index }, &mut add)
        .map_err(|source| Error::Io { path: index.clone(), source })?;
    failure.map_or(Ok(paths.len()), Err)
}

#[cfg(test)]
mod tests {
    use super::{attempt, extension, tag_of};

    #[test]
    fn names_become_tags_and_extensions_that_files_can_have() {
        assert_eq!(tag_of("Vec 4 (LDS)"), "vec-4--lds");
        assert_eq!(tag_of("…"), "candidate");
        assert_eq!(extension("a/b.cu"), "cu");
        assert_eq!(extension("Makefile"), "source");
        assert_eq!(extension("x.json"), "source.json");
    }

    #[test]
    fn an_attempt_has_a_reason_after_its_colon() {
        assert_eq!(attempt("unroll by 8: spills").reason, "spills");
        assert_eq!(attempt("unroll by 8").reason, "no reason given");
        let async_copy = attempt("cp.async::bulk: no gain");
        assert_eq!((async_copy.what.as_str(), async_copy.reason.as_str()), ("cp.async::bulk", "no gain"));
    }
}
