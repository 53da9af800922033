//! The timeline: device time counted nanosecond by nanosecond.

use crate::made;
use kforge_analysis::{GapCause, Launch, Launches, Timeline, Trust};
use kforge_catalog::Family;
use kforge_trace::{Activity, ActivityId, ActivityKind, NameId, Trace};
use kforge_units::{Instant, Nanos};
use proptest::prelude::*;
use std::collections::BTreeMap;

const END: i64 = 120;

fn family(trace: &Trace, name: NameId) -> Family {
    if trace.names().bytes(name).starts_with(b"nccl") { Family::Communication } else { Family::Gemm }
}

fn runs(row: &Activity, at: i64) -> bool {
    row.start.zip(row.end()).is_some_and(|(start, end)| start.get() <= at && at < end.get())
}

/// How many of the nanoseconds satisfy a claim.
fn nanoseconds(claim: impl Fn(i64) -> bool) -> Nanos {
    Nanos((0..END).filter(|at| claim(*at)).count() as i64)
}

fn of_device(trace: &Trace, device: NameId) -> Vec<(ActivityId, Activity)> {
    trace.activities().iter().filter(|(_, row)| trace.lanes().get(row.lane).device == device).collect()
}

/// Was a call that waits for the device open on this thread at this time?
fn waited(trace: &Trace, thread: kforge_trace::ThreadId, at: Instant) -> bool {
    trace.calls().iter().any(|(_, call)| {
        let name = trace.names().text(call.name);
        let waits = name.contains("Synchronize") || (name.contains("Memcpy") && !name.contains("Async"));
        waits && call.thread == thread && call.start <= at && at <= call.end()
    })
}

/// The idle stretches before each activity, walked in order of start, end and file, each with its cause.
fn gaps(
    trace: &Trace,
    launches: &Launches,
    rows: &[(ActivityId, Activity)],
) -> BTreeMap<GapCause, (u64, Nanos)> {
    let mut placed: Vec<(Instant, Instant, ActivityId)> =
        rows.iter().filter_map(|(id, row)| Some((row.start?, row.end()?, *id))).collect();
    placed.sort();
    let mut found: BTreeMap<GapCause, (u64, Nanos)> = BTreeMap::new();
    for (position, (start, _, id)) in placed.iter().enumerate() {
        let Some((_, idle_from, before)) = placed[..position].iter().max_by_key(|(_, end, _)| *end) else {
            continue;
        };
        if start <= idle_from {
            continue;
        }
        let cause = match (launches.get(*id), launches.get(*before)) {
            (Launch::GraphReplay(call), before) if before.call() == Some(call) => GapCause::GraphNode,
            (Launch::BeforeCapture, _) => GapCause::Queued,
            (Launch::NoNumber | Launch::NoCall, _) => GapCause::Unknown,
            (Launch::Call(call) | Launch::GraphReplay(call), _) => {
                let call = trace.calls().get(call);
                if call.start < *idle_from {
                    GapCause::Queued
                } else if waited(trace, call.thread, *idle_from) {
                    GapCause::HostSync
                } else {
                    GapCause::HostLaunch
                }
            }
        };
        let (count, time) = found.entry(cause).or_default();
        *count += 1;
        *time += start.since(*idle_from);
    }
    found
}

proptest! {
    #[test]
    fn busy_idle_and_exposed_time_are_counts_of_nanoseconds(trace in made::trace()) {
        let launches = Launches::of(&trace);
        let timeline = Timeline::of(&trace, &launches, |name| family(&trace, name));
        let mut counted = 0;
        for device in &timeline.devices {
            let rows = of_device(&trace, device.device);
            counted += rows.len();
            let transfer = |row: &Activity| row.kind != ActivityKind::Kernel;
            let talks = |row: &Activity| !transfer(row) && family(&trace, row.name) == Family::Communication;
            let any = |at: i64, of: &dyn Fn(&Activity) -> bool| rows.iter().any(|(_, row)| runs(row, at) && of(row));
            let compute = |row: &Activity| !transfer(row) && !talks(row);
            prop_assert_eq!(device.count, rows.len() as u64);
            prop_assert_eq!(device.busy, nanoseconds(|at| any(at, &|_| true)));
            prop_assert_eq!(device.exposed_copy, nanoseconds(|at| any(at, &transfer) && !any(at, &|row| !transfer(row))));
            prop_assert_eq!(device.exposed_communication, nanoseconds(|at| any(at, &talks) && !any(at, &compute)));
            let first = rows.iter().filter(|(_, row)| row.end().is_some()).filter_map(|(_, row)| row.start).min();
            let last = rows.iter().filter_map(|(_, row)| row.end()).max();
            prop_assert_eq!(device.window, first.zip(last).map(|(first, last)| last.since(first)));
            let idle: Nanos = device.gaps.values().map(|(_, time)| *time).sum();
            prop_assert_eq!(device.idle().unwrap_or_default(), idle);
            for stream in &device.streams {
                let of_stream = |row: &Activity| trace.lanes().get(row.lane).stream == stream.stream;
                prop_assert_eq!(stream.busy, nanoseconds(|at| any(at, &of_stream)));
                prop_assert_eq!(stream.count, rows.iter().filter(|(_, row)| of_stream(row)).count() as u64);
            }
            prop_assert_eq!(device.count, device.streams.iter().map(|stream| stream.count).sum::<u64>());
        }
        prop_assert_eq!(counted, trace.activities().len());
    }

    #[test]
    fn every_gap_has_the_cause_that_the_host_shows(trace in made::trace()) {
        let launches = Launches::of(&trace);
        let timeline = Timeline::of(&trace, &launches, |name| family(&trace, name));
        for device in &timeline.devices {
            let twin = gaps(&trace, &launches, &of_device(&trace, device.device));
            prop_assert_eq!(&device.gaps, &twin);
        }
    }

    #[test]
    fn clipped_time_cuts_every_length_at_the_next_start_of_its_stream(trace in made::trace()) {
        let trust = Trust::of(&trace);
        let mut clipped = Nanos::ZERO;
        for (lane, _) in trace.lanes().iter() {
            let on_lane = trace.activities().iter().filter(|(_, row)| row.lane == lane);
            let (placed, lost): (Vec<Activity>, Vec<Activity>) =
                on_lane.map(|(_, row)| row).partition(|row| row.start.is_some());
            let mut spans: Vec<(Instant, Instant)> =
                placed.iter().filter_map(|row| Some((row.start?, row.end()?))).collect();
            spans.sort();
            for (position, (start, end)) in spans.iter().enumerate() {
                let next = spans.get(position + 1).map_or(*end, |(next, _)| *next);
                clipped += next.min(*end).since(*start);
            }
            clipped += lost.iter().filter_map(|row| row.length).sum::<Nanos>();
        }
        prop_assert_eq!(trust.activity_clipped, clipped);
        prop_assert_eq!(trust.activity_raw - trust.overlap, trust.activity_clipped);
        prop_assert_eq!(trust.overlapping == 0, trust.overlap == Nanos::ZERO);
    }
}
