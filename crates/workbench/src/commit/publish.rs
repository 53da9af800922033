//! The commit becomes visible: objects first, then the user's index, then the branch, then the note.
//!
//! An intent in `.kforge` says what was about to happen. The index goes before the branch, because an index that is
//! ahead of its branch shows exactly the files that were about to be committed, while the other way round would show
//! their removal. Whoever opens the project next puts the index back, or adds the note, as the branch says.

use std::fs;
use std::path::Path;

use kforge_ledger::{EffectKind, Held};
use kforge_record::{Audited, Digest};
use serde::{Deserialize, Serialize};

use super::staging::{Staging, through};
use crate::gate::BrokenLink;
use crate::git::Git;
use crate::project::Project;
use crate::settings::Binding;
use crate::{Error, Note};

const INTENT: &str = "commit.json";
const INDEX_BEFORE: &str = "commit-index";

/// What to publish.
pub(super) struct Publication<'a> {
    pub(super) tree: &'a str,
    pub(super) message: &'a str,
    pub(super) files: &'a [String],
    pub(super) evidence: &'a Audited,
    pub(super) op: &'a str,
}

/// What was published.
pub(super) struct Published {
    pub(super) commit: String,
    pub(super) reference: String,
    pub(super) notes: Vec<Note>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Intent {
    schema: String,
    reference: String,
    old: Option<String>,
    new: String,
    had_index: bool,
    index_after: Digest,
    note: Option<String>,
}

/// Publishes; where the branch moved meanwhile, everything is as before and the link is named.
pub(super) fn publish(
    project: &Project,
    git: &Git,
    held: &Held<'_>,
    staging: &Staging<'_>,
    what: &Publication<'_>,
) -> Result<Result<Published, BrokenLink>, Error> {
    let reference =
        git.call(["symbolic-ref", "--quiet", "HEAD"]).maybe()?.unwrap_or_else(|| "HEAD".to_owned());
    let commit = commit_object(project, git, staging, what)?;
    let index = git.folder.join("index");
    let before = fs::read(&index).ok();
    let after = index_after(git, staging, what.files, before.as_deref())?;
    let note = (project.binding == Binding::Note).then(|| {
        let id = what.evidence.id;
        format!("{{\"schema\":\"kforge.note/1\",\"op\":\"{}\",\"evidence\":\"{id}\"}}\n", what.op)
    });
    let intent = Intent {
        schema: "kforge.commit/1".to_owned(),
        reference: reference.clone(),
        old: staging.head.clone(),
        new: commit.clone(),
        had_index: before.is_some(),
        index_after: Digest::of_bytes(&after),
        note: note.clone(),
    };
    announce(held, &intent, before.as_deref())?;
    let moved = place_index(project, &index, before.as_deref(), Some(&after))
        .and_then(|()| move_reference(project, git, &intent, what.message));
    if let Err(error) = moved {
        // Put everything back; what cannot be put back now is put back at the next open.
        let back = undo(project, git, held, &intent);
        let now = git.commit(&reference)?;
        if back.is_ok() && now != intent.old && matches!(error, Error::Git { .. }) {
            let text = format!("{reference} moved while the commit was being made");
            return Ok(Err(BrokenLink::new("ref-moved", text, "repeat the command")));
        }
        return Err(error);
    }
    let mut notes = Vec::new();
    if let Some(text) = note
        && let Err(error) = add_note(project, git, &commit, &text)
    {
        let text =
            format!("the commit has no note ({error}); `kforge verify` finds its evidence by the blobs");
        notes.push(Note::new("commit.no-note", text));
    }
    // The branch has moved: what fails from here on is no reason to call the commit failed.
    if let Err(error) = finish(held) {
        let text = format!(
            "what was about to be committed is still announced ({error}); the next kforge takes it away"
        );
        notes.push(Note::new("commit.left-announced", text));
    }
    let said = git.hook("post-commit", &index, &[]).unwrap_or_else(|error| Err(error.to_string()));
    if let Err(said) = said {
        notes.push(Note::new("commit.post-commit", format!("the hook post-commit failed: {said}")));
    }
    Ok(Ok(Published { commit, reference, notes }))
}

fn commit_object(
    project: &Project,
    git: &Git,
    staging: &Staging<'_>,
    what: &Publication<'_>,
) -> Result<String, Error> {
    let signed = git.flag("commit.gpgSign")?;
    let mut words = vec!["commit-tree", what.tree];
    if signed {
        words.push("-S");
    }
    if let Some(head) = &staging.head {
        words.extend(["-p", head]);
    }
    let mut commit = String::new();
    through(project, EffectKind::GitObject, Path::new("commit"), &mut || {
        commit = git.call(words.iter().copied()).input(format!("{}\n", what.message)).text()?;
        Ok(())
    })?;
    Ok(commit)
}

/// The user's index with the committed files at their committed blobs, everything else as it was.
fn index_after(
    git: &Git,
    staging: &Staging<'_>,
    files: &[String],
    before: Option<&[u8]>,
) -> Result<Vec<u8>, Error> {
    let copy = staging.folder().join("index-after");
    let io = |source| Error::Io { path: copy.clone(), source };
    match before {
        Some(bytes) => fs::write(&copy, bytes).map_err(io)?,
        None => {
            git.call(["read-tree", "--empty"]).index(&copy).bytes()?;
        }
    }
    let entries = staging.entries(files)?;
    let kept = entries.iter().map(|entry| format!("{} {}\t{}\0", entry.mode, entry.blob, entry.path));
    let gone = files.iter().filter(|path| !entries.iter().any(|entry| entry.path == **path));
    let zero = git.zero()?;
    let lines: String = kept.chain(gone.map(|path| format!("0 {zero}\t{path}\0"))).collect();
    git.call(["update-index", "-z", "--add", "--index-info"]).index(&copy).input(lines).bytes()?;
    // Refreshing only fills in times, so that `git status` need not; its answer is about other files.
    git.call(["update-index", "-q", "--refresh"]).index(&copy).output()?;
    fs::read(&copy).map_err(io)
}

fn announce(held: &Held<'_>, intent: &Intent, before: Option<&[u8]>) -> Result<(), Error> {
    let bytes = serde_json::to_vec(intent).map_err(|error| Error::Bug(error.to_string()))?;
    held.write_state(INDEX_BEFORE, before.unwrap_or_default())?;
    let announced = held.write_state(INTENT, &bytes);
    if announced.is_err() {
        finish(held).ok();
    }
    Ok(announced?)
}

fn finish(held: &Held<'_>) -> Result<(), Error> {
    held.remove_state(INTENT)?;
    Ok(held.remove_state(INDEX_BEFORE)?)
}

/// Gives the index new content the way git does: through `index.lock`, and only where it is still the old one.
fn place_index(
    project: &Project,
    index: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<(), Error> {
    let lock = index.with_extension("lock");
    let staged = index.with_extension("kforge");
    let io = |path: &Path, source| Error::Io { path: path.to_owned(), source };
    through(project, EffectKind::Write, &staged, &mut || {
        let write = || -> std::io::Result<()> {
            fs::write(&staged, after.unwrap_or_default())?;
            fs::File::open(&staged)?.sync_all()
        };
        write().map_err(|source| io(&staged, source))
    })?;
    // A link is exclusive and whole at once: nobody ever sees half a lock file.
    let locked = through(project, EffectKind::GitIndex, &lock, &mut || {
        fs::hard_link(&staged, &lock).map_err(|source| match source.kind() {
            std::io::ErrorKind::AlreadyExists => Error::Git {
                command: "lock index".to_owned(),
                message: format!("{} exists: another git process holds the index", lock.display()),
            },
            _ => io(&lock, source),
        })
    });
    let placed = locked.and_then(|()| {
        let same = fs::read(index).ok().as_deref() == before;
        let rename = through(project, EffectKind::GitIndex, index, &mut || {
            if !same {
                return Err(Error::Git {
                    command: "lock index".to_owned(),
                    message: "the index changed meanwhile".to_owned(),
                });
            }
            match after {
                Some(_) => fs::rename(&lock, index).map_err(|source| io(index, source)),
                None => fs::remove_file(index)
                    .and_then(|()| fs::remove_file(&lock))
                    .map_err(|source| io(index, source)),
            }
        });
        if rename.is_err() {
            discard(project, &lock);
        }
        rename
    });
    discard(project, &staged);
    placed
}

/// Removes a file of ours beside the index; a passing fault gets a second try, what stays is removed by `recover`.
fn discard(project: &Project, file: &Path) {
    let remove = || {
        through(project, EffectKind::Remove, file, &mut || match fs::remove_file(file) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Io { path: file.to_owned(), source })
            }
            _ => Ok(()),
        })
    };
    remove().or_else(|_| remove()).ok();
}

fn move_reference(project: &Project, git: &Git, intent: &Intent, message: &str) -> Result<(), Error> {
    let log = format!("commit: {}", message.lines().next().unwrap_or_default());
    // The zero id asks that the branch does not exist yet.
    let old = intent.old.clone().map_or_else(|| git.zero(), Ok)?;
    let mut words = vec!["update-ref", "-m", &log];
    if intent.reference == "HEAD" {
        words.push("--no-deref");
    }
    words.extend([intent.reference.as_str(), &intent.new, &old]);
    through(project, EffectKind::GitRef, Path::new(&intent.reference), &mut || {
        git.call(words.iter().copied()).bytes().map(|_| ())
    })
}

fn add_note(project: &Project, git: &Git, commit: &str, text: &str) -> Result<(), Error> {
    through(project, EffectKind::GitRef, Path::new("refs/notes/kforge"), &mut || {
        let words = ["notes", "--ref=refs/notes/kforge", "add", "--force", "--file=-", commit];
        git.call(words).input(text).bytes().map(|_| ())
    })
}

/// Puts the index back where the branch did not move.
fn undo(project: &Project, git: &Git, held: &Held<'_>, intent: &Intent) -> Result<(), Error> {
    // Somebody may have committed on top since.
    let (new, now) = (git.commit(&intent.new)?, git.commit(&intent.reference)?);
    let moved = match new.zip(now) {
        Some((new, now)) => git.call(["merge-base", "--is-ancestor", &new, &now]).output()?.status.success(),
        None => false,
    };
    if moved {
        if let Some(text) = &intent.note {
            // Without a note the evidence is found by the blobs.
            add_note(project, git, &intent.new, text).ok();
        }
        return finish(held);
    }
    // Which file is git's index is nothing that a file of the working tree decides.
    let index = git.folder.join("index");
    let now = fs::read(&index).ok();
    let lock = index.with_extension("lock");
    let ours = |bytes: &[u8]| Digest::of_bytes(bytes) == intent.index_after;
    if fs::read(&lock).is_ok_and(|bytes| ours(&bytes)) {
        through(project, EffectKind::Remove, &lock, &mut || {
            fs::remove_file(&lock).map_err(|source| Error::Io { path: lock.clone(), source })
        })?;
    }
    let staged = index.with_extension("kforge");
    if staged.exists() {
        through(project, EffectKind::Remove, &staged, &mut || {
            fs::remove_file(&staged).map_err(|source| Error::Io { path: staged.clone(), source })
        })?;
    }
    if now.as_deref().is_some_and(ours) {
        let kept = project.ledger.state(INDEX_BEFORE)?;
        let before = if intent.had_index { kept.as_deref() } else { None };
        place_index(project, &index, now.as_deref(), before)?;
    }
    finish(held)
}

/// Finishes or undoes a commit that was interrupted; called whenever a project is opened.
pub(crate) fn recover(project: &Project) -> Result<(), Error> {
    if project.ledger.state(INTENT)?.is_none() {
        return Ok(());
    }
    let Some(git) = &project.git else { return Ok(()) };
    // Whoever holds the ledger is alive and finishes on its own; it may even be waiting for us, through a hook.
    let Some(held) = project.ledger.try_hold()? else { return Ok(()) };
    // Whoever held it before us may have finished by now.
    let Some(bytes) = project.ledger.state(INTENT)? else { return Ok(()) };
    match serde_json::from_slice::<Intent>(&bytes) {
        Ok(intent) if intent.schema == "kforge.commit/1" => undo(project, git, &held, &intent),
        // It is written atomically; one that cannot be read is not ours.
        Ok(_) | Err(_) => finish(&held),
    }
}
