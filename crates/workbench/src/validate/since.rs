//! `--base REV`: one side of the experiment as a commit has it, against the same side as it is in the working tree.
//!
//! The commit's side takes the place of the baseline, with the commands that experiment.toml had then; reference, cases and policy are
//! today's. Refuses a revision that names no commit and a choice among several candidates. Invariant: the evidence says which commit it
//! was, so that it is never taken for a comparison with the operation's own baseline.

use super::request::Request;
use crate::git::Git;
use crate::{Error, Note};
use kforge_experiment::{Experiment, Sealed, SideSpec, Tree};
use kforge_record::{Policy, Run};
use serde::Serialize;
use std::path::Path;

/// The name of the working tree's side where the baseline itself is compared: a candidate needs a name of its own.
const WORKTREE: &str = "worktree";
const BASELINE: &str = "baseline";

/// The two trees that were compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Base {
    /// The side that both trees hold: a candidate's name, or `baseline` where the operation has no candidate.
    pub side: String,
    /// The revision as it was asked for.
    pub revision: String,
    /// The commit that it names.
    pub commit: String,
    /// The commit on which the working tree is based.
    pub head: Option<String>,
    /// Files of the side that differ between the two, sorted.
    pub changed: Vec<String>,
    /// Whether build, runner, variables or lists of files differ between experiment.toml then and now.
    pub commands_changed: bool,
    /// Nothing differs: the side was compared with itself.
    pub unchanged: bool,
    /// The commands of the commit's side are today's, because experiment.toml was not there or did not have the side.
    pub commands_of_today: bool,
}

/// An experiment whose baseline and candidate are one side at two moments.
pub(super) struct Compared {
    pub(super) commit: String,
    side: String,
    revision: String,
    head: Option<String>,
    /// The name of the working tree's side.
    candidate: Vec<String>,
    commands_changed: bool,
    commands_of_today: bool,
}

/// The candidates to propose: the working tree's side, or those that were asked for.
pub(super) fn wanted<'a>(compared: Option<&'a Compared>, asked: &'a [String]) -> &'a [String] {
    compared.map_or(asked, |compared| &compared.candidate)
}

/// Replaces baseline and candidates by the two sides, where a base was asked for.
///
/// # Errors
/// [`Error::Usage`] where the revision or the side is not clear, [`Error::Repository`] outside of git, and what an experiment.toml of the
/// commit that cannot be read says.
pub(super) fn apply(
    experiment: &mut Experiment,
    request: &Request,
    root: &Path,
    policy: &Policy,
) -> Result<Option<Compared>, Error> {
    let Some(revision) = &request.base else { return Ok(None) };
    let git = Git::around(root)?.ok_or_else(|| Error::Repository {
        message: format!("{} is in no git repository, so there is no `{revision}`", root.display()),
        hint: Some("run it in the repository that holds the kernel's source".to_owned()),
    })?;
    let commit = git.commit(revision)?.ok_or_else(|| Error::Usage {
        message: format!("`{revision}` names no commit"),
        hint: Some("name a branch, a tag or a commit that `git rev-parse` knows".to_owned()),
    })?;
    let now = chosen(experiment, &request.candidates)?.clone();
    if let Tree::Path(_) = now.tree {
        return Err(Error::Usage {
            message: format!("`{}` is at {}, which no commit holds", now.name, now.tree.text()),
            hint: Some("give it `tree = \"worktree\"`, or compare it without --base".to_owned()),
        });
    }
    let then = side_then(experiment, &git, root, &commit, revision, &now.name, policy)?;
    let commands_of_today = then.is_none();
    let mut before = then.unwrap_or_else(|| now.clone());
    before.tree = Tree::Git(commit.clone());
    BASELINE.clone_into(&mut before.name);
    let side = now.name.clone();
    let mut after = SideSpec { tree: Tree::Worktree, ..now };
    if after.name == BASELINE {
        WORKTREE.clone_into(&mut after.name);
    }
    let same = SideSpec { name: before.name.clone(), tree: before.tree.clone(), ..after.clone() };
    let commands_changed = same != before;
    let candidate = vec![after.name.clone()];
    experiment.baseline = before;
    experiment.candidates = vec![after];
    let head = git.commit("HEAD")?;
    let revision = revision.clone();
    Ok(Some(Compared { commit, side, revision, head, candidate, commands_changed, commands_of_today }))
}

/// The side that is compared: the named or only candidate, or the baseline where there is no candidate.
fn chosen<'a>(experiment: &'a Experiment, asked: &[String]) -> Result<&'a SideSpec, Error> {
    let known = || experiment.candidates.iter().map(|side| side.name.clone()).collect::<Vec<_>>();
    match (asked, experiment.candidates.as_slice()) {
        ([], []) => Ok(&experiment.baseline),
        ([], [only]) => Ok(only),
        ([name], all) => {
            let found = all.iter().find(|side| side.name == *name);
            let alias = [BASELINE, WORKTREE].contains(&name.as_str());
            found.or_else(|| alias.then_some(&experiment.baseline)).ok_or_else(|| {
                let path = experiment.path.clone();
                kforge_experiment::Error::NoCandidate { path, name: name.clone(), known: known() }.into()
            })
        }
        _ => Err(Error::Usage {
            message: "--base compares one side with itself at another commit".to_owned(),
            hint: Some(format!("add --candidate with one of {}, or baseline", known().join(", "))),
        }),
    }
}

/// The side as the commit's experiment.toml has it; absent where there is none.
fn side_then(
    experiment: &Experiment,
    git: &Git,
    root: &Path,
    commit: &str,
    revision: &str,
    side: &str,
    policy: &Policy,
) -> Result<Option<SideSpec>, Error> {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = canonical(&experiment.path);
    let Ok(inside) = file.strip_prefix(canonical(root)) else { return Ok(None) };
    let path = format!("{}{}", git.prefix, inside.display());
    let entries = git.entries(commit, std::slice::from_ref(&path))?;
    let Some(bytes) = entries.first().map(|entry| git.blob(&entry.blob)).transpose()?.flatten() else {
        return Ok(None);
    };
    let shown = format!("{revision}:{path}");
    let then = Experiment::parse(Path::new(&shown), &String::from_utf8_lossy(&bytes), policy)?;
    let mut all = std::iter::once(&then.baseline).chain(&then.candidates);
    Ok(all.find(|spec| spec.name == side).cloned())
}

impl Compared {
    /// What the two trees were, after both sides were warmed and bound.
    pub(super) fn answer(&self, sealed: &Sealed<'_>) -> Result<Base, Error> {
        let name = self.candidate.first().map_or("", String::as_str);
        let baseline = sealed.baseline()?;
        let pair = sealed.pair(name)?;
        let same = Run::pair_of(&baseline, &baseline).map_err(kforge_experiment::Error::from)? == pair;
        Ok(Base {
            side: self.side.clone(),
            revision: self.revision.clone(),
            commit: self.commit.clone(),
            head: self.head.clone(),
            changed: sealed.differing(name),
            commands_changed: self.commands_changed,
            unchanged: same && !self.commands_changed,
            commands_of_today: self.commands_of_today,
        })
    }
}

impl Base {
    /// What beside the verdict is to be known.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        let Self { side, revision, .. } = self;
        if self.unchanged {
            notes.push(Note::new(
                "validate.unchanged",
                format!("nothing of {side} differs between {revision} and the working tree: this is an A/A, and any difference is noise"),
            ));
        }
        if self.commands_of_today {
            notes.push(Note::new(
                "validate.commands-of-today",
                format!("{revision} has no experiment.toml with {side}; its files were built and run with today's commands"),
            ));
        }
        notes.push(Note::new(
            "validate.not-the-baseline",
            format!("compared with {revision}, not with the operation's baseline: the evidence is kept, and neither `record` nor `commit` rests on it"),
        ));
        notes
    }
}
