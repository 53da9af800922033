//! What took the place of a measured file that is gone.
//!
//! A kernel that is renamed and edited in one step, or removed while the experiment names another file for its side, is
//! a change of what is in use and needs evidence like any other. Two witnesses are heard: git's detection of renames and
//! copies from where the range starts, and the sides that experiment.toml declares where it ends. A file that nothing
//! replaces is gone, and that is all.

use std::collections::{BTreeMap, BTreeSet};

use kforge_record::{BlobId, Evidence, SubjectEntry};

use super::known::Known;
use super::state::Look;
use crate::Error;
use crate::git::TreeEntry;

/// A file that stands where a measured one was and rests on no evidence.
pub(super) struct Replacement {
    /// Its path.
    pub(super) path: String,
    /// How it is known: a clause after the path.
    pub(super) how: String,
}

/// The sides of experiment.toml whose files are those of the tree itself.
#[derive(Default)]
pub(super) struct Declared {
    /// Side and source (a file or a folder), relative to the project's root.
    sources: Vec<(String, String)>,
}

impl Declared {
    /// Reads an experiment.toml; absent where it cannot be read.
    fn parse(text: &str) -> Option<Self> {
        let document: toml::Table = text.parse().ok()?;
        let mut declared = Self::default();
        if let Some(baseline) = document.get("baseline") {
            declared.add("baseline", baseline);
        }
        for (name, side) in document.get("candidate").and_then(toml::Value::as_table).into_iter().flatten() {
            declared.add(name, side);
        }
        Some(declared)
    }

    fn add(&mut self, name: &str, side: &toml::Value) {
        // The files of another revision or folder are not those of this tree.
        if side.get("tree").and_then(toml::Value::as_str).is_some_and(|tree| tree != "worktree") {
            return;
        }
        let sources = side.get("sources").and_then(toml::Value::as_array).into_iter().flatten();
        for source in sources.filter_map(toml::Value::as_str) {
            let parts = source.split('/').filter(|part| !part.is_empty() && *part != ".");
            self.sources.push((name.to_owned(), parts.collect::<Vec<_>>().join("/")));
        }
    }

    fn of(&self, side: &str) -> BTreeSet<String> {
        self.sources.iter().filter(|(name, _)| name == side).map(|(_, source)| source.clone()).collect()
    }
}

/// The experiment of an op at the end of what is looked at.
pub(super) enum Experiment {
    /// There is none: the whole op may be gone.
    Absent,
    /// It cannot be read.
    Unreadable,
    /// It declares these sides.
    Declares(Declared),
}

/// The path of an op's experiment, relative to the project's root.
pub(super) fn experiment_path(op: &str) -> String {
    format!("kernels/{op}/experiment.toml")
}

impl Experiment {
    /// Reads the experiment of an op from the tree.
    pub(super) fn at(look: &Look<'_>, op: &str) -> Result<Self, Error> {
        Self::of(look, look.tree, op)
    }

    /// As `at`, from another tree.
    fn of(look: &Look<'_>, tree: &str, op: &str) -> Result<Self, Error> {
        let path = experiment_path(op);
        let Some(entry) = look.entries_in(tree, &BTreeSet::from([path.clone()]))?.remove(&path) else {
            return Ok(Self::Absent);
        };
        let text = look.git.blob(&entry.blob)?.and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(text.and_then(|text| Declared::parse(&text)).map_or(Self::Unreadable, Self::Declares))
    }
}

impl Known {
    /// What took the place of a file that was in use under `measured` and was last at `path`, if anything did that rests on
    /// no evidence.
    pub(super) fn replacement(
        &self,
        look: &Look<'_>,
        path: &str,
        measured: &str,
    ) -> Result<Option<Replacement>, Error> {
        let sides: BTreeSet<&str> =
            self.in_use().filter(|(_, entry)| entry.path == measured).map(|(side, _)| side).collect();
        if sides.is_empty() {
            return Ok(None);
        }
        let experiment = Experiment::at(look, &self.op)?;
        let declared = match &experiment {
            Experiment::Unreadable => {
                let how = "cannot be read, so that nobody can say what took its place".to_owned();
                return Ok(Some(Replacement { path: experiment_path(&self.op), how }));
            }
            Experiment::Absent => None,
            Experiment::Declares(declared) => Some(declared),
        };
        if let Some(declared) = declared
            && !sides.contains("baseline")
            && self.is_adopted(look, measured, declared)?
        {
            return Ok(None);
        }
        for target in look.moved_to(path)? {
            if !self.target_rests(look, &target)? {
                let how = "is what git finds it renamed to".to_owned();
                return Ok(Some(Replacement { path: target, how }));
            }
        }
        for side in sides {
            let Some(declared) = declared else { break };
            let sources = declared.of(side);
            let found = self.declared_files(look, declared, side)?;
            if side == "baseline" && sources.contains(path) {
                let how = "is still declared as the baseline".to_owned();
                return Ok(Some(Replacement { path: path.to_owned(), how }));
            }
            for entry in found.values() {
                if !self.rests(look, &entry.blob)? {
                    let how = format!("is what experiment.toml declares for {side} now");
                    return Ok(Some(Replacement { path: entry.path.clone(), how }));
                }
            }
        }
        Ok(None)
    }

    /// A file of the declared baseline that no evidence measured as one and whose content rests on nothing. Evidence that
    /// comes along with another declaration does not carry it, but an op's first evidence has nothing before it.
    pub(super) fn unproven_baseline(&self, look: &Look<'_>) -> Result<Option<SubjectEntry>, Error> {
        let Experiment::Declares(declared) = Experiment::at(look, &self.op)? else { return Ok(None) };
        let mut before = BTreeMap::new();
        if let Some(from) = look.from
            && let Experiment::Declares(declared) = Experiment::of(look, from, &self.op)?
        {
            before = look.entries_in(from, &declared.of("baseline"))?;
        }
        let new = self.is_new(look)?;
        for entry in self.declared_files(look, &declared, "baseline")?.into_values() {
            let named = |evidence: &Evidence| {
                evidence.facts.sides.baseline.subject.entries.iter().any(|known| known.path == entry.path)
            };
            let new = new || before.get(&entry.path) == Some(&entry);
            if !self.was_measured(look, &named, new)? && !self.rests(look, &entry.blob)? {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// The tree's files of a declared side. A declared folder may hold the ledger's own files, which are no kernel.
    fn declared_files(
        &self,
        look: &Look<'_>,
        declared: &Declared,
        side: &str,
    ) -> Result<BTreeMap<String, SubjectEntry>, Error> {
        let mut files = look.entries(&declared.of(side))?;
        let written = [
            experiment_path(&self.op),
            format!("kernels/{}/notes.md", self.op),
            "kernels/README.md".to_owned(),
        ];
        files.retain(|path, _| {
            !written.contains(path) && !look.is_ledger_s(&self.op, &format!("{}{path}", look.git.prefix))
        });
        Ok(files)
    }

    /// Whether what won under this name is what the declared baseline holds now.
    fn is_adopted(&self, look: &Look<'_>, measured: &str, declared: &Declared) -> Result<bool, Error> {
        let held = look.entries(&declared.of("baseline"))?;
        let wins = self.in_use().filter(|(side, entry)| *side != "baseline" && entry.path == measured);
        for (_, entry) in wins {
            if held.values().any(|held| held.blob == entry.blob) && self.has_won(look, &entry.blob)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether what git finds a file renamed to rests on evidence; the ledger's copies of it are not in use. The path is
    /// relative to the repository's top: a file may leave the project.
    fn target_rests(&self, look: &Look<'_>, target: &str) -> Result<bool, Error> {
        let found = look.git.entries(look.tree, std::slice::from_ref(&target.to_owned()))?;
        let Some(entry) = found.first() else { return Ok(true) };
        let kept = look.is_ledger_s(&self.op, target) && look.evidence_blobs(&self.op)?.contains(&entry.blob);
        Ok(kept || self.rests(look, &entry.blob)?)
    }

    /// Changed files that held, where the range starts, what was measured under a name that was gone by then: each with that
    /// name. A kernel does not leave the gate by being moved first and edited later.
    pub(super) fn moved_before(
        &self,
        look: &Look<'_>,
        before: &[TreeEntry],
    ) -> Result<Vec<(String, String)>, Error> {
        let Some(from) = look.from else { return Ok(Vec::new()) };
        let files = self.files();
        let mut same = Vec::new();
        for entry in before.iter().filter(|entry| !is_empty(&entry.blob)) {
            // The ledger keeps a copy of every version; those are not in use.
            let Some(path) = entry.path.strip_prefix(look.git.prefix.as_str()) else { continue };
            if files.contains(path) || look.is_ledger_s(&self.op, &entry.path) {
                continue;
            }
            let measured = self.in_use().filter(|(_, known)| known.blob == entry.blob);
            same.extend(measured.map(|(_, known)| (path.to_owned(), known.path.clone())));
        }
        let homes = same.iter().map(|(_, measured)| measured.clone()).collect();
        let there = look.entries_in(from, &homes)?;
        same.retain(|(_, measured)| !there.contains_key(measured));
        same.dedup_by(|one, other| one.0 == other.0);
        Ok(same)
    }
}

/// The empty file is everywhere and says nothing about what was moved.
fn is_empty(blob: &BlobId) -> bool {
    use kforge_record::ObjectFormat;
    [ObjectFormat::Sha1, ObjectFormat::Sha256].iter().any(|format| BlobId::of_bytes(*format, b"") == *blob)
}

#[cfg(test)]
mod tests {
    use super::Declared;

    #[test]
    fn only_sides_of_the_tree_itself_declare_files_of_the_tree() {
        let text = "[baseline]\ntree = \"git:main\"\nsources = [\"a.c\"]\n\
                    [candidate.fast]\ntree = \"worktree\"\nsources = [\"./k//fast.c\", \"k/include/\"]\n\
                    [candidate.away]\ntree = \"path:/else\"\nsources = [\"b.c\"]\n";
        let declared = Declared::parse(text).expect("TOML");
        assert!(declared.of("baseline").is_empty() && declared.of("away").is_empty());
        assert_eq!(declared.of("fast").into_iter().collect::<Vec<_>>(), ["k/fast.c", "k/include"]);
        assert!(Declared::parse("[baseline").is_none());
    }
}
