//! The workbook of `trace`: which sheets it has, and in which order they are made.
//!
//! Gives bytes and the notes of what Excel could not hold; it opens no file. Invariant: the same answer, the same bytes.

use super::limits::{Cuts, Limits};
use super::sheet::{Formats, Sheet};
use super::tree::Tree;
use super::{detail, kernels, modules, overview, summary};
use kforge_workbench::Note;
use kforge_workbench::trace::{DetailRow, Response, Table};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, XlsxError};

/// A finished workbook.
#[derive(Debug)]
pub struct TraceWorkbook {
    /// The bytes of the .xlsx file; the same answer gives the same bytes.
    pub bytes: Vec<u8>,
    /// What Excel's limits cut; also in the sheets.
    pub notes: Vec<Note>,
}

/// Makes the workbook of an answer: Summary, Overview, Module Tree, GPU Kernels, Detail.
///
/// It is built in memory: the writer's mode of constant memory goes through temporary files and stops the program where
/// those cannot be written.
///
/// # Errors
/// Only where the writer contradicts its own rules, which is a bug.
pub fn trace(
    response: &Response,
    details: &Table<DetailRow>,
    limits: Limits,
) -> Result<TraceWorkbook, XlsxError> {
    let mut book = Workbook::new();
    // The writer would put in the time of day.
    let epoch = ExcelDateTime::from_timestamp(0)?;
    book.set_properties(&DocProperties::new().set_title("Where the time goes").set_creation_datetime(&epoch));
    let formats = Formats::new();
    let mut cuts = Cuts::default();
    let tree = Tree::of(response, details);
    // Sheets are made in the order of their tabs; the summary is written last, when it is known what was cut.
    for _ in 0..5 {
        book.add_worksheet();
    }
    let mut open =
        |at: usize, name: &'static str, write: &mut dyn FnMut(&mut Sheet<'_>) -> Result<(), XlsxError>| {
            let sheet = book.worksheet_from_index(at)?;
            write(&mut Sheet::new(sheet, name, &formats, &mut cuts, limits)?)?;
            Ok::<_, XlsxError>(cuts.notes(limits))
        };
    open(1, "Overview", &mut |sheet| overview::write(sheet, response, details, &tree))?;
    open(2, "Module Tree", &mut |sheet| modules::write(sheet, response, &tree))?;
    open(3, "GPU Kernels", &mut |sheet| kernels::write(sheet, response, details))?;
    let cut = open(4, "Detail", &mut |sheet| detail::write(sheet, response, details))?;
    let notes: Vec<Note> = response.notes.iter().chain(&cut).cloned().collect();
    let notes_of_cuts = open(0, "Summary", &mut |sheet| summary::write(sheet, response, details, &notes))?;
    Ok(TraceWorkbook { bytes: book.save_to_buffer()?, notes: notes_of_cuts })
}
