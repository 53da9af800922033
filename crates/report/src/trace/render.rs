//! Picks the shape of the answer.

use super::cells::Width;
use super::page::page;
use super::section::Section;
use super::tables::section;
use crate::{Format, Rendered, success};
use kforge_workbench::trace::Response;

/// Which tables to show, and how much of each.
#[derive(Clone, Debug)]
pub struct View {
    /// Rows a table shows in text and Markdown; `None` shows all. JSON and CSV are never cut.
    pub top: Option<usize>,
    /// The one table to show instead of the page.
    pub table: Option<Section>,
}

impl Default for View {
    fn default() -> Self {
        Self { top: Some(12), table: None }
    }
}

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format, view: &View) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("trace", 1, response, &response.notes)?,
        Format::Csv => section(response, view.table.unwrap_or(Section::Kernels), None, Width::Full).0.csv(),
        Format::Text | Format::Markdown => page(response, view, format),
    };
    Ok(Rendered::new(text))
}
