"""v2: flash decoding with split sequences. Each sequence is cut into as many equal parts as it takes to give every multiprocessor two programs; a
program leaves the maximum, the sum and the unfinished output of its part, and a second kernel joins the parts of a head."""

import kforge_runner_torch as kforge_runner
import torch
import triton
import triton.language as tl

TILE = 64
PROGRAMS = 2 * (torch.cuda.get_device_properties(0).multi_processor_count if torch.cuda.is_available() else 1)


@triton.jit
def decode_part(q, k_cache, v_cache, block_table, generated, part_sums, part_stats, prompt, width, scale, KV_HEADS: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr, TILE: tl.constexpr):
    part, head, s = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    parts = tl.num_programs(0)
    row, d, place = tl.arange(0, ROWS), tl.arange(0, DIM), tl.arange(0, TILE)
    length = prompt + tl.load(generated + s)
    # Whole tiles for each part; the last parts of a short sequence have none.
    share = tl.cdiv(tl.cdiv(length, TILE), parts) * TILE
    first = part * share
    last = tl.minimum(first + share, length)
    at = (s * KV_HEADS * GROUP + head * GROUP + row)[:, None] * DIM + d[None, :]
    query = tl.load(q + at, mask=(row < GROUP)[:, None], other=0.0)
    most = tl.full([ROWS], -float("inf"), dtype=tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    sums = tl.zeros([ROWS, DIM], dtype=tl.float32)
    for start in range(first, last, TILE):
        token = start + place
        inside = token < last
        block = tl.load(block_table + s * width + token // PAGE, mask=inside, other=0).to(tl.int64)
        from_page = ((block * PAGE + token % PAGE) * KV_HEADS + head)[:, None] * DIM + d[None, :]
        keys = tl.load(k_cache + from_page, mask=inside[:, None], other=0.0)
        values = tl.load(v_cache + from_page, mask=inside[:, None], other=0.0)
        scores = tl.where(inside[None, :], tl.dot(query, tl.trans(keys)) * scale, -float("inf"))
        larger = tl.maximum(most, tl.max(scores, axis=1))
        shrink = tl.exp2(most - larger)
        weights = tl.exp2(scores - larger[:, None])
        total = total * shrink + tl.sum(weights, axis=1)
        sums = tl.dot(weights.to(tl.bfloat16), values, sums * shrink[:, None])
        most = larger
    slot = ((s * KV_HEADS + head) * parts + part) * GROUP + row
    tl.store(part_sums + slot[:, None] * DIM + d[None, :], sums, mask=(row < GROUP)[:, None])
    tl.store(part_stats + 2 * slot, most, mask=row < GROUP)
    tl.store(part_stats + 2 * slot + 1, total, mask=row < GROUP)


@triton.jit
def join_parts(part_sums, part_stats, o, parts, GROUP: tl.constexpr, DIM: tl.constexpr, PARTS: tl.constexpr):
    # A program for each query head: g of the group of key-value head `pair` (over all sequences).
    pair, g = tl.program_id(0), tl.program_id(1)
    part, d = tl.arange(0, PARTS), tl.arange(0, DIM)
    there = part < parts
    slot = (pair * parts + part) * GROUP + g
    most = tl.load(part_stats + 2 * slot, mask=there, other=-float("inf"))
    total = tl.load(part_stats + 2 * slot + 1, mask=there, other=0.0)
    weight = tl.exp2(most - tl.max(most, axis=0))
    sums = tl.load(part_sums + slot[:, None] * DIM + d[None, :], mask=there[:, None], other=0.0)
    joined = tl.sum(sums * weight[:, None], axis=0) / tl.sum(total * weight, axis=0)
    tl.store(o + (pair * GROUP + g) * DIM + d, joined.to(tl.bfloat16))


def paged_decode(call):
    q, table = call.input("q"), call.input("block_table")
    page, kv_heads, group, head_dim = call.param("page"), call.param("kv_heads"), call.param("group"), call.param("head_dim")
    batch, width = table.shape
    parts = max(1, min(triton.cdiv(PROGRAMS, batch * kv_heads), triton.cdiv(width * page, TILE)))
    # Exponentials are powers of two: log2(e) is in the scale.
    scale = 1.4426950408889634 / head_dim**0.5
    part_sums = torch.empty(batch * kv_heads * parts * group * head_dim, dtype=torch.float32, device=q.device)
    part_stats = torch.empty(batch * kv_heads * parts * group * 2, dtype=torch.float32, device=q.device)
    decode_part[(parts, kv_heads, batch)](
        q, call.input("k_cache"), call.input("v_cache"), table, call.input("generated"), part_sums, part_stats, call.param("prompt"), width, scale,
        KV_HEADS=kv_heads, GROUP=group, ROWS=16, DIM=head_dim, PAGE=page, TILE=TILE, num_warps=4,
    )
    join_parts[(batch * kv_heads, group)](
        part_sums, part_stats, call.output("o"), parts, GROUP=group, DIM=head_dim, PARTS=triton.next_power_of_2(parts), num_warps=4
    )


kforge_runner.main(paged_decode)
