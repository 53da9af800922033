//! stdout is data, stderr is talk.

use kforge_report::{Format, Rendered, failure_json, failure_text, harmless_line};
use kforge_workbench::{Error, ExitClass, Note};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a rendered answer and gives its exit class back; an answer that cannot be written as JSON is a bug.
pub fn rendered(
    rendering: Result<Rendered, serde_json::Error>,
    format: Format,
    class: ExitClass,
) -> ExitClass {
    match rendering {
        Ok(rendered) => answer(&rendered, class),
        Err(error) => failure(&Error::Bug(error.to_string()), format),
    }
}

/// Writes an answer to stdout; the class is the answer's own, or that of a stream that could not take it.
///
/// A closed pipe is the reader's choice and not a failure; a full disk behind stdout is one, since what is there is cut.
pub fn answer(rendered: &Rendered, class: ExitClass) -> ExitClass {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(rendered.text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
            failure(&Error::Write { path: PathBuf::from("stdout"), source }, Format::Text)
        }
        _ => class,
    }
}

/// Says on stderr what was written where, and what the file's format could not hold.
pub fn saved(path: &Path, bytes: usize, notes: &[Note]) {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(
        stderr,
        "wrote {} ({})",
        harmless_line(&path.display().to_string()),
        kforge_units::bytes(bytes as u64)
    );
    for note in notes {
        let _ = writeln!(stderr, "note: {}", harmless_line(&note.message));
    }
}

/// Writes an error: text to stderr always, and a JSON document to stdout where JSON was asked for.
pub fn failure(error: &Error, format: Format) -> ExitClass {
    let _ = std::io::stderr().lock().write_all(failure_text(error).as_bytes());
    if format == Format::Json
        && let Ok(document) = failure_json(error)
    {
        return answer(&Rendered::new(document), error.class());
    }
    error.class()
}

/// Writes the JSON document of a command line that was not understood; its text is on stderr already.
pub fn misunderstood(error: &clap::Error) -> ExitClass {
    let text = error.render().to_string();
    let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let rest = text.lines().skip(1).map(str::trim).filter(|line| !line.is_empty());
    let hint = Some(rest.collect::<Vec<_>>().join("; ")).filter(|hint| !hint.is_empty());
    match failure_json(&Error::Usage { message, hint }) {
        Ok(document) => answer(&Rendered::new(document), ExitClass::Usage),
        Err(_) => ExitClass::Bug,
    }
}
