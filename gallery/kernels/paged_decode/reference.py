"""The reference: sequence after sequence, its tokens collected from their pages, attention in binary64 by its definition."""

import kforge_runner_torch as kforge_runner
import torch


def paged_decode(call):
    q, block_table = call.input("q").double(), call.input("block_table").long()
    k_cache, v_cache = call.input("k_cache"), call.input("v_cache")
    batch, heads, head_dim = q.shape
    page, kv_heads = k_cache.shape[1], k_cache.shape[2]
    group = heads // kv_heads
    o = torch.empty_like(q)
    for s in range(batch):
        length = call.param("prompt") + int(call.input("generated")[s])
        pages = block_table[s, : -(-length // page)]
        k = k_cache[pages].reshape(-1, kv_heads, head_dim)[:length].double()
        v = v_cache[pages].reshape(-1, kv_heads, head_dim)[:length].double()
        for h in range(heads):
            scores = k[:, h // group] @ q[s, h] / head_dim**0.5
            o[s, h] = torch.softmax(scores, dim=0) @ v[:, h // group]
    return o


kforge_runner.main(paged_decode)
