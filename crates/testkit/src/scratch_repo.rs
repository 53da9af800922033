//! A real git repository in a temporary folder, with an identity of its own and none of the user's configuration.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a scratch repository that cannot be made fails its test"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A repository that goes away on drop.
pub struct ScratchRepo {
    folder: TempDir,
}

impl ScratchRepo {
    /// A repository with one commit that holds these files.
    pub fn with_files(files: &[(String, Vec<u8>)]) -> Self {
        let repo = Self { folder: tempfile::tempdir().expect("a folder") };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        for (name, value) in
            [("user.name", "A Tester"), ("user.email", "tester@example.com"), ("gc.auto", "0")]
        {
            repo.git(&["config", name, value]);
        }
        for (path, bytes) in files {
            repo.write(path, bytes);
        }
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "--allow-empty", "--message", "start"]);
        repo
    }

    /// The working tree's top folder, as the system spells it.
    pub fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists")
    }

    /// Runs git here, whatever it answers.
    pub fn try_git(&self, arguments: &[&str]) -> Output {
        command("git", self.folder.path()).args(arguments).output().expect("git runs")
    }

    /// Runs git here and gives its answer; fails the test where git says no.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(
            output.status.success(),
            "git {arguments:?}: {}{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    /// Writes a file, with its folders.
    pub fn write(&self, path: &str, bytes: &[u8]) {
        let file = self.folder.path().join(path);
        fs::create_dir_all(file.parent().expect("a file has a folder")).expect("folders");
        fs::write(file, bytes).expect("writes");
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(path)).expect("reads")
    }

    /// Writes an executable hook of the repository.
    pub fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = format!(".git/hooks/{name}");
        self.write(&path, script.as_bytes());
        let file = self.folder.path().join(path);
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("permissions");
    }

    /// HEAD's commit.
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// Everything a user sees of the working tree and of git: files outside `.git` and `.kforge`, the index, the
    /// references. Two equal states look alike to the user.
    pub fn state(&self) -> Vec<(String, Vec<u8>)> {
        let mut state = Vec::new();
        files_below(self.folder.path(), self.folder.path(), &mut state);
        state.push(("(index)".to_owned(), self.git(&["ls-files", "-s"]).into_bytes()));
        state.push((
            "(heads)".to_owned(),
            self.git(&["for-each-ref", "refs/heads", "refs/tags"]).into_bytes(),
        ));
        state.push(("(HEAD)".to_owned(), fs::read(self.folder.path().join(".git/HEAD")).expect("HEAD")));
        state.sort();
        state
    }
}

/// A child with a pinned locale, an empty home and no git variables of the caller.
pub fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command
        .current_dir(folder)
        .env("LC_ALL", "C")
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        // Equal files then make equal commits, so that two repositories can be compared.
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_EDITOR", "true");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned()
}

fn files_below(root: &Path, folder: &Path, state: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if name == ".git" || name == ".kforge" {
            continue;
        }
        if path.is_dir() {
            files_below(root, &path, state);
        } else {
            state.push((name, fs::read(&path).unwrap_or_default()));
        }
    }
}
