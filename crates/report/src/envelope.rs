//! The JSON envelope: `{"schema": "kforge.VERB/N", "ok": true, "data": …, "notes": […]}`.

use crate::harmless;
use kforge_workbench::Note;
use serde::Serialize;

#[derive(Serialize)]
struct Envelope<'a, T: Serialize> {
    schema: String,
    ok: bool,
    data: &'a T,
    notes: &'a [Note],
}

/// A verb's answer as one JSON document, pretty-printed.
///
/// # Errors
/// Only where the answer itself cannot be serialised, which is a bug.
pub fn success<T: Serialize>(
    verb: &str,
    version: u32,
    data: &T,
    notes: &[Note],
) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&Envelope {
        schema: format!("kforge.{verb}/{version}"),
        ok: true,
        data,
        notes,
    })
    .map(harmless::json)
}

/// One line of long work's event stream: `{"schema":"kforge.event/1","verb":…,"event":…}`.
///
/// # Errors
/// Only where the event cannot be serialised, which is a bug.
pub fn event_line<T: Serialize>(verb: &str, event: &T) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Line<'a, T: Serialize> {
        schema: &'static str,
        verb: &'a str,
        event: &'a T,
    }
    serde_json::to_string(&Line { schema: "kforge.event/1", verb, event }).map(harmless::json)
}
