//! Nesting far deeper than any program's: right sums, in time that grows with the events. What takes the square of the depth
//! does not end here while anybody waits.

use crate::made::linked;
use kforge_analysis::{DEEPEST, ModuleTable, OpTable, RangeTable};
use kforge_trace::{Activity, ActivityKind, HostEvent, Lane, Thread, Trace, TraceBuilder};
use kforge_units::{Instant, Nanos};

const LEVELS: i64 = 100_000;

/// What nests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nest {
    Frames,
    Ops,
    Ranges,
    /// Nothing; but all calls and activities share one number.
    OneNumber,
}

/// `LEVELS` events one inside the other; in each a call, of which an activity of 1 ns comes. `name` is that of a level.
fn nested(nest: Nest, name: impl Fn(i64) -> String) -> Trace {
    let mut builder = TraceBuilder::default();
    let intern = |builder: &mut TraceBuilder, text: &str| builder.name(text.as_bytes()).unwrap().0;
    let (one, launch, kernel) =
        (intern(&mut builder, "1"), intern(&mut builder, "cudaLaunchKernel"), intern(&mut builder, "k"));
    let lane = builder.lane(Lane { device: one, stream: one }).unwrap();
    let thread = builder.thread(Thread { process: one, thread: one }).unwrap();
    for level in 0..LEVELS {
        let name = intern(&mut builder, &name(level));
        let number = if nest == Nest::OneNumber { 1 } else { level + 1 };
        let row = HostEvent {
            name,
            thread,
            start: Instant(2 * level),
            length: Some(Nanos(4 * (LEVELS - level))),
            correlation: None,
            external: None,
            stack: None,
        };
        match nest {
            Nest::Frames => builder.frame(row),
            Nest::Ops => builder.op(row),
            Nest::Ranges => builder.range(row),
            Nest::OneNumber => true,
        };
        builder.call(HostEvent {
            name: launch,
            start: Instant(2 * level + 1),
            length: Some(Nanos(1)),
            correlation: Some(number),
            ..row
        });
        builder.activity(Activity {
            kind: ActivityKind::Kernel,
            name: kernel,
            lane,
            start: Some(Instant(10 * LEVELS + level)),
            length: Some(Nanos(1)),
            correlation: Some(number),
            external: None,
            shape: None,
            bytes: None,
        });
    }
    builder.finish()
}

#[test]
fn modules_below_the_deepest_level_are_their_ancestors() {
    let trace = nested(Nest::Frames, |level| format!("nn.Module: Deep_{level}"));
    let (launches, context) = linked(&trace);
    let table = ModuleTable::of(&trace, &launches, &context);
    let rows: Vec<_> = table.tree.iter().collect();
    assert_eq!(rows.len(), DEEPEST as usize);
    for (level, (_, row)) in rows.iter().enumerate() {
        let own = if row.depth + 1 == DEEPEST { LEVELS - level as i64 } else { 1 };
        assert_eq!((row.depth as usize, row.own), (level, Nanos(own)));
        assert_eq!((row.calls, row.subtree), (Some(1), Nanos(LEVELS - level as i64)));
    }
    assert_eq!((table.whole.residual, table.whole.residual_count), (Nanos::ZERO, 0));
    assert_eq!(table.tree.without_node(), LEVELS as u64 - u64::from(DEEPEST));
}

#[test]
fn an_op_has_what_is_below_it_however_deep() {
    let trace = nested(Nest::Ops, |level| format!("op{level}"));
    let (launches, context) = linked(&trace);
    let table = OpTable::of(&trace, &launches, &context);
    assert_eq!(table.rows.len() as i64, LEVELS);
    for row in &table.rows {
        let level: i64 = trace.names().text(row.name)[2..].parse().unwrap();
        assert_eq!((row.own, row.subtree), (Nanos(1), Nanos(LEVELS - level)));
    }
    let recursive = nested(Nest::Ops, |_| "op".to_owned());
    let (launches, context) = linked(&recursive);
    let table = OpTable::of(&recursive, &launches, &context);
    assert_eq!((table.rows[0].own, table.rows[0].subtree), (Nanos(LEVELS), Nanos(LEVELS)));
}

#[test]
fn the_outermost_range_is_the_step_of_all_below_it() {
    let trace = nested(Nest::Ranges, |level| format!("range{level}"));
    let (launches, context) = linked(&trace);
    let table = RangeTable::of(&trace, &launches, &context);
    assert_eq!((table.rows.len(), table.rows[0].total), (1, Nanos(LEVELS)));
}

#[test]
fn one_number_may_be_that_of_every_call_and_activity() {
    let trace = nested(Nest::OneNumber, |_| "unused".to_owned());
    let (launches, _) = linked(&trace);
    // All calls start before all activities, so the last call has them all.
    let last = trace.calls().ids().last();
    assert!(trace.activities().iter().all(|(id, _)| launches.get(id).call() == last));
}
