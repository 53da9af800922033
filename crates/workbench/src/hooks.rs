//! `hooks`: puts the gate into a repository's hooks, and takes it out again.
//!
//! A hook that is already there is moved aside and called first with the same arguments and input; removing the gate
//! moves it back. Installing twice changes nothing. Git asks another hook before a merge than before other commits, so that the gate before
//! a commit is both.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::project::Project;
use crate::{Error, Note, Observer};

/// Which hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// Before a push: the pushed range must hold.
    PrePush,
    /// Before a commit, and before a merge that makes one: the staged files must hold.
    PreCommit,
}

impl Hook {
    /// Git's names of the hooks that this gate is.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::PrePush => &["pre-push"],
            Self::PreCommit => &["pre-commit", "pre-merge-commit"],
        }
    }
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder of the repository.
    pub folder: PathBuf,
    /// Which hooks.
    pub hooks: Vec<Hook>,
    /// Take the gate out instead.
    pub remove: bool,
    /// The kforge that the hook calls.
    pub program: PathBuf,
}

/// What was done.
#[derive(Debug, Serialize)]
pub struct Response {
    /// One a hook.
    pub hooks: Vec<Installed>,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// One hook.
#[derive(Debug, Serialize)]
pub struct Installed {
    /// Git's name of the hook.
    pub hook: &'static str,
    /// The file.
    pub file: String,
    /// `installed`, `unchanged`, `removed` or `absent`.
    pub state: &'static str,
    /// The user's own hook, which the gate calls first.
    pub chained: Option<String>,
}

/// By this line a hook of ours is known.
const MARK: &str = "# kforge gate 1";

/// Installs or removes.
///
/// # Errors
/// Where there is no repository or the hooks' folder cannot be written.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let project = Project::around(&request.folder)?;
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    let git = project.repository()?;
    let named = git.call(["rev-parse", "--git-path", "hooks"]).text()?;
    let folder = git.top.join(named);
    let mut notes = Vec::new();
    if git.config("core.hooksPath")?.is_some() {
        let text = format!("core.hooksPath is set: the hooks are in {}", folder.display());
        notes.push(Note::new("hooks.path", text));
    }
    let named = request.hooks.iter().flat_map(|hook| hook.names().iter().map(move |name| (*hook, *name)));
    let hooks = named.map(|(hook, name)| {
        let file = folder.join(name);
        if request.remove {
            remove(name, &file)
        } else {
            install(name, &file, &script(hook, name, &request.program, &git.prefix))
        }
    });
    Ok(Response { hooks: hooks.collect::<Result<_, _>>()?, notes })
}

fn aside(file: &Path) -> PathBuf {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    file.with_file_name(format!("{name}.before-kforge"))
}

fn is_ours(file: &Path) -> bool {
    fs::read(file).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).lines().nth(1) == Some(MARK))
}

fn answer(hook: &'static str, file: &Path, state: &'static str) -> Installed {
    let chained = Some(aside(file)).filter(|aside| aside.exists()).map(|aside| aside.display().to_string());
    Installed { hook, file: file.display().to_string(), state, chained }
}

fn install(hook: &'static str, file: &Path, script: &str) -> Result<Installed, Error> {
    if fs::read(file).is_ok_and(|bytes| bytes == script.as_bytes()) {
        return Ok(answer(hook, file, "unchanged"));
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(io(folder))?;
    }
    let there = fs::symlink_metadata(file).is_ok();
    let aside = aside(file);
    if there && !is_ours(file) {
        if fs::symlink_metadata(&aside).is_ok() {
            return Err(Error::Usage {
                message: format!("{} and {} both exist", file.display(), aside.display()),
                hint: Some("keep one of them, then install again".to_owned()),
            });
        }
        fs::rename(file, &aside).map_err(io(file))?;
    }
    let staged = file.with_file_name(format!("{hook}.kforge-{}", std::process::id()));
    let write = || -> std::io::Result<()> {
        fs::write(&staged, script)?;
        fs::set_permissions(&staged, fs::Permissions::from_mode(0o755))?;
        fs::rename(&staged, file)
    };
    if let Err(source) = write() {
        fs::remove_file(&staged).ok();
        if there && !file.exists() {
            fs::rename(&aside, file).ok();
        }
        return Err(Error::Io { path: file.to_owned(), source });
    }
    Ok(answer(hook, file, "installed"))
}

fn remove(hook: &'static str, file: &Path) -> Result<Installed, Error> {
    if !is_ours(file) {
        return Ok(answer(hook, file, "absent"));
    }
    let aside = aside(file);
    let back = if aside.exists() { fs::rename(&aside, file) } else { fs::remove_file(file) };
    back.map_err(|source| Error::Io { path: file.to_owned(), source })?;
    Ok(answer(hook, file, "removed"))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The hook, for any POSIX shell; git runs it at the working tree's top, `prefix` is the project's folder from there.
fn script(hook: Hook, name: &str, program: &Path, prefix: &str) -> String {
    let program = quoted(&program.to_string_lossy());
    let place = if prefix.is_empty() { ".".to_owned() } else { quoted(&format!("./{prefix}")) };
    let head = format!(
        "#!/bin/sh\n{MARK}\n# Installed by `kforge hooks install`; `kforge hooks remove` takes it out again.\n\
         kforge={program}\n\
         [ -x \"$kforge\" ] || kforge=kforge\n\
         before=$(dirname \"$0\")/{name}.before-kforge\n\
         # The project that it was installed for; a branch without its folder has nothing of it.\n\
         project={place}\n\
         [ -d \"$project\" ] || project=.\n"
    );
    let body = match hook {
        Hook::PreCommit => {
            "if [ -x \"$before\" ]; then \"$before\" \"$@\" || exit $?; fi\n\
             cd \"$project\" && exec \"$kforge\" verify --staged --require\n"
        }
        Hook::PrePush => {
            "lines=$(cat)\n\
             if [ -x \"$before\" ]; then printf '%s\\n' \"$lines\" | \"$before\" \"$@\" || exit $?; fi\n\
             # Commits as they are: a replacement ref shows another one under the same id.\n\
             GIT_NO_REPLACE_OBJECTS=1\n\
             export GIT_NO_REPLACE_OBJECTS\n\
             # What the remote has was checked before; of a plain URL only what some remote has is known.\n\
             known=--remotes\n\
             if git config --get \"remote.$1.url\" >/dev/null 2>&1; then known=\"--remotes=$1\"; fi\n\
             printf '%s\\n' \"$lines\" | while read -r _ new _ old; do\n\
             \x20 # A deletion brings nothing, and a tag of something else than a commit no history.\n\
             \x20 [ -n \"$new\" ] || continue\n\
             \x20 new=$(git rev-parse --verify --quiet \"$new^{commit}\" 2>/dev/null) || continue\n\
             \x20 # A branch that is new there, or that was rewritten there and not fetched.\n\
             \x20 if ! git cat-file -e \"$old^{commit}\" 2>/dev/null; then\n\
             \x20   fresh=$(git rev-list --max-count=1 \"$new\" --not \"$known\") || exit 1\n\
             \x20   [ -n \"$fresh\" ] || continue\n\
             \x20   old=$(git rev-list --boundary \"$new\" --not \"$known\" | sed -n 's/^-//p' | head -n 1)\n\
             \x20   [ -n \"$old\" ] || old=$(git hash-object -t tree /dev/null)\n\
             \x20 fi\n\
             \x20 (cd \"$project\" && exec \"$kforge\" verify \"$old..$new\" --require </dev/null) || exit 1\n\
             done\n"
        }
    };
    format!("{head}{body}")
}
