"""v2: no rounds. Value and column become one 64-bit key whose order is that of the result (larger value first, then the lower column), and
tl.topk keeps the largest keys by a bitonic network: it sorts groups of k and throws half of them away at each further step."""

import kforge_runner_torch as kforge_runner
import triton
import triton.language as tl


@triton.jit
def topk_keys(logits, indices, values, cols, k, BLOCK: tl.constexpr, KEPT: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < cols
    bits = tl.load(logits + row * cols + column, mask=inside, other=0.0).to(tl.int32, bitcast=True)
    # As signed integers, negative floats are in reversed order: their bits below the sign are turned round.
    order = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).to(tl.int64)
    key = (order << 32) | (0x7FFFFFFF - column).to(tl.int64)
    key = tl.topk(tl.where(inside, key, -0x7FFFFFFFFFFFFFFF), KEPT)
    order = (key >> 32).to(tl.int32)
    kept = (order ^ ((order >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    place = tl.arange(0, KEPT)
    kept = tl.where(place < k, kept, -float("inf"))
    parts = tl.exp(kept - tl.max(kept, axis=0))
    tl.store(values + row * k + place, parts / tl.sum(parts, axis=0), mask=place < k)
    tl.store(indices + row * k + place, 0x7FFFFFFF - (key & 0x7FFFFFFF).to(tl.int32), mask=place < k)


def topk(call):
    logits, indices = call.input("logits"), call.output("indices")
    rows, cols = logits.shape
    k = call.param("k")
    block = triton.next_power_of_2(cols)
    # A short row has one warp, whose lanes exchange keys without a barrier; eight warps share a long one.
    topk_keys[(rows,)](
        logits, indices, call.output("values"), cols, k, BLOCK=block, KEPT=max(triton.next_power_of_2(k), 2), num_warps=1 if block <= 512 else 8
    )


kforge_runner.main(topk)
