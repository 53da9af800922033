//! Sheet «Summary»: the whole, its parts, and what to know before believing it.

use super::cell::{Cell, Column};
use super::sheet::Sheet;
use kforge_workbench::Note;
use kforge_workbench::trace::{DetailRow, Device, Response, Table};
use rust_xlsxwriter::XlsxError;
use std::collections::BTreeMap;

const METRICS: [Column; 5] = [
    Column("Metric", 48.0),
    Column("Value (us)", 18.0),
    Column("Percentage", 16.0),
    Column("Detail Tab", 16.0),
    Column("Count", 14.0),
];
const CATEGORIES: [Column; 5] = [
    Column("Category", 0.0),
    Column("Count", 0.0),
    Column("Total (us)", 0.0),
    Column("Avg (us)", 0.0),
    Column("Percentage", 0.0),
];
const STEPS: [Column; 6] = [
    Column("Step", 0.0),
    Column("Host (us)", 0.0),
    Column("Device window (us)", 0.0),
    Column("Total (us)", 0.0),
    Column("Kernels", 0.0),
    Column("Activities", 0.0),
];
const NOTES: [Column; 6] = [
    Column("Note", 0.0),
    Column("Time (us)", 0.0),
    Column("Events", 0.0),
    Column("Byte", 0.0),
    Column("File", 0.0),
    Column("Message", 0.0),
];

/// Writes the sheet.
pub(super) fn write(
    sheet: &mut Sheet<'_>,
    response: &Response,
    details: &Table<DetailRow>,
    notes: &[Note],
) -> Result<(), XlsxError> {
    sheet.table(&METRICS)?;
    totals(sheet, response)?;
    devices(sheet, &response.time.devices)?;
    launches(sheet, response)?;
    roots(sheet, response)?;
    sheet.gap();
    categories(sheet, details)?;
    sheet.gap();
    facts(sheet, response)?;
    if !response.tables.steps.rows.is_empty() {
        sheet.gap();
        steps(sheet, response)?;
    }
    sheet.gap();
    note_rows(sheet, notes)
}

fn metric<'a>(
    name: impl Into<Cell<'a>>,
    ns: Option<i64>,
    whole: Option<i64>,
    tab: &'static str,
    count: Option<u64>,
) -> [Cell<'a>; 5] {
    let share = ns.zip(whole).map_or(Cell::Absent, |(ns, whole)| Cell::share(ns, whole));
    let tab = if tab.is_empty() { Cell::Absent } else { tab.into() };
    [name.into(), Cell::time(ns), share, tab, Cell::count(count)]
}

fn totals(sheet: &mut Sheet<'_>, response: &Response) -> Result<(), XlsxError> {
    let all = Some(response.time.activity_sum_ns);
    let activities = &response.activities;
    let transfers = Some(response.tables.transfers.whole_ns);
    let kernels = Some(response.time.kernel_sum_ns);
    sheet.row(&metric(
        "Total: all activities (sum of lengths)",
        all,
        all,
        "Detail",
        Some(activities.total),
    ))?;
    sheet.row(&metric("Kernels (sum of lengths)", kernels, all, "GPU Kernels", Some(activities.kernels)))?;
    let moved = activities.copies + activities.fills;
    sheet.row(&metric("Copies and fills (sum of lengths)", transfers, all, "GPU Kernels", Some(moved)))?;
    if response.trust.overlapping > 0 {
        let clipped = Some(response.trust.kernel_sum_clipped_ns);
        let overlapping = Some(response.trust.overlapping);
        sheet.row(&metric("Kernels, cut where the next one starts", clipped, all, "", overlapping))?;
    }
    Ok(())
}

/// Rows of one device.
const DEVICE_ROWS: usize = 5;

/// The devices, as far as there is room; what comes below needs some too.
fn devices(sheet: &mut Sheet<'_>, devices: &[Device]) -> Result<(), XlsxError> {
    let fitting = (sheet.room(600) / DEVICE_ROWS).min(devices.len());
    let (shown, hidden) = devices.split_at(fitting);
    for device in shown {
        device_rows(sheet, device)?;
    }
    let busy = hidden.iter().filter_map(|device| device.busy_ns).fold(0, i64::saturating_add);
    sheet.left_out(hidden.len() * DEVICE_ROWS, busy)
}

fn device_rows(sheet: &mut Sheet<'_>, device: &Device) -> Result<(), XlsxError> {
    let label = crate::trace::plain(&device.device);
    let rows: [_; DEVICE_ROWS] = [
        ("window", device.window_ns, Some(device.activities)),
        ("busy (union of intervals)", device.busy_ns, None),
        ("idle", device.idle_ns, None),
        ("only copies and fills running", device.exposed_copy_ns, None),
        ("only communication running", device.exposed_communication_ns, None),
    ];
    for (what, ns, count) in rows {
        sheet.row(&metric(format!("Device {label}: {what}"), ns, device.window_ns, "", count))?;
    }
    Ok(())
}

fn launches(sheet: &mut Sheet<'_>, response: &Response) -> Result<(), XlsxError> {
    let links = &response.links;
    let rows = [
        ("Launched by a recorded call", links.call),
        ("Replayed from a graph", links.graph_replay),
        ("Queued before the capture", links.before_capture),
        ("Launch missing", links.missing),
    ];
    for (what, class) in rows {
        let whole = Some(response.time.activity_sum_ns);
        sheet.row(&metric(what, Some(class.ns), whole, "", Some(class.count)))?;
    }
    Ok(())
}

fn roots(sheet: &mut Sheet<'_>, response: &Response) -> Result<(), XlsxError> {
    let modules = &response.tables.modules;
    let whole = Some(modules.whole_ns);
    let roots: Vec<_> = modules.rows.iter().filter(|row| row.depth == 0 && row.subtree_ns > 0).collect();
    let fitting = sheet.room(400).min(roots.len());
    let hidden = roots[fitting..].iter().map(|row| row.subtree_ns).sum();
    for row in &roots[..fitting] {
        let name = format!("Root: {}", row.path);
        sheet.row(&metric(name, Some(row.subtree_ns), whole, "Module Tree", row.count))?;
    }
    sheet.left_out(roots.len() - fitting, hidden)?;
    let residual = Some(modules.residual_ns);
    sheet.row(&metric("In no module", residual, whole, "Detail", Some(modules.residual_count)))
}

/// Families of all activities: kernels by their names, copies and fills by what they are.
fn categories(sheet: &mut Sheet<'_>, details: &Table<DetailRow>) -> Result<(), XlsxError> {
    sheet.table(&CATEGORIES)?;
    let mut by_family: BTreeMap<&'static str, Family> = BTreeMap::new();
    let mut all = Family::default();
    for row in &details.rows {
        by_family.entry(row.labels.operation.name()).or_default().add(row);
        all.add(row);
    }
    let mut rows: Vec<_> = by_family.into_iter().collect();
    rows.sort_by_key(|(_, family)| std::cmp::Reverse(family.ns));
    for (name, family) in &rows {
        sheet.row(&family.row(name, details.whole_ns))?;
    }
    sheet.filter()?;
    sheet.total(&all.row("Total", details.whole_ns))
}

/// What the activities of one family come to.
#[derive(Default)]
struct Family {
    count: u64,
    timed: u64,
    ns: i64,
}

impl Family {
    fn add(&mut self, row: &DetailRow) {
        self.count += row.count;
        self.timed += row.timed;
        self.ns += row.total_ns;
    }

    fn row<'name>(&self, name: &'name str, whole: i64) -> [Cell<'name>; 5] {
        let share = Cell::share(self.ns, whole);
        [name.into(), Cell::Count(self.count), Cell::Time(self.ns), Cell::mean(self.ns, self.timed), share]
    }
}

fn facts(sheet: &mut Sheet<'_>, response: &Response) -> Result<(), XlsxError> {
    let capture = &response.capture;
    sheet.total(&["Capture".into(), Cell::from(capture.file.as_str())])?;
    let names = &capture.device_names;
    let fitting = sheet.room(300).min(names.len());
    for device in &names[..fitting] {
        sheet.row(&["Device".into(), device.as_str().into()])?;
    }
    sheet.left_out(names.len() - fitting, 0)?;
    let rank = capture.rank.map(|rank| match capture.world {
        Some(world) => format!("{rank} of {world}"),
        None => rank.to_string(),
    });
    if let Some(rank) = rank {
        sheet.row(&["Rank".into(), rank.into()])?;
    }
    for (what, count) in [
        ("Host calls", capture.calls),
        ("Framework ops", capture.ops),
        ("Python frames", capture.frames),
        ("Ranges", capture.ranges),
    ] {
        sheet.row(&[what.into(), Cell::Count(count)])?;
    }
    Ok(())
}

fn steps(sheet: &mut Sheet<'_>, response: &Response) -> Result<(), XlsxError> {
    sheet.table(&STEPS)?;
    let steps = &response.tables.steps;
    let fitting = sheet.room(200).min(steps.rows.len());
    for row in &steps.rows[..fitting] {
        sheet.row(&[
            row.name.as_str().into(),
            Cell::time(row.host_ns),
            Cell::time(row.device_window_ns),
            Cell::Time(row.total_ns),
            Cell::Count(row.kernels),
            Cell::Count(row.count),
        ])?;
    }
    let hidden: i64 = steps.rows[fitting..].iter().map(|row| row.total_ns).sum();
    sheet.left_out(steps.rows.len() - fitting, hidden)?;
    let outside = |what: &'static str, ns, count| {
        [what.into(), Cell::Absent, Cell::Absent, Cell::Time(ns), Cell::Absent, Cell::count(count)]
    };
    sheet.row(&outside("In no step", steps.residual_ns, Some(steps.residual_count)))?;
    sheet.total(&outside("Whole", steps.whole_ns, None))
}

fn note_rows(sheet: &mut Sheet<'_>, notes: &[Note]) -> Result<(), XlsxError> {
    if notes.is_empty() {
        return sheet.total(&["Nothing was lost, repaired or doubted".into()]);
    }
    sheet.table(&NOTES)?;
    for note in notes.iter().take(sheet.room(0)) {
        sheet.row(&[
            note.code.as_str().into(),
            Cell::time(note.ns),
            Cell::count(note.events),
            Cell::count(note.byte),
            Cell::text(note.file.as_deref()),
            note.message.as_str().into(),
        ])?;
    }
    Ok(())
}
