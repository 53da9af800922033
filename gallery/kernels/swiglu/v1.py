"""v1: the two operations fused, a program a row. The program walks over its row in steps of 256 columns."""

import kforge_runner_torch as kforge_runner
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def swiglu_row(packed, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for first in range(0, cols, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < cols
        a = tl.load(packed + row * 2 * cols + column, mask=inside, other=0.0).to(tl.float32)
        b = tl.load(packed + row * 2 * cols + cols + column, mask=inside, other=0.0).to(tl.float32)
        tl.store(out + row * cols + column, (a * tl.sigmoid(a) * b).to(tl.bfloat16), mask=inside)


def swiglu(call):
    packed, out = call.input("packed"), call.output("out")
    tokens, cols = out.shape
    swiglu_row[(tokens,)](packed, out, cols, BLOCK=BLOCK, num_warps=4)


kforge_runner.main(swiglu)
