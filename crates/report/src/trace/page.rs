//! The page for a person, as text and as Markdown.

use super::cells::{Width, grouped_u, plain, time_of};
use super::render::View;
use super::section::Section;
use super::tables::section;
use crate::page::Page;
use crate::{Align, Format, Table};
use kforge_units::{Nanos, bytes, counted, middle_short, share};
use kforge_workbench::trace::{Device, Response};

/// The whole page, or the one table that was asked for.
pub(super) fn page(response: &Response, view: &View, format: Format) -> String {
    if let Some(only) = view.table {
        let mut page = Page::untitled(format);
        show(response, only, view.top, format, &mut page);
        return page.finish().trim_start_matches('\n').to_owned();
    }
    let mut page = Page::new(format, &middle_short(&response.capture.file, 90));
    headline(response, &mut page);
    launches(response, &mut page);
    for part in Section::ALL {
        let tree_is_long =
            part == Section::Modules && response.tables.modules.rows.len() > 40 && view.top.is_some();
        if !tree_is_long && !part.is_empty(response) {
            show(response, part, view.top, format, &mut page);
        }
    }
    if !response.notes.is_empty() {
        page.heading("Notes");
        for note in &response.notes {
            page.line(&format!("[{}] {}", note.code, note.message));
        }
    }
    page.finish()
}

fn headline(response: &Response, page: &mut Page) {
    let Response { capture, activities, time, .. } = response;
    if !capture.device_names.is_empty() {
        let mut names: Vec<&str> = capture.device_names.iter().map(String::as_str).collect();
        names.dedup();
        let rank = match (capture.rank, capture.world) {
            (Some(rank), Some(world)) => format!(", rank {rank} of {world}"),
            _ => String::new(),
        };
        page.line(&format!("captured on {}{rank}", names.join(", ")));
    }
    let size = capture.bytes.map_or(String::new(), |size| format!(", {}", bytes(size)));
    page.line(&format!(
        "{}, {}, {}; {}, {}, {}{size}",
        counted(activities.kernels, "kernel", "kernels"),
        counted(activities.copies, "copy", "copies"),
        counted(activities.fills, "fill", "fills"),
        counted(capture.calls, "host call", "host calls"),
        counted(capture.ops, "op", "ops"),
        counted(capture.frames, "Python frame", "Python frames")
    ));
    page.line(&format!(
        "kernel time {} (sum over streams), all activities {}",
        time_of(time.kernel_sum_ns),
        time_of(time.activity_sum_ns)
    ));
    for device in &time.devices {
        device_lines(device, page);
    }
}

fn device_lines(device: &Device, page: &mut Page) {
    page.heading(&format!("Device {}", plain(&device.device)));
    let Some(window) = device.window_ns else {
        page.line("no activity has a place on the timeline");
        return;
    };
    let part = |ns: Option<i64>| {
        let ns = ns.unwrap_or_default();
        format!("{} ({})", time_of(ns), share(Nanos(ns), Nanos(window)))
    };
    page.line(&format!(
        "window {}: busy {}, idle {}",
        time_of(window),
        part(device.busy_ns),
        part(device.idle_ns)
    ));
    page.line(&format!(
        "exposed copies {}, exposed communication {}",
        part(device.exposed_copy_ns),
        part(device.exposed_communication_ns)
    ));
    for gap in &device.gaps {
        let why = match gap.cause {
            "host-sync" => "the host waited for the device, then launched",
            "host-launch" => "the host launched after the device fell idle",
            "graph-node" => "between nodes of one graph replay",
            "queued" => "queued already: launch latency or a dependency",
            _ => "the launch of what follows is unknown",
        };
        page.line(&format!(
            "idle, {}: {} in {} ({why})",
            gap.cause,
            time_of(gap.ns),
            counted(gap.count, "gap", "gaps")
        ));
    }
    if device.streams.len() > 1 {
        for stream in &device.streams {
            page.line(&format!(
                "stream {}: {}, busy {}, sum {}",
                plain(&stream.stream),
                counted(stream.count, "activity", "activities"),
                time_of(stream.busy_ns),
                time_of(stream.sum_ns)
            ));
        }
    }
}

fn launches(response: &Response, page: &mut Page) {
    let links = &response.links;
    page.heading("Launches");
    let mut table =
        Table::new(&[("launched by", Align::Left), ("activities", Align::Right), ("time", Align::Right)]);
    for (name, class) in [
        ("host call", links.call),
        ("graph replay", links.graph_replay),
        ("before the capture", links.before_capture),
        ("unknown", links.missing),
    ] {
        if class.count > 0 {
            table.row([name.to_owned(), grouped_u(class.count), time_of(class.ns)]);
        }
    }
    page.table(&table);
    let whole = Nanos(response.time.activity_sum_ns);
    let covered = |part: kforge_workbench::trace::Covered| share(Nanos(part.ns), whole);
    let coverage = &response.coverage;
    page.line(&format!(
        "of device time an answer is known for: launch {}, op {}, module {}, source {}, step {}",
        covered(coverage.launch),
        covered(coverage.op),
        covered(coverage.module),
        covered(coverage.source),
        covered(coverage.step)
    ));
}

fn show(response: &Response, part: Section, top: Option<usize>, format: Format, page: &mut Page) {
    page.heading(part.title());
    let width = if format == Format::Text { Width::Page } else { Width::Full };
    let (table, rest) = section(response, part, top, width);
    page.table(&table);
    page.line(&rest);
}
