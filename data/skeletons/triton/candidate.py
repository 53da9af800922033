"""The candidate: your idea. This one holds a whole row in registers, so that it is read and written once."""

import kforge_runner_torch as kforge_runner
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < cols
    values = tl.load(x + row * cols + at, mask=inside, other=-float("inf"))
    parts = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * cols + at, parts / tl.sum(parts, axis=0), mask=inside)


def softmax(call):
    x, y = call.input("x"), call.output("y")
    rows, cols = x.shape
    block = triton.next_power_of_2(cols)
    softmax_rows[(rows,)](x, y, cols, BLOCK=block, num_warps=min(max(block // 512, 1), 16))


kforge_runner.main(softmax)
