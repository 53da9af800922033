#!/usr/bin/env python3
"""Writes well-formed captures full of odd but legal things, for the comparison of kforge with the oracle.

    odd_captures.py OUT [--seed N] [--count N]

Each file mixes, by chance: several processes, devices, streams (also as text, also 64-bit), the old and the new category
names, times as integers, decimals and text, zero lengths and ties, pairs of B and E, missing and negative lengths, lost
clocks, events written twice, graph launches that own many kernels, calls that share a number, numbers that no call has,
arrows with and without a use, nested and repeated modules on several threads, events without device time. What the right
figures are is not this program's business: the oracle computes them from docs/counting.md.
"""

import argparse
import gzip
import json
import os
import random

EPOCHS = (0, 5_171_936_664, 1_700_000_000_000_000)
KERNEL_NAMES = ("void gemm<float>(int)", "elementwise", "", "softmax \u00e9\U0001f680", 'a"b\\c', "nccl\tAllReduce", "Memcpy kernel")
LAUNCHES = ("cudaLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel", "hipExtModuleLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync")
HOST_CATEGORIES = ("cuda_runtime", "cuda_driver", "hip_runtime", "Runtime", "runtime", "driver", "privateuse1_runtime",
                   "privateuse1_driver", "mtia_runtime", "xpu_runtime", "CUDA_DRIVER")
FRAMES = ("model.py(%d): forward", "app/serve.py(%d): main", "app/wrap.py(%d): wrapper", "torch/nn/functional.py(%d): linear",
          "<built-in method matmul>", "/usr/lib/python3.10/site-packages/vllm/layers.py(%d): apply_rope", "types.py(%d): get",
          "/opt/env/lib/python3.11/contextlib.py(%d): inner", "app/types.py(%d): make", "<string>(%d): f", "no file at all",
          "app/(x).py(%d): <lambda>", "app/x.py(%d): __call__")
MODULES = ("Linear", "LlamaRMSNorm", "Block", "My_Odd_Name", "Attention")


class Number:
    """A number that is written with these digits and not as a float."""

    def __init__(self, text):
        self.text = text


class Writer:
    """Collects the events of one capture."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.epoch = self.dice.choice(EPOCHS)
        self.style = self.dice.choice(("integer", "decimal", "text", "mixed", "deep"))
        self.events = []
        self.correlation = self.dice.randrange(1, 1000)
        self.flow = 10_000_000

    def time(self, ns, length=False):
        """`ns` nanoseconds as microseconds in the capture's style."""
        style = self.style
        if style == "mixed":
            style = self.dice.choice(("integer", "decimal", "text", "deep"))
        if style == "integer":
            return Number(str(ns // 1000))
        text = "%d.%03d" % (ns // 1000, ns % 1000)
        if style == "deep":
            text += self.dice.choice(("5", "4999", "50000000000000000000001", "25", "0"))
        elif self.dice.random() < 0.3:
            text = text.rstrip("0").rstrip(".")
        if length and style == "decimal" and self.dice.random() < 0.05:
            return Number("%de-3" % ns)
        return text if style == "text" else Number(text)

    def start(self, ns):
        return self.time(self.epoch * 1000 + ns)

    def add(self, **event):
        if self.dice.random() < 0.3:
            members = list(event.items())
            self.dice.shuffle(members)
            event = dict(members)
        self.events.append(event)
        return event

    def complete(self, category, name, pid, tid, ns, dur, args=None, **more):
        """A complete event, sometimes as a pair."""
        event = {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": self.start(ns), "dur": self.time(dur, True)}
        event.update(more)
        if args is not None:
            event["args"] = args
        return self.add(**event)


def host_call(writer, pid, tid, ns, number, name=None):
    dice = writer.dice
    arguments = {"cbid": 1, "External id": dice.randrange(1, 50)}
    if number is not None:
        arguments["correlation"] = str(number) if dice.random() < 0.05 else number
    writer.complete(dice.choice(HOST_CATEGORIES), name or dice.choice(LAUNCHES), pid, tid, ns, dice.randrange(0, 9000), arguments)


def activity(writer, device, stream, ns, number):
    dice = writer.dice
    category = dice.choice(("kernel",) * 6 + ("Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "memset"))
    arguments = {}
    if number is not None:
        arguments["correlation"] = number
    if dice.random() < 0.9:
        arguments["device"] = device
    if dice.random() < 0.9:
        arguments["stream"] = dice.choice((stream, stream, str(stream), "stream %d" % stream))
    if dice.random() < 0.2:
        arguments["deep"] = {"args": {"correlation": 3, "stream": [1, {"dur": 4}]}, "name": "no", "ph": "B"}
    length = dice.choice((0, 1, 500, 999, 1000, dice.randrange(1, 200_000), dice.randrange(1, 20_000_000)))
    tid = dice.choice((stream, "stream %d" % stream))
    event = writer.complete(category, dice.choice(KERNEL_NAMES), device, tid, ns, length, arguments or None)
    chance = dice.random()
    if chance < 0.01:
        del event["dur"]
    elif chance < 0.02:
        event["dur"] = Number(dice.choice(("-5", "-0.001", "1e30", "9223372036854775807", "-1e300")))
    elif chance < 0.03:
        event["ts"] = Number("0")
    elif chance < 0.05:
        writer.events.append(dict(event))
    elif chance < 0.06:
        event.pop("name")
    elif chance < 0.07 and "deep" not in arguments:
        event["twice"] = dice.choice(({"dur": 5}, {"dur": event["dur"]}, {"dur": 6, "ts": event["ts"]}, {"dur": 6, "ts": 7}))
    elif chance < 0.08:
        event["dur"] = Number(dice.choice(("604800000000", "604800000000.001", "604799999999.9995")))
    return event


def arrow(writer, event_start, event_end):
    """An arrow from a call to an activity, sometimes with a foot that misses."""
    dice = writer.dice
    writer.flow += 1
    category = dice.choice(("ac2g", "async_cpu_to_gpu", "async", "fwdbwd"))
    head = {"ph": "s", "id": writer.flow, "cat": category, "name": "ac2g", "pid": event_start["pid"], "tid": event_start["tid"],
            "ts": event_start["ts"]}
    foot = {"ph": "f", "id": writer.flow, "cat": category, "name": "ac2g", "pid": event_end["pid"], "tid": event_end["tid"],
            "ts": event_end["ts"], "bp": "e"}
    if dice.random() < 0.2:
        foot["tid"] = 9999
    writer.add(**foot)
    writer.add(**head)


def launches(writer):
    """Calls and what they launched."""
    dice = writer.dice
    threads = [(1, 10), (1, 11), (2, 10), ("3", "12")][:dice.randrange(1, 5)]
    devices = [0, 1, 9][:dice.randrange(1, 4)]
    streams = [7, 0, 20, 18_446_744_073_709_551_615][:dice.randrange(1, 5)]
    ns = 50_000_000
    for _ in range(dice.randrange(5, 120)):
        ns += dice.choice((0, 1, 1000, dice.randrange(0, 300_000)))
        writer.correlation += dice.randrange(1, 4)
        number = writer.correlation
        pid, tid = dice.choice(threads)
        device, stream = dice.choice(devices), dice.choice(streams)
        chance = dice.random()
        after = ns + dice.randrange(-20_000, 3_000_000)
        if chance < 0.55:
            host_call(writer, pid, tid, ns, number)
            activity(writer, device, stream, after, number)
        elif chance < 0.65:
            host_call(writer, pid, tid, ns, number, dice.choice(("cudaGraphLaunch", "hipGraphLaunch")))
            for part in range(dice.randrange(0, 20)):
                activity(writer, device, stream, after + part * 700, number)
        elif chance < 0.72:
            for name in ("cudaEventRecord", dice.choice(LAUNCHES), dice.choice(("cudaGraphLaunch", "cudaLaunchKernel"))):
                host_call(writer, pid, tid, ns + dice.randrange(-5000, 5000), number, name)
            activity(writer, device, stream, after, number)
        elif chance < 0.80:
            activity(writer, device, stream, after, dice.choice((None, 0, -1, 1, 2, number, 1 << 40)))
        elif chance < 0.90:
            host_call(writer, pid, tid, ns, dice.choice((number, None, 0)))
            call = writer.events[-1]
            arrow(writer, call, activity(writer, device, stream, after, dice.choice((None, 0, number, 1 << 40))))
        else:
            host_call(writer, pid, tid, ns, number, dice.choice(("cudaDeviceSynchronize", "cudaEventQuery")))
    return threads, ns


def modules(writer, threads, end):
    """Module frames, nested, on each thread; starts and ends may fall together."""
    dice = writer.dice

    def nest(pid, tid, start, stop, depth):
        at = start
        while depth < 6 and stop - at > 2000 and dice.random() < 0.7:
            length = dice.choice((stop - at, dice.randrange(1000, max(1001, stop - at))))
            name = "nn.Module: %s_%d" % (dice.choice(MODULES), dice.randrange(0, 3))
            if dice.random() < 0.4:
                name = dice.choice(FRAMES)
                name = name % (depth + 1) if "%d" in name else name
            writer.complete("python_function", name, pid, tid, at, length, {"Python id": len(writer.events)})
            nest(pid, tid, at + dice.choice((0, 1000)), at + length, depth + 1)
            at += length + dice.choice((0, 0, 5000))

    for pid, tid in threads:
        writer.complete("python_function", "app/root.py(1): serve", pid, tid, 0, end + 100_000_000)
        if dice.random() < 0.7:
            nest(pid, tid, 49_000_000 + dice.randrange(0, 2_000_000), end + 1_000_000, 0)


def bystanders(writer, end):
    """Events that have no device time."""
    dice = writer.dice
    for category in ("gpu_user_annotation", "overhead", "cuda_sync", "Trace", "cpu_op", "Operator", "user_annotation", "memory"):
        if dice.random() < 0.5:
            writer.complete(category, "bystander", 0, 7, 50_000_000, max(0, end - 50_000_000), {"correlation": 5, "stream": 7})
    writer.add(ph="i", s="t", cat="kernel", name="instant", pid=0, tid=7, ts=writer.start(1))
    writer.add(ph="C", cat="kernel", name="counter", pid=0, ts=writer.start(2), args={"GPU 0": 5})
    writer.add(ph="M", name="process_labels", pid=0, tid=0, args={"labels": "GPU 0"})
    if dice.random() < 0.5:
        begin = {"ph": "B", "cat": "kernel", "name": "pair", "pid": 77, "tid": 1, "ts": writer.start(60_000_000), "args": {"device": 0, "stream": 7}}
        inner = dict(begin, name="inner pair", ts=writer.start(60_500_000))
        writer.events += [begin, inner, {"ph": "E", "pid": 77, "tid": 1, "ts": writer.start(61_000_000)},
                          {"ph": "E", "pid": 78, "tid": 1, "ts": writer.start(61_000_000)}]
        if dice.random() < 0.5:
            writer.events.append({"ph": "E", "pid": 77, "tid": 1, "ts": writer.start(62_000_000)})


def encode(value):
    """JSON, with `Number`s written digit by digit."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        if "twice" in value:
            value = dict(value)
            again = value.pop("twice")
            return "{%s, %s}" % (encode(value)[1:-1], encode(again)[1:-1])
        return "{%s}" % ", ".join("%s: %s" % (json.dumps(key), encode(item)) for key, item in value.items())
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(encode, value))
    return json.dumps(value)


def document(seed):
    """The text of capture `seed`."""
    writer = Writer(seed)
    threads, end = launches(writer)
    modules(writer, threads, end)
    bystanders(writer, end)
    if writer.dice.random() < 0.5:
        shuffle_but_pairs(writer)
    events = ",\n".join(map(encode, writer.events))
    if writer.dice.random() < 0.2:
        return "[%s]" % events
    return '{"schemaVersion": 1, "traceEvents": [\n%s\n], "displayTimeUnit": "%s"}' % (events, writer.dice.choice(("ms", "ns")))


def shuffle_but_pairs(writer):
    """Any order is legal, except that pairs close in the order of the file."""
    pairs = [event for event in writer.events if event.get("ph") in ("B", "E")]
    rest = [event for event in writer.events if event.get("ph") not in ("B", "E")]
    writer.dice.shuffle(rest)
    writer.events = rest + pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for seed in range(options.seed, options.seed + options.count):
        text = document(seed).encode()
        name = os.path.join(options.out, "odd_%06d.json" % seed)
        if seed % 5 == 0:
            with gzip.open(name + ".gz", "wb", compresslevel=1) as handle:
                handle.write(text)
        else:
            with open(name, "wb") as handle:
                handle.write(text)


if __name__ == "__main__":
    main()
