//! The project: the nearest folder with a kforge.toml, else the repository's top, else the folder itself; and what
//! its kforge.toml says about the ledger and about commits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::git::Git;
use crate::settings::{Binding, Settings};
use crate::signing::SignersFile;
use kforge_ledger::{Disk, Ledger, RealDisk};

/// What kforge.toml says that a gate depends on, as it is spelled there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GateSettings {
    /// `[ledger] root`.
    pub(crate) ledger_root: Option<PathBuf>,
    /// `[verify] allowed_signers`.
    pub(crate) allowed_signers: Option<PathBuf>,
}

impl GateSettings {
    /// Reads a kforge.toml; the reason where it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Ok(Self::of(&Settings::parse(text)?))
    }

    fn of(file: &Settings) -> Self {
        Self { ledger_root: file.ledger.root.clone(), allowed_signers: file.verify.allowed_signers.clone() }
    }
}

/// A project with its ledger and, where there is one, its repository.
pub(crate) struct Project {
    /// Subject paths are relative to this folder.
    pub(crate) root: PathBuf,
    /// The ledger.
    pub(crate) ledger: Ledger,
    /// The repository.
    pub(crate) git: Option<Git>,
    /// How commits are bound.
    pub(crate) binding: Binding,
    /// Whose signatures count.
    pub(crate) allowed_signers: Option<SignersFile>,
    /// What a gate compares with the settings of what it judges.
    pub(crate) settings: GateSettings,
    /// Effects go through here.
    pub(crate) disk: Arc<dyn Disk>,
}

impl Project {
    /// The project around a folder.
    ///
    /// # Errors
    /// Where the folder does not exist, kforge.toml cannot be read, or the ledger cannot be opened.
    pub(crate) fn around(folder: &Path) -> Result<Self, Error> {
        Self::with_disk(folder, Arc::new(RealDisk))
    }

    /// As `around`, with effects going through the given disk.
    pub(crate) fn with_disk(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self, Error> {
        let folder = folder.canonicalize().map_err(|source| Error::Io { path: folder.to_owned(), source })?;
        let marked = folder.ancestors().find(|above| above.join("kforge.toml").is_file()).map(Path::to_owned);
        let top = Git::around(&folder)?.map(|git| git.top);
        let root = marked.or(top).unwrap_or(folder);
        let file = Settings::read(&root)?;
        let git = Git::around(&root)?;
        let settings = GateSettings::of(&file);
        let place = file.ledger.root.map_or_else(|| root.clone(), |named| root.join(named));
        let ledger = Ledger::open_with(place, Arc::clone(&disk))?;
        let allowed_signers = file.verify.allowed_signers.map(|named| SignersFile::new(&root, &named));
        let project =
            Self { root, ledger, git, binding: file.commit.binding, allowed_signers, settings, disk };
        crate::commit::recover(&project)?;
        Ok(project)
    }

    /// As `around`; in a repository without a working tree the project is what its commits hold: files lie at the top of
    /// each tree, and kforge.toml is the one in the repository's own folder, which whoever pushes does not write.
    pub(crate) fn in_objects(folder: &Path) -> Result<Self, Error> {
        let project = Self::around(folder)?;
        if project.git.is_some() {
            return Ok(project);
        }
        let Some(git) = Git::objects(folder)? else { return Ok(project) };
        let file = Settings::read(&git.top)?;
        let allowed_signers = file.verify.allowed_signers.map(|named| SignersFile::new(&git.top, &named));
        let ledger = Ledger::open_with(git.top.clone(), Arc::clone(&project.disk))?;
        Ok(Self { root: git.top.clone(), ledger, git: Some(git), allowed_signers, ..project })
    }

    /// The repository, or why there is none.
    pub(crate) fn repository(&self) -> Result<&Git, Error> {
        match &self.git {
            Some(git) => Ok(git),
            None => Err(self.no_repository()?),
        }
    }

    fn no_repository(&self) -> Result<Error, Error> {
        let place = self.root.display();
        let (message, hint) = match Git::objects(&self.root)? {
            None => (
                format!("{place} is in no git repository"),
                "run it in the repository that holds the kernel's source, or make one with `git init`",
            ),
            Some(_) => (
                format!("{place} is in a git repository without a working tree"),
                "run it in a clone; here `kforge verify A..B --require` judges commits alone",
            ),
        };
        Ok(Error::Repository { message, hint: Some(hint.to_owned()) })
    }

    /// The ledger's folder `kernels` relative to the repository's top, where the ledger lies inside it.
    pub(crate) fn ledger_prefix(&self) -> Option<String> {
        let git = self.git.as_ref()?;
        let kernels = self.ledger.layout().kernels();
        let above = kernels.parent()?.canonicalize().ok()?;
        let inside = above.strip_prefix(&git.top).ok()?.to_string_lossy().into_owned();
        Some(if inside.is_empty() { "kernels/".to_owned() } else { format!("{inside}/kernels/") })
    }
}
