//! `trace`: where does the time go?

use crate::{Error, Note, Observer};
use serde::Serialize;
use std::path::PathBuf;

/// Which capture to read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The capture file.
    pub capture: PathBuf,
}

/// What the capture says.
#[derive(Debug, Serialize)]
pub struct Response {
    /// The capture as the user named it.
    pub capture: String,
    /// What was lost, repaired or could not be trusted.
    pub notes: Vec<Note>,
}

/// Reads the capture and answers.
///
/// # Errors
/// Where the file is no capture, cannot be read, or the observer asked to stop.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    Ok(Response { capture: request.capture.display().to_string(), notes: Vec::new() })
}
