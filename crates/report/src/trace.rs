//! How the answer of `trace` reads.
//!
//! The page answers in the order of the questions: how much, how long, how launched, where, and what is doubtful. A table
//! that is cut says how many rows and how much time it leaves out.

use crate::{Align, Format, Rendered, Table, success};
use kforge_units::{Nanos, bytes, count, duration, grouped, middle_short, share};
use kforge_workbench::trace::{KernelRow, Response, Table as Rows};
use std::fmt::Write as _;

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

/// A table of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Kernels by name.
    Kernels,
    /// Kernels by family.
    Families,
    /// Copies and fills by name.
    Transfers,
    /// Ops by name.
    Ops,
    /// The module tree.
    Modules,
    /// Modules by class.
    ModuleTypes,
    /// Source lines.
    Sources,
    /// Steps.
    Steps,
}

impl Section {
    /// Every table, in the order of the page.
    pub const ALL: [Self; 8] = [
        Self::Families,
        Self::Kernels,
        Self::Transfers,
        Self::ModuleTypes,
        Self::Modules,
        Self::Ops,
        Self::Sources,
        Self::Steps,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::Kernels => "Kernels",
            Self::Families => "Kernel families",
            Self::Transfers => "Copies and fills",
            Self::Ops => "Ops",
            Self::Modules => "Module tree",
            Self::ModuleTypes => "Modules by type",
            Self::Sources => "Source lines",
            Self::Steps => "Steps",
        }
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
        Format::Text => page(response, view, &Style::Text),
        Format::Markdown => page(response, view, &Style::Markdown),
    };
    Ok(Rendered::new(text))
}

enum Style {
    Text,
    Markdown,
}

impl Style {
    fn heading(&self, text: &mut String, title: &str) {
        let _ = match self {
            Self::Text => writeln!(text, "\n{title}"),
            Self::Markdown => writeln!(text, "\n## {title}\n"),
        };
    }

    fn table(&self, text: &mut String, table: &Table) {
        text.push_str(&match self {
            Self::Text => table.text(),
            Self::Markdown => table.markdown(),
        });
    }

    fn line(&self, text: &mut String, line: &str) {
        let _ = match self {
            Self::Text => writeln!(text, "  {line}"),
            Self::Markdown => writeln!(text, "- {line}"),
        };
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    /// Names are shortened so that a row fits 100 columns.
    Page,
    /// Names are whole.
    Full,
}

fn page(response: &Response, view: &View, style: &Style) -> String {
    let mut text = String::new();
    if let Some(only) = view.table {
        show(response, only, view.top, style, &mut text);
        return text.trim_start_matches('\n').to_owned();
    }
    let title = middle_short(&response.capture.file, 90);
    let _ = match style {
        Style::Text => writeln!(text, "{title}"),
        Style::Markdown => writeln!(text, "# {title}\n"),
    };
    headline(response, style, &mut text);
    launches(response, style, &mut text);
    for part in Section::ALL {
        let tree_is_long =
            part == Section::Modules && response.tables.modules.rows.len() > 40 && view.top.is_some();
        if !tree_is_long && !is_empty(response, part) {
            show(response, part, view.top, style, &mut text);
        }
    }
    if !response.notes.is_empty() {
        style.heading(&mut text, "Notes");
        for note in &response.notes {
            style.line(&mut text, &format!("[{}] {}", note.code, note.message));
        }
    }
    text
}

fn headline(response: &Response, style: &Style, text: &mut String) {
    let Response { capture, activities, time, .. } = response;
    if !capture.device_names.is_empty() {
        let mut names: Vec<&str> = capture.device_names.iter().map(String::as_str).collect();
        names.dedup();
        let rank = match (capture.rank, capture.world) {
            (Some(rank), Some(world)) => format!(", rank {rank} of {world}"),
            _ => String::new(),
        };
        style.line(text, &format!("captured on {}{rank}", names.join(", ")));
    }
    let size = capture.bytes.map_or(String::new(), |size| format!(", {}", bytes(size)));
    style.line(
        text,
        &format!(
            "{} kernels, {} copies, {} fills; {} host calls, {} ops, {} Python frames{size}",
            grouped_u(activities.kernels),
            grouped_u(activities.copies),
            grouped_u(activities.fills),
            grouped_u(capture.calls),
            grouped_u(capture.ops),
            grouped_u(capture.frames)
        ),
    );
    style.line(
        text,
        &format!(
            "kernel time {} (sum over streams), all activities {}",
            time_of(time.kernel_sum_ns),
            time_of(time.activity_sum_ns)
        ),
    );
    for device in &time.devices {
        style.heading(text, &format!("Device {}", plain(&device.device)));
        let Some(window) = device.window_ns else {
            style.line(text, "no activity has a place on the timeline");
            continue;
        };
        let part = |ns: Option<i64>| {
            let ns = ns.unwrap_or_default();
            format!("{} ({})", time_of(ns), share(Nanos(ns), Nanos(window)))
        };
        style.line(
            text,
            &format!(
                "window {}: busy {}, idle {}",
                time_of(window),
                part(device.busy_ns),
                part(device.idle_ns)
            ),
        );
        style.line(
            text,
            &format!(
                "exposed copies {}, exposed communication {}",
                part(device.exposed_copy_ns),
                part(device.exposed_communication_ns)
            ),
        );
        for gap in &device.gaps {
            let why = match gap.cause {
                "host-sync" => "the host waited for the device, then launched",
                "host-launch" => "the host launched after the device fell idle",
                "graph-node" => "between nodes of one graph replay",
                "queued" => "queued already: launch latency or a dependency",
                _ => "the launch of what follows is unknown",
            };
            style.line(
                text,
                &format!("idle, {}: {} in {} gaps ({why})", gap.cause, time_of(gap.ns), grouped_u(gap.count)),
            );
        }
        if device.streams.len() > 1 {
            for stream in &device.streams {
                style.line(
                    text,
                    &format!(
                        "stream {}: {} activities, busy {}, sum {}",
                        plain(&stream.stream),
                        grouped_u(stream.count),
                        time_of(stream.busy_ns),
                        time_of(stream.sum_ns)
                    ),
                );
            }
        }
    }
}

fn launches(response: &Response, style: &Style, text: &mut String) {
    let links = &response.links;
    style.heading(text, "Launches");
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
    style.table(text, &table);
    let whole = Nanos(response.time.activity_sum_ns);
    let covered = |part: kforge_workbench::trace::Covered| share(Nanos(part.ns), whole);
    let coverage = &response.coverage;
    style.line(
        text,
        &format!(
            "of device time an answer is known for: launch {}, op {}, module {}, source {}, step {}",
            covered(coverage.launch),
            covered(coverage.op),
            covered(coverage.module),
            covered(coverage.source),
            covered(coverage.step)
        ),
    );
}

fn is_empty(response: &Response, part: Section) -> bool {
    let tables = &response.tables;
    match part {
        Section::Kernels => tables.kernels.rows.is_empty(),
        Section::Families => tables.families.rows.is_empty(),
        Section::Transfers => tables.transfers.rows.is_empty(),
        Section::Ops => tables.ops.rows.is_empty(),
        Section::Modules => tables.modules.rows.is_empty(),
        Section::ModuleTypes => tables.module_types.rows.is_empty(),
        Section::Sources => tables.sources.rows.is_empty(),
        Section::Steps => tables.steps.rows.is_empty(),
    }
}

fn show(response: &Response, part: Section, top: Option<usize>, style: &Style, text: &mut String) {
    style.heading(text, part.title());
    let width = match style {
        Style::Text => Width::Page,
        Style::Markdown => Width::Full,
    };
    let (table, rest) = section(response, part, top, width);
    style.table(text, &table);
    if let Some(rest) = rest {
        style.line(text, &rest);
    }
}

/// A table as cells, and the line below it: what was cut, what no row shows, what the whole is.
fn section(response: &Response, part: Section, top: Option<usize>, width: Width) -> (Table, Option<String>) {
    let tables = &response.tables;
    match part {
        Section::Kernels => kernel_table(&tables.kernels, top, width, "kernel"),
        Section::Transfers => kernel_table(&tables.transfers, top, width, "copy or fill"),
        Section::Families => {
            let mut table = Table::new(&[
                ("family", Align::Left),
                ("names", Align::Right),
                ("count", Align::Right),
                ("total µs", Align::Right),
                ("share", Align::Right),
            ]);
            for row in cut(&tables.families, top) {
                table.row([
                    row.family.to_owned(),
                    grouped_u(row.names),
                    grouped_u(row.count),
                    micros(row.total_ns),
                    percent(row.share),
                ]);
            }
            let hidden: i64 = tables.families.rows.iter().skip(limit(top)).map(|row| row.total_ns).sum();
            (table, rest(&tables.families, top, hidden))
        }
        Section::Ops => {
            let mut table = Table::new(&[
                ("op", Align::Left),
                ("calls", Align::Right),
                ("activities", Align::Right),
                ("self µs", Align::Right),
                ("subtree µs", Align::Right),
            ]);
            for row in cut(&tables.ops, top) {
                table.row([
                    name(&row.name, width, 48),
                    grouped_u(row.count),
                    grouped_u(row.activities),
                    micros(row.self_ns),
                    micros(row.subtree_ns),
                ]);
            }
            let hidden: i64 = tables.ops.rows.iter().skip(limit(top)).map(|row| row.self_ns).sum();
            (table, rest(&tables.ops, top, hidden))
        }
        Section::Modules => module_table(response, top, width),
        Section::ModuleTypes => module_type_table(response, top, width),
        Section::Sources => {
            let mut table = Table::new(&[
                ("source", Align::Left),
                ("function", Align::Left),
                ("activities", Align::Right),
                ("total µs", Align::Right),
                ("share", Align::Right),
            ]);
            let whole = Nanos(tables.sources.whole_ns);
            for row in cut(&tables.sources, top) {
                table.row([
                    name(&format!("{}:{}", row.file, row.line), width, 46),
                    name(&row.function, width, 20),
                    grouped_u(row.count),
                    micros(row.ns),
                    share(Nanos(row.ns), whole),
                ]);
            }
            let hidden: i64 = tables.sources.rows.iter().skip(limit(top)).map(|row| row.ns).sum();
            (table, rest(&tables.sources, top, hidden))
        }
        Section::Steps => {
            let mut table = Table::new(&[
                ("step", Align::Left),
                ("host µs", Align::Right),
                ("kernels", Align::Right),
                ("activities", Align::Right),
                ("device µs", Align::Right),
                ("device window µs", Align::Right),
            ]);
            for row in cut(&tables.steps, top) {
                table.row([
                    name(&row.name, width, 34),
                    row.host_ns.map_or("-".to_owned(), micros),
                    grouped_u(row.kernels),
                    grouped_u(row.count),
                    micros(row.total_ns),
                    row.device_window_ns.map_or("-".to_owned(), micros),
                ]);
            }
            let hidden: i64 = tables.steps.rows.iter().skip(limit(top)).map(|row| row.total_ns).sum();
            (table, rest(&tables.steps, top, hidden))
        }
    }
}

fn kernel_table(
    rows: &Rows<KernelRow>,
    top: Option<usize>,
    width: Width,
    noun: &str,
) -> (Table, Option<String>) {
    let mut table = Table::new(&[
        (noun, Align::Left),
        ("family", Align::Left),
        ("count", Align::Right),
        ("total µs", Align::Right),
        ("mean", Align::Right),
        ("min", Align::Right),
        ("max", Align::Right),
        ("share", Align::Right),
        ("cum.", Align::Right),
    ]);
    if width == Width::Full {
        table = Table::new(&[
            (noun, Align::Left),
            ("family", Align::Left),
            ("count", Align::Right),
            ("total µs", Align::Right),
            ("mean µs", Align::Right),
            ("min µs", Align::Right),
            ("max µs", Align::Right),
            ("share", Align::Right),
            ("cumulative", Align::Right),
            ("launch µs", Align::Right),
        ]);
    }
    for row in cut(rows, top) {
        let number = |ns: Option<i64>| ns.map_or("-".to_owned(), micros);
        let parts: Vec<&str> = row.labels.parts.iter().map(|part| part.name()).collect();
        let family = if parts.len() > 1 { parts.join("+") } else { row.labels.operation.name().to_owned() };
        table.row([
            name(&row.name, width, 28),
            name(&family, width, 13),
            grouped_u(row.count),
            micros(row.total_ns),
            number(row.mean_ns),
            number(row.min_ns),
            number(row.max_ns),
            percent(row.share),
            percent(row.cumulative_share),
            number(row.launch_ns),
        ]);
    }
    let hidden: i64 = rows.rows.iter().skip(limit(top)).map(|row| row.total_ns).sum();
    (table, rest(rows, top, hidden))
}

fn module_table(response: &Response, top: Option<usize>, width: Width) -> (Table, Option<String>) {
    let rows = &response.tables.modules;
    let mut table = Table::new(&[
        ("module", Align::Left),
        ("calls", Align::Right),
        ("kernels", Align::Right),
        ("self µs", Align::Right),
        ("subtree µs", Align::Right),
        ("share", Align::Right),
    ]);
    for (index, row) in tree_order(response).into_iter().enumerate() {
        if index >= limit(top) {
            break;
        }
        let own = row.path.rsplit('/').next().unwrap_or(&row.path);
        let shown = match width {
            Width::Page => middle_short(&format!("{}{own}", "  ".repeat(row.depth)), 48),
            Width::Full => row.path.clone(),
        };
        table.row([
            shown,
            row.count.map_or("-".to_owned(), grouped_u),
            grouped_u(row.subtree_kernels),
            micros(row.self_ns),
            micros(row.subtree_ns),
            share(Nanos(row.subtree_ns), Nanos(rows.whole_ns)),
        ]);
    }
    let hidden: i64 = tree_order(response).iter().skip(limit(top)).map(|row| row.self_ns).sum();
    (table, rest(rows, top, hidden))
}

/// Modules as a tree reads: each after its parent, siblings as the capture first called them.
fn tree_order(response: &Response) -> Vec<&kforge_workbench::trace::ModuleRow> {
    let rows = &response.tables.modules.rows;
    let mut children: std::collections::HashMap<&str, Vec<usize>> = std::collections::HashMap::new();
    let mut stack: Vec<usize> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        match row.path.rsplit_once('/').filter(|_| row.depth > 0) {
            Some((parent, _)) => children.entry(parent).or_default().push(index),
            None => stack.push(index),
        }
    }
    stack.reverse();
    let mut order = Vec::with_capacity(rows.len());
    while let Some(index) = stack.pop() {
        order.push(&rows[index]);
        if let Some(below) = children.get(rows[index].path.as_str()) {
            stack.extend(below.iter().rev());
        }
    }
    order
}

fn module_type_table(response: &Response, top: Option<usize>, width: Width) -> (Table, Option<String>) {
    let rows = &response.tables.module_types;
    let mut table = Table::new(&[
        ("module type", Align::Left),
        ("instances", Align::Right),
        ("calls", Align::Right),
        ("kernels/call", Align::Right),
        ("self µs", Align::Right),
        ("subtree µs", Align::Right),
        ("share", Align::Right),
    ]);
    for row in cut(rows, top) {
        let per_call = match row.count {
            Some(calls) if calls > 0 => format!("{:.1}", row.subtree_kernels as f64 / calls as f64),
            _ => "-".to_owned(),
        };
        table.row([
            name(&row.class, width, 34),
            grouped_u(row.instances),
            row.count.map_or("-".to_owned(), grouped_u),
            per_call,
            micros(row.self_ns),
            micros(row.subtree_ns),
            share(Nanos(row.subtree_ns), Nanos(rows.whole_ns)),
        ]);
    }
    let hidden: i64 = rows.rows.iter().skip(limit(top)).map(|row| row.self_ns).sum();
    (table, rest(rows, top, hidden))
}

fn cut<Row>(table: &Rows<Row>, top: Option<usize>) -> impl Iterator<Item = &Row> {
    table.rows.iter().take(limit(top))
}

fn limit(top: Option<usize>) -> usize {
    top.unwrap_or(usize::MAX)
}

/// The line below a table: what was cut, what no row shows, what it adds up to.
fn rest<Row>(table: &Rows<Row>, top: Option<usize>, hidden: i64) -> Option<String> {
    let cut = table.rows.len().saturating_sub(limit(top));
    let mut line = String::new();
    if cut > 0 {
        let _ = write!(line, "{} more rows: {}; ", count(cut), time_of(hidden));
    }
    if table.residual_count > 0 {
        let _ = write!(
            line,
            "in no row: {} activities, {}; ",
            grouped_u(table.residual_count),
            time_of(table.residual_ns)
        );
    }
    let _ = write!(line, "whole {}", time_of(table.whole_ns));
    Some(line)
}

fn name(text: &str, width: Width, columns: usize) -> String {
    match width {
        Width::Page => middle_short(&text.replace(['\n', '\r', '\t'], " "), columns),
        Width::Full => text.to_owned(),
    }
}

fn plain(label: &serde_json::Value) -> String {
    label.as_str().map_or_else(|| label.to_string(), str::to_owned)
}

fn grouped_u(value: u64) -> String {
    grouped(i64::try_from(value).unwrap_or(i64::MAX))
}

fn micros(ns: i64) -> String {
    kforge_units::microseconds(Nanos(ns))
}

fn time_of(ns: i64) -> String {
    duration(Nanos(ns))
}

fn percent(part: f64) -> String {
    format!("{:.1}%", part * 100.0)
}
