//! Tables: each figure summed again from the activities, and every table closed by its residual.

use crate::made;
use kforge_analysis::{DetailTable, KernelTable, ModuleTable, OpTable, RangeTable, SourceTable, Whole};
use kforge_trace::{Activity, ActivityId, ActivityKind, Trace};
use kforge_units::Nanos;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Sums = (u64, Nanos);

fn add<Key: Ord>(into: &mut BTreeMap<Key, Sums>, key: Key, activity: &Activity) {
    let (count, time) = into.entry(key).or_default();
    *count += 1;
    *time += activity.length.unwrap_or_default();
}

fn sums<'a>(of: impl Iterator<Item = &'a Activity>) -> Sums {
    of.fold((0, Nanos::ZERO), |(count, time), row| (count + 1, time + row.length.unwrap_or_default()))
}

/// The rows and the residual are the whole, in time and in number.
fn closed(whole: Whole, rows: Sums, all: Sums) -> Result<(), TestCaseError> {
    prop_assert_eq!(whole.whole, all.1);
    prop_assert_eq!(rows.1 + whole.residual, all.1);
    prop_assert_eq!(rows.0 + whole.residual_count, all.0);
    prop_assert!(whole.residual >= Nanos::ZERO);
    Ok(())
}

fn activities(trace: &Trace) -> Vec<(ActivityId, Activity)> {
    trace.activities().iter().collect()
}

proptest! {
    #[test]
    fn kernels_and_transfers_are_sums_by_name(trace in made::trace()) {
        let (launches, _) = made::linked(&trace);
        let rows = activities(&trace);
        for kernels in [true, false] {
            let table =
                if kernels { KernelTable::kernels(&trace, &launches) } else { KernelTable::transfers(&trace, &launches) };
            let of_kind: Vec<&Activity> =
                rows.iter().map(|(_, row)| row).filter(|row| (row.kind == ActivityKind::Kernel) == kernels).collect();
            let mut twin = BTreeMap::new();
            for row in &of_kind {
                add(&mut twin, row.name, row);
            }
            let found = table.rows.iter().map(|row| (row.name, (row.lengths.count, row.lengths.total))).collect();
            prop_assert_eq!(twin, found);
            for row in &table.rows {
                let lengths = of_kind.iter().filter(|other| other.name == row.name).filter_map(|other| other.length);
                prop_assert_eq!(row.lengths.min, lengths.clone().min());
                prop_assert_eq!(row.lengths.max, lengths.max());
            }
            let shown = (table.rows.iter().map(|row| row.lengths.count).sum(), table.rows.iter().map(|row| row.lengths.total).sum());
            closed(table.whole, shown, sums(of_kind.into_iter()))?;
            prop_assert_eq!(table.whole.residual, Nanos::ZERO);
        }
    }

    #[test]
    fn an_op_has_what_was_launched_in_it_and_once_what_was_below(trace in made::trace()) {
        let (launches, context) = made::linked(&trace);
        let table = OpTable::of(&trace, &launches, &context);
        let (mut own, mut subtree) = (BTreeMap::new(), BTreeMap::<_, Nanos>::new());
        for (id, activity) in activities(&trace) {
            let innermost = context.context(&trace, &launches, id).op;
            let around: Vec<_> = std::iter::successors(innermost, |op| context.op_parent(*op)).collect();
            let names: BTreeSet<_> = around.iter().map(|op| trace.ops().get(*op).name).collect();
            if let Some(op) = innermost {
                add(&mut own, trace.ops().get(op).name, &activity);
            }
            for name in names {
                *subtree.entry(name).or_default() += activity.length.unwrap_or_default();
            }
        }
        for row in &table.rows {
            prop_assert_eq!((row.activities, row.own), own.remove(&row.name).unwrap_or_default());
            prop_assert_eq!(row.subtree, subtree.remove(&row.name).unwrap_or_default());
            let calls = trace.ops().iter().filter(|(_, op)| op.name == row.name).count();
            prop_assert_eq!(row.count, calls as u64);
        }
        prop_assert!(own.is_empty());
        prop_assert!(subtree.values().all(|time| *time == Nanos::ZERO));
        let shown = (table.rows.iter().map(|row| row.activities).sum(), table.rows.iter().map(|row| row.own).sum());
        closed(table.whole, shown, sums(activities(&trace).iter().map(|(_, row)| row)))?;
    }

    #[test]
    fn a_module_has_its_own_work_and_that_of_every_path_below(trace in made::trace()) {
        let (launches, context) = made::linked(&trace);
        let table = ModuleTable::of(&trace, &launches, &context);
        let rows: Vec<(Option<String>, Activity)> = activities(&trace)
            .into_iter()
            .map(|(id, row)| (context.context(&trace, &launches, id).module.map(|module| table.tree.path(module)), row))
            .collect();
        let (mut shown, mut paths) = ((0, Nanos::ZERO), BTreeSet::new());
        for (id, node) in table.tree.iter() {
            let path = table.tree.path(id);
            let here = rows.iter().filter(|(at, _)| at.as_deref() == Some(&path)).map(|(_, row)| row);
            let prefix = format!("{path}/");
            let below = rows
                .iter()
                .filter(|(at, _)| at.as_ref().is_some_and(|at| *at == path || at.starts_with(&prefix)))
                .map(|(_, row)| row);
            prop_assert_eq!((node.activities, node.own), sums(here));
            prop_assert_eq!(node.subtree, sums(below.clone()).1);
            let kernels = below.filter(|row| row.kind == ActivityKind::Kernel).count();
            prop_assert_eq!(node.subtree_kernels, kernels as u64);
            prop_assert!(paths.insert(path), "a path has one row");
            shown = (shown.0 + node.activities, shown.1 + node.own);
        }
        closed(table.whole, shown, sums(rows.iter().map(|(_, row)| row)))?;
    }

    #[test]
    fn a_source_line_has_what_it_launched(trace in made::trace()) {
        let (launches, context) = made::linked(&trace);
        let table = SourceTable::of(&trace, &launches, &context);
        let mut twin = BTreeMap::new();
        for (id, activity) in activities(&trace) {
            if let Some(source) = context.context(&trace, &launches, id).source {
                add(&mut twin, source, &activity);
            }
        }
        let found = table.rows.iter().map(|row| (row.source, (row.count, row.total))).collect();
        prop_assert_eq!(twin, found);
        let shown = (table.rows.iter().map(|row| row.count).sum(), table.rows.iter().map(|row| row.total).sum());
        closed(table.whole, shown, sums(activities(&trace).iter().map(|(_, row)| row)))?;
    }

    #[test]
    fn every_activity_is_in_one_row_of_the_detail(trace in made::trace()) {
        let (launches, context) = made::linked(&trace);
        let table = DetailTable::of(&trace, &launches, &context);
        let mut twin = BTreeMap::new();
        for (id, activity) in activities(&trace) {
            let place = context.context(&trace, &launches, id);
            let op = place.op.map(|op| trace.ops().get(op).name);
            add(&mut twin, (place.module, activity.name, op, place.source), &activity);
        }
        let found = table
            .rows
            .iter()
            .map(|row| ((row.key.module, row.key.name, row.key.op, row.key.source), (row.lengths.count, row.lengths.total)))
            .collect();
        prop_assert_eq!(twin, found);
        prop_assert_eq!((table.whole.residual, table.whole.residual_count), (Nanos::ZERO, 0));
    }

    #[test]
    fn a_step_has_what_was_launched_while_it_was_open(trace in made::trace()) {
        let (launches, context) = made::linked(&trace);
        let table = RangeTable::of(&trace, &launches, &context);
        let by_time =
            trace.ranges().iter().any(|(_, row)| trace.names().bytes(row.name).starts_with(b"ProfilerStep"));
        let mut twin: BTreeMap<_, Sums> = BTreeMap::new();
        for (id, activity) in activities(&trace) {
            let range = context.context(&trace, &launches, id).range;
            let around: Vec<_> = std::iter::successors(range, |range| context.range_parent(*range)).collect();
            let at = launches.get(id).call().map(|call| trace.calls().get(call).start);
            let open = at.and_then(|at| {
                let steps = trace.ranges().iter().filter(|(_, row)| row.start <= at && at < row.end());
                steps.max_by_key(|(id, row)| (row.start, *id)).map(|(id, _)| id)
            });
            let step = if by_time { around.first().copied().or(open) } else { around.last().copied() };
            if let Some(step) = step {
                add(&mut twin, step, &activity);
            }
        }
        let rows = table.rows.iter().filter(|row| row.count > 0);
        let found = rows.map(|row| (row.range, (row.count, row.total))).collect();
        prop_assert_eq!(twin, found);
        let shown = (table.rows.iter().map(|row| row.count).sum(), table.rows.iter().map(|row| row.total).sum());
        closed(table.whole, shown, sums(activities(&trace).iter().map(|(_, row)| row)))?;
    }
}
