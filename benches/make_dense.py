#!/usr/bin/env python3
"""Writes an event-dense Kineto capture: about a million events in 300 MB of JSON, as gzip.

    make_dense.py OUT.json.gz [--calls N]

Short events and few long strings, so that nothing but the number of events decides: per module call three Python frames,
two ops with shapes, a runtime call, a kernel and the two ends of an arrow. Prints what it wrote: events, kernels, the
kernels' time in nanoseconds, bytes of JSON.
"""

import argparse
import gzip
import json
import random

CALLS = 112_500
LAYERS = 32
EVENTS_A_CALL = 9

HEAD = '''
  {
    "schemaVersion": 1,
    "deviceProperties": [
    {
      "id": 0, "name": "made", "totalGlobalMem": 150109880320, "computeMajor": 9, "computeMinor": 0
    }
    ],
    "with_stack": 1,
    "record_shapes": 1,
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
'''
TAIL = '''
  ],
  "traceName": "dense.json"
}
'''

FRAME = '''  {
    "ph": "X", "cat": "python_function", "name": "%s", "pid": 423, "tid": 423,
    "ts": %s, "dur": %s,
    "args": {
      "Python thread": 0,"Python parent id": %d,"Python id": %d, "Ev Idx": %d
    }
  }'''
OP = '''  {
    "ph": "X", "cat": "cpu_op", "name": "aten::%s", "pid": 423, "tid": 423,
    "ts": %s, "dur": %s,
    "args": {
      "External id": %d,"Record function id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"], "Input Strides": [[4096, 1], [1, 4096], [%d, 1]], "Input Dims": [[%d, 4096], [4096, %d], [1]], "Ev Idx": %d
    }
  }'''
CALL = '''  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 423, "tid": 423,
    "ts": %s, "dur": %s,
    "args": {
      "External id": %d,      "cbid": 211, "correlation": %d
    }
  }'''
KERNEL = '''  {
    "ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 7,
    "ts": %s, "dur": %s,
    "args": {
      "External id": %d,      "queued": 0, "device": 0, "context": 1,      "stream": 7, "correlation": %d,      "registers per thread": 128,      "shared memory": 16384,      "blocks per SM": 1.939394,      "warps per SM": 15.515152,      "grid": [%d, 1, 1],      "block": [256, 1, 1],      "est. achieved occupancy %%": 24
    }
  }'''
ARROW = '''  {
    "ph": "%s", "id": %d, "pid": %d, "tid": %d, "ts": %s,
    "cat": "ac2g", "name": "ac2g"%s
  }'''

OPS = ("linear", "addmm", "mul", "add", "silu", "rms_norm", "scaled_dot_product_attention", "copy_")
KERNELS = tuple("void at::native::%s_kernel<c10::BFloat16, %d>(int, c10::BFloat16 const*)" % (name, width)
                for name in OPS for width in (1, 2, 4, 8))


def microseconds(ns):
    return "%d.%03d" % (ns // 1000, ns % 1000)


def call_events(number, ns, dice):
    """The nine events of one module call at `ns`; returns (text, kernel's length, ns after it)."""
    noise = dice.getrandbits(60)
    a, b, c, d = noise & 0x3FF, noise >> 10 & 0x3FF, noise >> 20 & 0x3FF, noise >> 30 & 0x3FF
    layer = number % LAYERS
    op = OPS[number % len(OPS)]
    dims = 1 << (number % 12)
    length = 1000 + (noise >> 40) % 48_000
    index = number * EVENTS_A_CALL
    launch = ns + 14_000 + a
    kernel = ns + 31_000 + b
    correlation = 300_000 + 3 * number
    external = 20_000 + 2 * number
    parts = (
        FRAME % ("model.py(%d): forward" % (40 + layer), microseconds(ns), microseconds(44_101 + a), index, index + 1, index),
        FRAME % ("nn.Module: Layer_%d" % layer, microseconds(ns + 1000 + c), microseconds(40_002 + b), index + 1, index + 2, index + 1),
        FRAME % ("torch/nn/functional.py(%d): %s" % (100 + layer, op), microseconds(ns + 3000 + d), microseconds(36_500 + c), index + 2, index + 3, index + 2),
        OP % (op, microseconds(ns + 5000 + a), microseconds(30_125 + d), external, dims, dims, 4096, index + 3),
        OP % (op + "_out", microseconds(ns + 7000 + b), microseconds(26_250 + a), external + 1, dims, dims, 4096, index + 4),
        KERNEL % (KERNELS[number % len(KERNELS)], microseconds(kernel), microseconds(length), external + 1, correlation, dims),
        ARROW % ("f", correlation, 0, 7, microseconds(kernel), ', "bp": "e"'),
        CALL % (microseconds(launch), microseconds(5_031 + d), external + 1, correlation),
        ARROW % ("s", correlation, 423, 423, microseconds(launch), ""),
    )
    return ",\n".join(parts), length, ns + 50_000 + c


def write(path, calls):
    """Writes the capture and returns what is in it."""
    ns = 5_171_936_664_615_977
    total = 0
    dice = random.Random(1)
    size = len(HEAD) + len(TAIL)
    with gzip.GzipFile(path, "wb", compresslevel=6, mtime=0) as handle:
        handle.write(HEAD.encode())
        for number in range(calls):
            text, length, ns = call_events(number, ns, dice)
            total += length
            data = (text if number == 0 else ",\n" + text).encode()
            size += len(data)
            handle.write(data)
        handle.write(TAIL.encode())
    return {"events": calls * EVENTS_A_CALL, "kernels": calls, "kernel_sum_ns": total, "json_bytes": size}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--calls", type=int, default=CALLS)
    options = parser.parse_args()
    print(json.dumps(write(options.out, options.calls)))


if __name__ == "__main__":
    main()
