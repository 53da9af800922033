//! One worksheet, written from top to bottom.
//!
//! Invariant: no row is dropped silently. Who writes many rows asks [`Sheet::room`] first and ends with
//! [`Sheet::left_out`].

use super::cell::{Cell, Column};
use super::limits::{Cuts, Limits};
use kforge_units::{Nanos, duration, grouped};
use rust_xlsxwriter::{Format, FormatAlign, Worksheet, XlsxError};

/// Excel groups rows at most this deep.
const DEEPEST_OUTLINE: usize = 7;

/// The formats that all sheets share.
#[derive(Debug)]
pub(super) struct Formats {
    header: Format,
    strong: Format,
    count: Format,
    time: Format,
    share: Format,
}

impl Formats {
    pub(super) fn new() -> Self {
        Self {
            header: Format::new()
                .set_bold()
                .set_background_color("#D9E1F2")
                .set_align(FormatAlign::Top)
                .set_text_wrap(),
            strong: Format::new().set_bold(),
            count: Format::new().set_num_format("#,##0"),
            time: Format::new().set_num_format("#,##0.000"),
            share: Format::new().set_num_format("0.0%"),
        }
    }
}

/// A worksheet and the row that is written next.
pub(super) struct Sheet<'w> {
    target: &'w mut Worksheet,
    formats: &'w Formats,
    cuts: &'w mut Cuts,
    limits: Limits,
    name: &'static str,
    next: u32,
    /// The header row of the table being written, and its width.
    table: Option<(u32, u16)>,
}

impl<'w> Sheet<'w> {
    /// Names the sheet; its header will be frozen by the first table.
    pub(super) fn new(
        sheet: &'w mut Worksheet,
        name: &'static str,
        formats: &'w Formats,
        cuts: &'w mut Cuts,
        limits: Limits,
    ) -> Result<Self, XlsxError> {
        sheet.set_name(name)?;
        sheet.group_symbols_above(true);
        Ok(Self { target: sheet, formats, cuts, limits, name, next: 0, table: None })
    }

    /// Begins a table: its header, in view while the first table of a sheet scrolls.
    pub(super) fn table(&mut self, columns: &[Column]) -> Result<(), XlsxError> {
        if self.next == 0 {
            self.target.set_freeze_panes(1, 0)?;
            for (at, Column(_, width)) in columns.iter().enumerate() {
                self.target.set_column_width(at as u16, *width)?;
            }
        }
        for (at, Column(title, _)) in columns.iter().enumerate() {
            self.target.write_string_with_format(self.next, at as u16, *title, &self.formats.header)?;
        }
        self.table = Some((self.next, columns.len() as u16));
        self.next += 1;
        Ok(())
    }

    /// Puts filter buttons on the rows written since the header. A sheet has one such table.
    pub(super) fn filter(&mut self) -> Result<(), XlsxError> {
        if let Some((header, width)) = self.table
            && self.next > header + 1
        {
            self.target.autofilter(header, 0, self.next - 1, width - 1)?;
        }
        Ok(())
    }

    /// An empty row, where there is room.
    pub(super) fn gap(&mut self) {
        self.next = (self.next + 1).min(self.limits.rows);
    }

    /// How many rows still fit above `below` rows that must come after them.
    pub(super) fn room(&self, below: usize) -> usize {
        (self.limits.rows.saturating_sub(self.next) as usize).saturating_sub(below)
    }

    /// Writes a row.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), XlsxError> {
        self.write(cells, false)
    }

    /// Writes a row that closes a table.
    pub(super) fn total(&mut self, cells: &[Cell<'_>]) -> Result<(), XlsxError> {
        self.write(cells, true)
    }

    /// Writes a row at a depth of the outline; rows deeper than Excel can group share its last level.
    pub(super) fn outlined(&mut self, depth: usize, cells: &[Cell<'_>]) -> Result<(), XlsxError> {
        for _ in 0..depth.min(DEEPEST_OUTLINE) {
            self.target.group_rows(self.next, self.next)?;
        }
        self.write(cells, false)
    }

    /// Says in the sheet and in the notes that rows were left out.
    pub(super) fn left_out(&mut self, rows: usize, ns: i64) -> Result<(), XlsxError> {
        if rows == 0 {
            return Ok(());
        }
        self.cuts.rows(self.name, rows as u64, ns);
        let text = format!(
            "{} more rows ({}) do not fit the {} rows of a worksheet",
            grouped(rows as i64),
            duration(Nanos(ns)),
            grouped(i64::from(self.limits.rows))
        );
        self.total(&[Cell::from(text)])
    }

    fn write(&mut self, cells: &[Cell<'_>], strong: bool) -> Result<(), XlsxError> {
        let row = self.next;
        for (at, cell) in cells.iter().enumerate() {
            let column = at as u16;
            let formats = self.formats;
            match cell {
                Cell::Absent => {}
                Cell::Text(text) => {
                    let text = self.fitting(text);
                    if strong {
                        self.target.write_string_with_format(row, column, text, &formats.strong)?;
                    } else {
                        self.target.write_string(row, column, text)?;
                    }
                }
                Cell::Count(count) => self.number(column, *count as f64, &formats.count)?,
                Cell::Time(ns) => self.number(column, *ns as f64 / 1000.0, &formats.time)?,
                Cell::Mean(micros) => self.number(column, *micros, &formats.time)?,
                Cell::Share(share) => self.number(column, *share, &formats.share)?,
            }
        }
        self.next += 1;
        Ok(())
    }

    fn number(&mut self, column: u16, value: f64, format: &Format) -> Result<(), XlsxError> {
        self.target.write_number_with_format(self.next, column, value, format)?;
        Ok(())
    }

    /// The text, cut where a cell cannot hold it; the cut says how much is gone.
    fn fitting(&mut self, text: &str) -> String {
        let length = text.encode_utf16().count();
        if length <= self.limits.characters {
            return text.to_owned();
        }
        let mark = |cut: usize| format!("… [{cut} characters cut]");
        let room = self.limits.characters.saturating_sub(mark(length).encode_utf16().count());
        let mut used = 0;
        let kept: String = text
            .chars()
            .take_while(|letter| {
                used += letter.len_utf16();
                used <= room
            })
            .collect();
        let cut = length - kept.encode_utf16().count();
        self.cuts.cell(cut);
        kept + &mark(cut)
    }
}
