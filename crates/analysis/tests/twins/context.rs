//! The host's side of a launch: of everything open on its thread, what started last.

use crate::made;
use kforge_catalog::{FrameKind, Frames};
use kforge_trace::{HostEvent, StackId, ThreadId, Trace};
use kforge_units::Instant;
use proptest::prelude::*;
use std::cmp::Reverse;

/// A row of a table of host events with its position, which is its handle's.
type Rows = Vec<(usize, HostEvent)>;

fn key(row: &(usize, HostEvent)) -> (Instant, Reverse<Instant>, usize) {
    (row.1.start, Reverse(row.1.end()), row.0)
}

/// The row that started last among those open at a time; before `limit`, where one is given.
fn innermost(
    rows: &Rows,
    thread: ThreadId,
    at: Instant,
    limit: Option<&(usize, HostEvent)>,
) -> Option<usize> {
    rows.iter()
        .filter(|(_, row)| row.thread == thread && row.start <= at && row.end() > at)
        .filter(|row| limit.is_none_or(|limit| key(row) < key(limit)))
        .max_by_key(|row| key(row))
        .map(|(position, _)| *position)
}

fn outer(rows: &Rows, row: usize) -> Option<usize> {
    let here = rows[row];
    innermost(rows, here.1.thread, here.1.start, Some(&here))
}

/// The texts of the frames around a place, outermost first.
fn chain(trace: &Trace, frames: &Rows, row: Option<usize>) -> Vec<String> {
    let mut texts = Vec::new();
    let mut next = row;
    while let Some(row) = next {
        texts.push(trace.names().text(frames[row].1.name).into_owned());
        next = outer(frames, row);
    }
    texts.reverse();
    texts
}

fn stack_of(ops: &Rows, op: Option<usize>) -> Option<StackId> {
    let mut next = op;
    while let Some(op) = next {
        if let Some(stack) = ops[op].1.stack {
            return Some(stack);
        }
        next = outer(ops, op);
    }
    None
}

/// The module path of a chain of frames.
fn module_path(chain: &[String]) -> Option<String> {
    let names: Vec<&str> = chain.iter().filter_map(|text| text.strip_prefix("nn.Module: ")).collect();
    (!names.is_empty()).then(|| names.join("/"))
}

/// The innermost application line of a chain, else the innermost line of a wrapper.
fn source(rules: &Frames, chain: &[String]) -> Option<String> {
    let of = |wanted: FrameKind| {
        chain.iter().rev().find(|text| {
            let parts = text
                .split_once("): ")
                .and_then(|(place, function)| Some((place.split_once('(')?.0, function)));
            parts.is_some_and(|(file, function)| rules.kind(file, function) == wanted)
        })
    };
    of(FrameKind::Application).or_else(|| of(FrameKind::Wrapper)).cloned()
}

proptest! {
    #[test]
    fn a_launch_stands_in_what_started_last_and_is_still_open(trace in made::trace()) {
        let rules = Frames::builtin().unwrap();
        let (launches, context) = made::linked(&trace);
        let ops: Rows = trace.ops().iter().map(|(id, row)| (id.index(), row)).collect();
        let ranges: Rows = trace.ranges().iter().map(|(id, row)| (id.index(), row)).collect();
        let frames: Rows = trace.frames().iter().map(|(id, row)| (id.index(), row)).collect();
        for (id, _) in trace.activities().iter() {
            let Some(call) = launches.get(id).call() else { continue };
            let call = trace.calls().get(call);
            let inside = |rows: &Rows| innermost(rows, call.thread, call.start, None);
            let found = context.context(&trace, &launches, id);
            let op = inside(&ops);
            prop_assert_eq!(found.op.map(kforge_trace::OpId::index), op);
            prop_assert_eq!(found.range.map(kforge_trace::RangeId::index), inside(&ranges));
            let chain = match (inside(&frames), stack_of(&ops, op)) {
                (Some(frame), _) => chain(&trace, &frames, Some(frame)),
                (None, Some(stack)) => {
                    let frames = trace.stacks().frames(stack).rev();
                    frames.map(|frame| String::from_utf8_lossy(frame).into_owned()).collect()
                }
                (None, None) => Vec::new(),
            };
            prop_assert_eq!(found.module.map(|module| context.modules().path(module)), module_path(&chain));
            let line = found.source.map(|line| context.sources().get(line));
            let line = line.map(|line| format!("{}({}): {}", line.file, line.line, line.function));
            prop_assert_eq!(line, source(&rules, &chain));
        }
    }

    #[test]
    fn what_is_around_an_op_or_a_range_started_before_it_and_is_still_open(trace in made::trace()) {
        let (_, context) = made::linked(&trace);
        let ops: Rows = trace.ops().iter().map(|(id, row)| (id.index(), row)).collect();
        for (id, _) in trace.ops().iter() {
            prop_assert_eq!(context.op_parent(id).map(kforge_trace::OpId::index), outer(&ops, id.index()));
        }
        let ranges: Rows = trace.ranges().iter().map(|(id, row)| (id.index(), row)).collect();
        for (id, _) in trace.ranges().iter() {
            prop_assert_eq!(context.range_parent(id).map(kforge_trace::RangeId::index), outer(&ranges, id.index()));
        }
    }

    #[test]
    fn an_activity_without_a_call_stands_in_the_first_op_of_its_number(trace in made::trace()) {
        let (launches, context) = made::linked(&trace);
        let ops: Rows = trace.ops().iter().map(|(id, row)| (id.index(), row)).collect();
        for (id, activity) in trace.activities().iter().filter(|(id, _)| launches.get(*id).call().is_none()) {
            let number = activity.external.filter(|number| *number > 0);
            let of_number = ops.iter().filter(|(_, row)| number.is_some() && row.external == number);
            let first = of_number.min_by_key(|row| (row.1.thread, key(row)));
            let op = first.and_then(|first| {
                let opened: Rows = ops.iter().filter(|row| key(row) <= key(first)).copied().collect();
                innermost(&opened, first.1.thread, first.1.start, None)
            });
            let found = context.context(&trace, &launches, id).op;
            prop_assert_eq!(found.map(kforge_trace::OpId::index), op);
        }
    }

    #[test]
    fn a_module_was_called_as_often_as_its_frames_say(trace in made::trace()) {
        let (_, context) = made::linked(&trace);
        let frames: Rows = trace.frames().iter().map(|(id, row)| (id.index(), row)).collect();
        let mut calls = std::collections::BTreeMap::<String, u64>::new();
        for (row, _) in frames.iter().filter(|(_, row)| trace.names().bytes(row.name).starts_with(b"nn.Module: ")) {
            let path = module_path(&chain(&trace, &frames, Some(*row))).unwrap();
            *calls.entry(path).or_default() += 1;
        }
        let tree = context.modules();
        let found = tree.iter().filter_map(|(id, node)| Some((tree.path(id), node.calls?))).collect();
        prop_assert_eq!(calls, found);
    }
}
