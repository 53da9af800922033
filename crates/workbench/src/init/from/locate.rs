//! Which file `--from` means: `FILE`, `FILE::TEST`, or `python:MODULE.FUNCTION`.

use crate::Error;
use kforge_sources::Task;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A file larger than this is data, not a test.
const MOST: u64 = 4 << 20;

/// Finds, reads and understands what was asked for. Paths are relative to the folder that the user is in.
pub(crate) fn task(root: &Path, folder: &Path, from: &str, op: &str) -> Result<Task, Error> {
    if let Some(dotted) = from.strip_prefix("python:") {
        let (module, function) = dotted.rsplit_once('.').ok_or_else(|| Error::Usage {
            message: format!("`{from}` names no function of a module"),
            hint: Some("write python:package.module.function".to_owned()),
        })?;
        let path = module_file(root, module)?;
        let text = read(&path)?;
        return Ok(kforge_sources::function(&shown(&path, root), &text, module, function)?);
    }
    let (file, name) = from.rsplit_once("::").map_or((from, None), |(file, name)| (file, Some(name)));
    let path = folder.join(file);
    let text = read(&path)?;
    Ok(kforge_sources::read(&shown(&path, root), &text, name, op)?)
}

fn read(path: &Path) -> Result<String, Error> {
    let failed = |source| Error::Io { path: path.to_owned(), source };
    // A device says that it has no bytes and never ends.
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(MOST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST {
        return Err(Error::Usage {
            message: format!("{} has more than {MOST} bytes, which are not read", path.display()),
            hint: Some("give the file with the test or the task itself".to_owned()),
        });
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The file of a module below the project's root, or below `src` or `python` in it.
fn module_file(root: &Path, module: &str) -> Result<PathBuf, Error> {
    let relative = module.replace('.', "/");
    let named = |inside: &str| {
        [
            root.join(inside).join(format!("{relative}.py")),
            root.join(inside).join(&relative).join("__init__.py"),
        ]
    };
    let sound = module
        .split('.')
        .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'));
    let found = ["", "src", "python"].into_iter().flat_map(named).find(|path| sound && path.is_file());
    found.ok_or_else(|| Error::Usage {
        message: format!("there is no module `{module}` in {}", root.display()),
        hint: Some(
            "modules are looked for as files below the project's root, src and python; nothing is imported"
                .to_owned(),
        ),
    })
}

/// A path as the project writes it.
fn shown(path: &Path, root: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let text = absolute.strip_prefix(root).unwrap_or(&absolute).display().to_string();
    plain(&text)
}

/// A text that stays on its line and inside its quotes.
pub(super) fn plain(text: &str) -> String {
    let safe = |c: char| if c.is_control() || c == '"' || c == '\\' { ' ' } else { c };
    text.chars().map(safe).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
