"""v1: a program a row. In each of k rounds the largest logit is found, kept and struck out. A round is one reduction over the whole program,
and all of its warps wait for each other twice in it."""

import kforge_runner_torch as kforge_runner
import triton
import triton.language as tl


@triton.jit
def topk_rounds(logits, indices, values, cols, k, BLOCK: tl.constexpr, KEPT: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    rest = tl.load(logits + row * cols + column, mask=column < cols, other=-float("inf"))
    place = tl.arange(0, KEPT)
    kept = tl.full([KEPT], -float("inf"), dtype=tl.float32)
    columns = tl.zeros([KEPT], dtype=tl.int32)
    for turn in range(k):
        most, where = tl.max(rest, axis=0, return_indices=True)
        kept = tl.where(place == turn, most, kept)
        columns = tl.where(place == turn, where, columns)
        rest = tl.where(column == where, -float("inf"), rest)
    parts = tl.exp(kept - tl.max(kept, axis=0))
    tl.store(values + row * k + place, parts / tl.sum(parts, axis=0), mask=place < k)
    tl.store(indices + row * k + place, columns, mask=place < k)


def topk(call):
    logits, indices = call.input("logits"), call.output("indices")
    rows, cols = logits.shape
    k = call.param("k")
    block = triton.next_power_of_2(cols)
    topk_rounds[(rows,)](logits, indices, call.output("values"), cols, k, BLOCK=block, KEPT=triton.next_power_of_2(k), num_warps=4 if block <= 1024 else 8)


kforge_runner.main(topk)
