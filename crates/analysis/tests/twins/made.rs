//! Small crowded traces, made at random, and the links that every table gets of them.

use kforge_analysis::{HostContext, Launches};
use kforge_catalog::Frames;
use kforge_trace::{
    Activity, ActivityKind, Arrow, HostEvent, Lane, LaneId, NameId, Thread, ThreadId, Trace, TraceBuilder,
};
use kforge_units::{Instant, Nanos};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const KERNELS: [&str; 3] = ["gemm", "norm", "nccl_all_reduce"];
const TRANSFERS: [&str; 2] = ["Memcpy HtoD", "Memset"];
const CALLS: [&str; 6] = [
    "cudaLaunchKernel",
    "cudaGraphLaunch",
    "cudaMemcpyAsync",
    "cudaMemcpy",
    "cudaStreamSynchronize",
    "cudaEventRecord",
];
const OPS: [&str; 3] = ["aten::linear", "aten::addmm", "aten::add"];
const RANGES: [&str; 2] = ["prefill", "decode"];
const STEPS: [&str; 2] = ["ProfilerStep#1", "ProfilerStep#2"];
/// Modules, lines of an application, of wrappers and of the framework.
const FRAMES: [&str; 7] = [
    "nn.Module: Model_0",
    "nn.Module: Norm_0",
    "nn.Module: Norm_1",
    "app/model.py(10): forward",
    "app/norm.py(20): apply",
    "app/model.py(30): wrapper",
    "torch/nn/functional.py(40): linear",
];
const STACKS: [&str; 3] =
    ["app/a.py(1): f;nn.Module: Norm_0;app/b.py(2): g", "torch/x.py(3): h; app/c.py(4): wrapper", ""];

type MadeActivity = (usize, u8, u8, Option<i64>, Option<i64>, i64, Option<i64>);
type MadeHost = (usize, u8, i64, Option<i64>, Option<i64>, Option<i64>, Option<usize>);
type MadeArrow = (bool, i64, u8, i64);

fn activity() -> impl Strategy<Value = MadeActivity> {
    let start = option::weighted(0.95, 1..90_i64);
    let length = option::weighted(0.95, 0..12_i64);
    (0..KERNELS.len() + TRANSFERS.len(), 0..2_u8, 0..2_u8, start, length, -1..12_i64, option::of(0..4_i64))
}

fn host(names: usize, longest: i64) -> impl Strategy<Value = MadeHost> {
    let number = option::weighted(0.9, -1..12_i64);
    let length = option::weighted(0.95, 0..longest);
    (
        0..names,
        0..2_u8,
        0..80_i64,
        length,
        number,
        option::of(1..4_i64),
        option::weighted(0.3, 0..STACKS.len()),
    )
}

/// A trace with every kind of event.
pub fn trace() -> impl Strategy<Value = Trace> {
    let arrow = (any::<bool>(), 0..3_i64, 0..2_u8, 0..40_i64);
    let ranges = prop_oneof![
        vec(host(RANGES.len(), 40), 0..6).prop_map(|rows| (RANGES, rows)),
        vec(host(STEPS.len(), 40), 0..6).prop_map(|rows| (STEPS, rows)),
    ];
    (
        vec(activity(), 0..30),
        vec(host(CALLS.len(), 8), 0..20),
        vec(host(OPS.len(), 25), 0..14),
        ranges,
        prop_oneof![Just(Vec::new()), vec(host(FRAMES.len(), 40), 0..24)],
        vec(arrow, 0..12),
    )
        .prop_map(|(activities, calls, ops, (range_names, ranges), frames, arrows)| {
            let mut maker = Maker::default();
            for row in &activities {
                let row = maker.activity(row);
                maker.builder.activity(row);
            }
            for row in maker.hosts(&CALLS, &calls) {
                maker.builder.call(row);
            }
            for row in maker.hosts(&OPS, &ops) {
                maker.builder.op(row);
            }
            for row in maker.hosts(&range_names, &ranges) {
                maker.builder.range(row);
            }
            for row in maker.hosts(&FRAMES, &frames) {
                maker.builder.frame(row);
            }
            for arrow in &arrows {
                maker.arrow(arrow);
            }
            maker.builder.finish()
        })
}

#[derive(Default)]
struct Maker {
    builder: TraceBuilder,
}

impl Maker {
    fn name(&mut self, text: &str) -> NameId {
        self.builder.name(text.as_bytes()).unwrap().0
    }

    fn lane(&mut self, device: u8, stream: u8) -> LaneId {
        let lane = Lane { device: self.name(&device.to_string()), stream: self.name(&stream.to_string()) };
        self.builder.lane(lane).unwrap()
    }

    fn thread(&mut self, thread: u8) -> ThreadId {
        let thread = Thread { process: self.name("1"), thread: self.name(&thread.to_string()) };
        self.builder.thread(thread).unwrap()
    }

    fn activity(&mut self, row: &MadeActivity) -> Activity {
        let (which, device, stream, start, length, correlation, external) = *row;
        let (kind, name) = match which.checked_sub(KERNELS.len()) {
            None => (ActivityKind::Kernel, KERNELS[which]),
            Some(0) => (ActivityKind::Copy, TRANSFERS[0]),
            Some(_) => (ActivityKind::Fill, TRANSFERS[1]),
        };
        Activity {
            kind,
            name: self.name(name),
            lane: self.lane(device, stream),
            start: start.map(Instant),
            length: length.map(Nanos),
            correlation: Some(correlation),
            external,
            shape: None,
            bytes: None,
        }
    }

    fn hosts(&mut self, names: &[&str], rows: &[MadeHost]) -> Vec<HostEvent> {
        rows.iter()
            .map(|(name, thread, start, length, correlation, external, stack)| HostEvent {
                name: self.name(names[*name]),
                thread: self.thread(*thread),
                start: Instant(*start),
                length: length.map(Nanos),
                correlation: *correlation,
                external: *external,
                stack: stack.and_then(|stack| self.builder.stack(STACKS[stack].as_bytes())),
            })
            .collect()
    }

    fn arrow(&mut self, (start, id, place, at): &MadeArrow) {
        if *start {
            let place = self.thread(*place);
            self.builder.arrow_start(Arrow { id: *id, place, at: Instant(*at) });
        } else {
            let place = self.lane(0, *place);
            self.builder.arrow_end(Arrow { id: *id, place, at: Instant(*at) });
        }
    }
}

/// The launches and the host's side of a trace, as every table gets them.
pub fn linked(trace: &Trace) -> (Launches, HostContext) {
    let frames = Frames::builtin().unwrap();
    let launches = Launches::of(trace);
    let context = HostContext::of(trace, &launches, &frames);
    (launches, context)
}
