//! Composes the answer of `trace`.

use super::answer::{Response, Tables};
use super::coverage::{Coverage, Covered};
use super::detail::DetailRow;
use super::device::{Device, Gap, Stream};
use super::link::{ClassTotal, Links};
use super::notes::{add_doubts, add_module_notes};
use super::read::{Capture, read};
use super::summary::{Activities, Summary, Time};
use super::table::{FamilyRow, KernelRow, ModuleRow, ModuleTypeRow, OpRow, SourceRow, StepRow, Table};
use super::trust::Doubts;
use crate::{Error, Observer};
use kforge_analysis::{
    DeviceTime, GapCause, KernelTable, Launch, LaunchClass, ModuleTable, OpTable, RangeTable, SourceTable,
    Timeline, Trust, Whole,
};
use kforge_catalog::{Catalog, Family, Labels};
use kforge_trace::{ActivityKind, NameId};
use kforge_units::Nanos;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which capture to read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The capture file.
    pub capture: PathBuf,
}

/// Reads the capture and answers.
///
/// # Errors
/// Where the file is no capture, cannot be read, or the observer asked to stop.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let capture = read(&request.capture, observer)?;
    Ok(Composer::of(&capture)?.answer())
}

/// Reads the capture and answers, with the finest table beside it: what a workbook lists and a page has no room for.
///
/// # Errors
/// As [`run`].
pub fn run_detailed(
    request: &Request,
    observer: &dyn Observer,
) -> Result<(Response, Table<DetailRow>), Error> {
    let capture = read(&request.capture, observer)?;
    let composer = Composer::of(&capture)?;
    Ok((composer.answer(), composer.details()))
}

/// The labels of every activity name, by the name's row.
fn labels(capture: &Capture, catalog: &Catalog) -> Vec<Option<Labels>> {
    let mut labels = vec![None; capture.trace.names().len()];
    for (_, activity) in capture.trace.activities().iter() {
        let slot: &mut Option<Labels> = &mut labels[activity.name.index()];
        if slot.is_none() {
            *slot = Some(catalog.classify(&capture.trace.names().text(activity.name)));
        }
    }
    labels
}

pub(super) struct Composer<'a> {
    pub(super) capture: &'a Capture,
    labels: Vec<Option<Labels>>,
}

impl<'a> Composer<'a> {
    fn of(capture: &'a Capture) -> Result<Self, Error> {
        let catalog = Catalog::builtin().map_err(|error| Error::Bug(error.to_string()))?;
        Ok(Self { labels: labels(capture, &catalog), capture })
    }

    pub(super) fn labels(&self, name: NameId) -> Labels {
        self.labels[name.index()].clone().unwrap_or_else(unlabelled)
    }

    fn answer(&self) -> Response {
        let Capture { trace, launches, context, .. } = self.capture;
        let kernels = KernelTable::kernels(trace, launches);
        let transfers = KernelTable::transfers(trace, launches);
        let ops = OpTable::of(trace, launches, context);
        let modules = ModuleTable::of(trace, launches, context);
        let sources = SourceTable::of(trace, launches, context);
        let steps = RangeTable::of(trace, launches, context);
        let trust = Trust::of(trace);
        let families = self.families(&kernels);
        let mut notes = self.capture.notes.clone();
        add_module_notes(context.modules(), &self.capture.file, &mut notes);
        add_doubts(launches, &trust, &mut notes);
        Response {
            capture: self.summary(),
            activities: self.activities(),
            time: self.time(&kernels),
            links: self.links(),
            coverage: self.coverage(&ops, &modules, &sources, &steps, &families),
            trust: self.doubts(&trust),
            tables: Tables {
                kernels: self.kernel_rows(&kernels),
                families,
                transfers: self.kernel_rows(&transfers),
                ops: self.op_rows(&ops),
                module_types: module_type_rows(&modules),
                modules: module_rows(&modules),
                sources: self.source_rows(&sources),
                steps: self.step_rows(&steps),
            },
            notes,
        }
    }

    pub(super) fn text(&self, name: NameId) -> String {
        self.capture.trace.names().text(name).into_owned()
    }

    fn family(&self, name: NameId) -> Family {
        self.labels[name.index()].as_ref().map_or(Family::Unclassified, |labels| labels.operation)
    }

    fn summary(&self) -> Summary {
        let trace = &self.capture.trace;
        let facts = trace.facts();
        Summary {
            file: self.capture.file.clone(),
            bytes: self.capture.bytes,
            device_names: facts.devices.iter().filter_map(|device| device.name.clone()).collect(),
            clock_zero_ns: facts.clock_zero,
            rank: facts.rank,
            world: facts.world,
            calls: trace.calls().len() as u64,
            ops: trace.ops().len() as u64,
            frames: trace.frames().len() as u64,
            ranges: trace.ranges().len() as u64,
        }
    }

    fn activities(&self) -> Activities {
        let of =
            |kind| self.capture.trace.activities().iter().filter(|(_, row)| row.kind == kind).count() as u64;
        let (kernels, copies, fills) =
            (of(ActivityKind::Kernel), of(ActivityKind::Copy), of(ActivityKind::Fill));
        Activities { total: kernels + copies + fills, kernels, copies, fills }
    }

    fn time(&self, kernels: &KernelTable) -> Time {
        let Capture { trace, launches, .. } = self.capture;
        let timeline = Timeline::of(trace, launches, |name| self.family(name));
        let sum: Nanos = trace.activities().iter().filter_map(|(_, row)| row.length).sum();
        Time {
            kernel_sum_ns: kernels.whole.whole.get(),
            activity_sum_ns: sum.get(),
            devices: timeline.devices.iter().map(|device| self.device(device)).collect(),
        }
    }

    fn device(&self, device: &DeviceTime) -> Device {
        // Without a window no activity has a place, and then busy time is unknown, not zero.
        let known = |time: Nanos| device.window.map(|_| time.get());
        Device {
            device: label(&self.text(device.device)),
            activities: device.count,
            busy_ns: known(device.busy),
            window_ns: device.window.map(Nanos::get),
            idle_ns: device.idle().map(Nanos::get),
            exposed_copy_ns: known(device.exposed_copy),
            exposed_communication_ns: known(device.exposed_communication),
            streams: device
                .streams
                .iter()
                .map(|stream| Stream {
                    stream: label(&self.text(stream.stream)),
                    count: stream.count,
                    sum_ns: stream.sum.get(),
                    busy_ns: stream.busy.get(),
                })
                .collect(),
            gaps: device
                .gaps
                .iter()
                .map(|(cause, (count, time))| Gap {
                    cause: cause_name(*cause),
                    count: *count,
                    ns: time.get(),
                })
                .collect(),
        }
    }

    fn links(&self) -> Links {
        let Capture { trace, launches, .. } = self.capture;
        let total = |class| {
            let (count, time) = launches.total(trace, class);
            ClassTotal { count, ns: time.get() }
        };
        let mut no_number = ClassTotal::default();
        let mut no_call = ClassTotal::default();
        for (id, activity) in trace.activities().iter() {
            let part = match launches.get(id) {
                Launch::NoNumber => &mut no_number,
                Launch::NoCall => &mut no_call,
                Launch::Call(_) | Launch::GraphReplay(_) | Launch::BeforeCapture => continue,
            };
            part.count += 1;
            part.ns = part.ns.saturating_add(activity.length.unwrap_or_default().get());
        }
        Links {
            call: total(LaunchClass::Call),
            graph_replay: total(LaunchClass::GraphReplay),
            before_capture: total(LaunchClass::BeforeCapture),
            missing: total(LaunchClass::Missing),
            missing_no_number: no_number,
            missing_no_call: no_call,
            launches_without_activity: launches.launches_without_activity(),
        }
    }

    fn coverage(
        &self,
        ops: &OpTable,
        modules: &ModuleTable,
        sources: &SourceTable,
        steps: &RangeTable,
        families: &Table<FamilyRow>,
    ) -> Coverage {
        let total = self.capture.trace.activities().len() as u64;
        let links = self.links();
        let of = |whole: &Whole| Covered {
            count: total - whole.residual_count,
            ns: (whole.whole - whole.residual).get(),
        };
        let unclassified = families.rows.iter().find(|row| row.family == Family::Unclassified.name());
        let kernels = self.activities().kernels;
        Coverage {
            launch: Covered {
                count: links.call.count + links.graph_replay.count,
                ns: links.call.ns.saturating_add(links.graph_replay.ns),
            },
            op: of(&ops.whole),
            module: of(&modules.whole),
            source: of(&sources.whole),
            step: of(&steps.whole),
            family: Covered {
                count: kernels - unclassified.map_or(0, |row| row.count),
                ns: families.whole_ns - unclassified.map_or(0, |row| row.total_ns),
            },
        }
    }

    fn doubts(&self, trust: &Trust) -> Doubts {
        Doubts {
            overlapping: trust.overlapping,
            overlap_ns: trust.overlap.get(),
            largest_overlap_ns: trust.largest.get(),
            kernel_sum_raw_ns: trust.kernel_raw.get(),
            kernel_sum_clipped_ns: trust.kernel_clipped.get(),
            activity_sum_raw_ns: trust.activity_raw.get(),
            activity_sum_clipped_ns: trust.activity_clipped.get(),
            twins: self.capture.trace.twins().0 as u64,
            clockless: self.capture.trace.clockless() as u64,
        }
    }

    fn kernel_rows(&self, table: &KernelTable) -> Table<KernelRow> {
        let whole = table.whole.whole;
        let mut so_far = Nanos::ZERO;
        let rows = table
            .rows
            .iter()
            .map(|row| {
                let lengths = row.lengths;
                so_far += lengths.total;
                KernelRow {
                    name: self.text(row.name),
                    labels: self.labels(row.name),
                    count: lengths.count,
                    timed: lengths.timed,
                    total_ns: lengths.total.get(),
                    mean_ns: lengths.mean().map(Nanos::get),
                    min_ns: lengths.min.map(Nanos::get),
                    max_ns: lengths.max.map(Nanos::get),
                    share: part(lengths.total, whole),
                    cumulative_share: part(so_far, whole),
                    launch_ns: row.launch.map(Nanos::get),
                    graph_replayed: row.replayed,
                }
            })
            .collect();
        with(rows, &table.whole)
    }

    fn families(&self, kernels: &KernelTable) -> Table<FamilyRow> {
        let mut by_family: BTreeMap<&'static str, (u64, u64, Nanos)> = BTreeMap::new();
        for row in &kernels.rows {
            let (names, count, total) = by_family.entry(self.family(row.name).name()).or_default();
            *names += 1;
            *count += row.lengths.count;
            *total += row.lengths.total;
        }
        let whole = kernels.whole.whole;
        let mut rows: Vec<FamilyRow> = by_family
            .into_iter()
            .map(|(family, (names, count, total))| FamilyRow {
                family,
                names,
                count,
                total_ns: total.get(),
                share: part(total, whole),
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
        with(rows, &kernels.whole)
    }

    fn op_rows(&self, table: &OpTable) -> Table<OpRow> {
        let rows = table
            .rows
            .iter()
            .map(|row| OpRow {
                name: self.text(row.name),
                count: row.count,
                activities: row.activities,
                self_ns: row.own.get(),
                subtree_ns: row.subtree.get(),
            })
            .collect();
        with(rows, &table.whole)
    }

    fn source_rows(&self, table: &SourceTable) -> Table<SourceRow> {
        let rows = table
            .rows
            .iter()
            .map(|row| {
                let line = self.capture.context.sources().get(row.source);
                SourceRow {
                    file: line.file.clone(),
                    line: line.line,
                    function: line.function.clone(),
                    count: row.count,
                    ns: row.total.get(),
                }
            })
            .collect();
        with(rows, &table.whole)
    }

    fn step_rows(&self, table: &RangeTable) -> Table<StepRow> {
        let ranges = self.capture.trace.ranges();
        let rows = table
            .rows
            .iter()
            .map(|row| StepRow {
                name: self.text(ranges.get(row.range).name),
                start_ns: row.start.get(),
                host_ns: row.host.map(Nanos::get),
                count: row.count,
                kernels: row.kernels,
                total_ns: row.total.get(),
                device_window_ns: row.device_window.map(Nanos::get),
            })
            .collect();
        with(rows, &table.whole)
    }
}

fn module_rows(table: &ModuleTable) -> Table<ModuleRow> {
    let rows = table
        .tree
        .iter()
        .map(|(id, node)| ModuleRow {
            path: table.tree.path(id),
            parent: node.parent.map(kforge_analysis::ModuleId::index),
            class: node.class.clone(),
            instance: node.instance,
            depth: node.depth as usize,
            count: node.calls,
            activities: node.activities,
            kernels: node.kernels,
            subtree_kernels: node.subtree_kernels,
            self_ns: node.own.get(),
            subtree_ns: node.subtree.get(),
        })
        .collect();
    with(rows, &table.whole)
}

fn module_type_rows(table: &ModuleTable) -> Table<ModuleTypeRow> {
    let mut by_class: BTreeMap<&str, ModuleTypeRow> = BTreeMap::new();
    for (_, node) in table.tree.iter() {
        let row = by_class.entry(&node.class).or_insert_with(|| ModuleTypeRow {
            class: node.class.clone(),
            instances: 0,
            count: None,
            kernels: 0,
            subtree_kernels: 0,
            self_ns: 0,
            subtree_ns: 0,
        });
        row.instances += 1;
        if let Some(calls) = node.calls {
            *row.count.get_or_insert_default() += calls;
        }
        row.kernels += node.kernels;
        row.self_ns = row.self_ns.saturating_add(node.own.get());
        let mut above = std::iter::successors(node.parent, |id| table.tree.get(*id).parent);
        if !above.any(|id| table.tree.get(id).class == node.class) {
            row.subtree_ns = row.subtree_ns.saturating_add(node.subtree.get());
            row.subtree_kernels += node.subtree_kernels;
        }
    }
    let mut rows: Vec<ModuleTypeRow> = by_class.into_values().collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.subtree_ns), std::cmp::Reverse(row.self_ns)));
    with(rows, &table.whole)
}

pub(super) fn with<Row>(rows: Vec<Row>, whole: &Whole) -> Table<Row> {
    Table {
        rows,
        residual_ns: whole.residual.get(),
        residual_count: whole.residual_count,
        whole_ns: whole.whole.get(),
    }
}

fn part(part: Nanos, whole: Nanos) -> f64 {
    if whole == Nanos::ZERO { 0.0 } else { part.get() as f64 / whole.get() as f64 }
}

fn unlabelled() -> Labels {
    Labels {
        operation: Family::Unclassified,
        parts: Vec::new(),
        dtypes: Vec::new(),
        language: None,
        library: None,
        rule: None,
    }
}

fn cause_name(cause: GapCause) -> &'static str {
    match cause {
        GapCause::HostSync => "host-sync",
        GapCause::HostLaunch => "host-launch",
        GapCause::GraphNode => "graph-node",
        GapCause::Queued => "queued",
        GapCause::Unknown => "unknown",
    }
}

/// A label as JSON: a number where it is one, else text.
fn label(text: &str) -> serde_json::Value {
    match text.parse::<i64>() {
        Ok(number) => number.into(),
        Err(_) => text.into(),
    }
}
