//! What the builder promises of every trace, whatever a reader gives it.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why and fails")]

use kforge_trace::{Activity, ActivityKind, HostEvent, Lane, Thread, Trace, TraceBuilder};
use kforge_units::{Instant, Nanos};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const DAY: i64 = 86_400_000_000_000;

/// Kind, name, stream, start, length, number.
type Row = (bool, u8, u8, Option<i64>, Option<i64>, Option<i64>);

fn row() -> impl Strategy<Value = Row> {
    let number = option::of(-1..4_i64);
    (
        any::<bool>(),
        0..2_u8,
        0..2_u8,
        option::weighted(0.9, 0..4_i64),
        option::weighted(0.9, -2..3_i64),
        number,
    )
}

fn name(builder: &mut TraceBuilder, text: &str) -> kforge_trace::NameId {
    builder.name(text.as_bytes()).expect("a few names fit").0
}

fn built(rows: &[Row], calls: &[i64]) -> Trace {
    let mut builder = TraceBuilder::default();
    for (copy, text, stream, start, length, number) in rows {
        let lane = Lane { device: name(&mut builder, "0"), stream: name(&mut builder, &stream.to_string()) };
        let activity = Activity {
            kind: if *copy { ActivityKind::Copy } else { ActivityKind::Kernel },
            name: name(&mut builder, &format!("k{text}")),
            lane: builder.lane(lane).expect("a few lanes fit"),
            start: start.map(Instant),
            length: length.map(Nanos),
            correlation: *number,
            external: None,
            shape: None,
            bytes: None,
        };
        builder.activity(activity);
    }
    for start in calls {
        let thread = Thread { process: name(&mut builder, "1"), thread: name(&mut builder, "1") };
        let call = HostEvent {
            name: name(&mut builder, "call"),
            thread: builder.thread(thread).expect("one thread fits"),
            start: Instant(*start),
            length: None,
            correlation: Some(-1),
            external: None,
            stack: None,
        };
        builder.call(call);
    }
    builder.finish()
}

/// The row as the builder should keep it: no negative length, no number below 1.
fn kept(row: &Row) -> Row {
    let (copy, text, stream, start, length, number) = *row;
    (copy, text, stream, start, length.filter(|length| *length >= 0), number.filter(|number| *number > 0))
}

/// Rows that are not written a second time: with a length, a number, and the same in everything.
fn without_twins(rows: &[Row]) -> Vec<Row> {
    let mut once: Vec<Row> = Vec::new();
    for row in rows.iter().map(kept) {
        let countable = row.4.is_some_and(|length| length > 0) && row.5.is_some();
        if !(countable && once.contains(&row)) {
            once.push(row);
        }
    }
    once
}

fn shown(trace: &Trace) -> Vec<Row> {
    let text = |name| trace.names().text(name).into_owned();
    trace
        .activities()
        .iter()
        .map(|(_, row)| {
            let lane = trace.lanes().get(row.lane);
            let number = |text: String| text.trim_start_matches('k').parse().unwrap_or(u8::MAX);
            (
                row.kind == ActivityKind::Copy,
                number(text(row.name)),
                number(text(lane.stream)),
                row.start.map(Instant::get),
                row.length.map(Nanos::get),
                row.correlation,
            )
        })
        .collect()
}

proptest! {
    #[test]
    fn an_activity_written_twice_is_kept_once_and_counted(rows in vec(row(), 0..30)) {
        let trace = built(&rows, &[]);
        let once = without_twins(&rows);
        prop_assert_eq!(shown(&trace), once.clone());
        let length = |rows: &mut dyn Iterator<Item = Row>| rows.filter_map(|row| row.4).sum::<i64>();
        let (twins, time) = trace.twins();
        prop_assert_eq!(twins, rows.len() - once.len());
        let whole = length(&mut rows.iter().map(kept));
        prop_assert_eq!(time.get() + length(&mut once.into_iter()), whole);
    }

    #[test]
    fn a_host_call_has_a_positive_number_or_none(calls in vec(0..9_i64, 0..4)) {
        let trace = built(&[], &calls);
        prop_assert!(trace.calls().iter().all(|(_, call)| call.correlation.is_none()));
        prop_assert_eq!(trace.calls().len(), calls.len());
    }
}

#[test]
fn time_zero_a_day_before_everything_else_is_a_lost_clock() {
    let activity = |start| (false, 0, 0, Some(start), Some(5), Some(start + 1));
    let lost = built(&[activity(0), activity(DAY + 1)], &[]);
    assert_eq!(lost.clockless(), 1);
    assert_eq!(shown(&lost).iter().map(|row| row.3).collect::<Vec<_>>(), [None, Some(DAY + 1)]);
    let by_call = built(&[activity(0)], &[DAY + 1]);
    assert_eq!(by_call.clockless(), 1);
}

#[test]
fn time_zero_of_a_capture_that_begins_there_is_a_time() {
    let activity = |start| (false, 0, 0, Some(start), Some(5), Some(start + 1));
    let trace = built(&[activity(0), activity(DAY)], &[DAY]);
    assert_eq!(trace.clockless(), 0);
    assert_eq!(shown(&trace).first().and_then(|row| row.3), Some(0));
}
