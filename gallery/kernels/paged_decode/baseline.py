"""The baseline: the pages of all sequences gathered into dense keys and values, then PyTorch's attention with a mask for the lengths.

The query heads that share a key-value head are given to it as the rows of one small query, so that keys and values are not repeated for them."""

import kforge_runner_torch as kforge_runner
import torch


def paged_decode(call):
    q, block_table = call.input("q"), call.input("block_table")
    k_cache, v_cache = call.input("k_cache"), call.input("v_cache")
    batch, heads, head_dim = q.shape
    kv_heads = k_cache.shape[2]
    k = k_cache[block_table].view(batch, -1, kv_heads, head_dim).transpose(1, 2)
    v = v_cache[block_table].view(batch, -1, kv_heads, head_dim).transpose(1, 2)
    lengths = call.param("prompt") + call.input("generated")
    present = torch.arange(k.shape[2], device=q.device) < lengths[:, None]
    grouped = q.view(batch, kv_heads, heads // kv_heads, head_dim)
    o = torch.nn.functional.scaled_dot_product_attention(grouped, k, v, attn_mask=present[:, None, None, :])
    return o.reshape(batch, heads, head_dim)


kforge_runner.main(paged_decode)
