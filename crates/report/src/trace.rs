//! How the answer of `trace` reads.

use crate::{Format, Rendered, success};
use kforge_workbench::trace::Response;

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("trace", 1, response, &response.notes)?,
        Format::Text | Format::Markdown | Format::Csv => response.capture.clone(),
    };
    Ok(Rendered::new(text))
}
