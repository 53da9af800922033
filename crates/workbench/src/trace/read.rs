//! From a path to a trace with its launches and host context.

use super::files::CaptureFile;
use super::notes::from_reader;
use crate::{Error, Note, Observer, Progress};
use kforge_analysis::{HostContext, Launches};
use kforge_catalog::Frames;
use kforge_trace::Trace;
use std::path::Path;

/// A capture that has been read and linked.
#[derive(Debug)]
pub struct Capture {
    /// The file as the user named it.
    pub file: String,
    /// Its size as stored.
    pub bytes: Option<u64>,
    /// What it saw.
    pub trace: Trace,
    /// How each activity was launched.
    pub launches: Launches,
    /// Where on the host each launch stood.
    pub context: HostContext,
    /// What the reader had to say.
    pub notes: Vec<Note>,
}

/// Reads and links one capture.
///
/// # Errors
/// Where the file is no capture, cannot be read, or the observer asked to stop.
pub fn read(path: &Path, observer: &dyn Observer) -> Result<Capture, Error> {
    let bundle = CaptureFile::new(path);
    let file = path.display().to_string();
    observer.progress(Progress::Stage(format!("reading {file}")));
    let (trace, read_notes) = kforge_formats::kineto::read(&bundle, 0, &Watch(observer))?;
    let mut notes: Vec<Note> = read_notes.into_iter().map(|note| from_reader(&file, note)).collect();
    super::notes::add_trace_notes(&trace, &file, &mut notes);
    let frames = Frames::builtin().map_err(|error| Error::Bug(error.to_string()))?;
    let launches = Launches::of(&trace);
    let context = HostContext::of(&trace, &launches, &frames);
    Ok(Capture { file, bytes: bundle.bytes(), trace, launches, context, notes })
}

/// Passes a reader's reports on.
struct Watch<'a>(&'a dyn Observer);

impl kforge_formats::Observer for Watch<'_> {
    fn bytes_read(&self, done: u64) {
        self.0.progress(Progress::Step { done, total: None });
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
