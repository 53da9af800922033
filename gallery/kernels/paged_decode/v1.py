"""v1: flash decoding straight from the pages. A program has one sequence and one key-value head with all of its query heads, and goes through
the sequence page by page with a running maximum and sum."""

import kforge_runner_torch as kforge_runner
import triton
import triton.language as tl


@triton.jit
def decode(q, k_cache, v_cache, block_table, generated, o, prompt, width, scale, KV_HEADS: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr):
    s, head = tl.program_id(0), tl.program_id(1)
    row, d, place = tl.arange(0, ROWS), tl.arange(0, DIM), tl.arange(0, PAGE)
    length = prompt + tl.load(generated + s)
    # The product needs 16 rows; those beyond the group are zeros.
    at = (s * KV_HEADS * GROUP + head * GROUP + row)[:, None] * DIM + d[None, :]
    query = tl.load(q + at, mask=(row < GROUP)[:, None], other=0.0)
    most = tl.full([ROWS], -float("inf"), dtype=tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    sums = tl.zeros([ROWS, DIM], dtype=tl.float32)
    for number in range(0, tl.cdiv(length, PAGE)):
        block = tl.load(block_table + s * width + number).to(tl.int64)
        inside = number * PAGE + place < length
        from_page = ((block * PAGE + place) * KV_HEADS + head)[:, None] * DIM + d[None, :]
        keys = tl.load(k_cache + from_page, mask=inside[:, None], other=0.0)
        scores = tl.where(inside[None, :], tl.dot(query, tl.trans(keys)) * scale, -float("inf"))
        larger = tl.maximum(most, tl.max(scores, axis=1))
        shrink = tl.exp2(most - larger)
        weights = tl.exp2(scores - larger[:, None])
        total = total * shrink + tl.sum(weights, axis=1)
        values = tl.load(v_cache + from_page, mask=inside[:, None], other=0.0)
        sums = tl.dot(weights.to(tl.bfloat16), values, sums * shrink[:, None])
        most = larger
    tl.store(o + at, (sums / total[:, None]).to(tl.bfloat16), mask=(row < GROUP)[:, None])


def paged_decode(call):
    q, table = call.input("q"), call.input("block_table")
    page, kv_heads, head_dim = call.param("page"), call.param("kv_heads"), call.param("head_dim")
    batch, width = table.shape
    # Exponentials are powers of two: log2(e) is in the scale.
    scale = 1.4426950408889634 / head_dim**0.5
    decode[(batch, kv_heads)](
        q, call.input("k_cache"), call.input("v_cache"), table, call.input("generated"), call.output("o"), call.param("prompt"), width, scale,
        KV_HEADS=kv_heads, GROUP=call.param("group"), ROWS=16, DIM=head_dim, PAGE=page, num_warps=4, num_stages=1,
    )


kforge_runner.main(paged_decode)
