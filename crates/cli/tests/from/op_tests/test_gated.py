# Two gated activations; the results are written into a tensor that the caller allocates.
import argparse

import pandas as pd
import torch
import torch.nn.functional as F

import aiter
from aiter import dtypes
from aiter.test_common import benchmark, checkAllclose, run_perftest


def gate(x: torch.Tensor, cap: float = 0.0) -> torch.Tensor:
    half = x.shape[-1] // 2
    left, right = x.split([half, half], dim=-1)
    if cap > 0:
        left = left.clamp(max=cap)
    return F.silu(left) * right


@benchmark()
def test_silu_and_mul(m, n, dtype, cap=0.0):
    x = torch.randn(m, n, dtype=dtype, device="cuda")
    out = torch.empty((m, n // 2), dtype=dtype, device="cuda")
    want = gate(x, cap=cap)
    _, us = run_perftest(aiter.silu_and_mul, out, x, cap, num_iters=20)
    err = checkAllclose(want.to(torch.float), out.to(torch.float))
    return {"us": us, "err": err, "TB/s": (x.nbytes + out.nbytes) / us / 1e6}


@benchmark()
def test_gelu_and_mul(m, n, dtype):
    x = torch.randn(m, n, dtype=dtype, device="cuda")
    out = torch.empty((m, n // 2), dtype=dtype, device="cuda")
    half = n // 2
    want = F.gelu(x[:, :half]) * x[:, half:]
    _, us = run_perftest(aiter.gelu_and_mul, out, x)
    return {"us": us, "err": checkAllclose(want, out)}


parser = argparse.ArgumentParser()
parser.add_argument("-d", "--dtype", type=dtypes.str2Dtype, nargs="*", default="fp16, bf16")
parser.add_argument("-m", type=int, nargs="*", default=[1, 16, 64])
parser.add_argument("-n", type=int, nargs="*", default=[512, 1024])
args = parser.parse_args()

rows = []
for dtype in args.dtype:
    for m in args.m:
        for n in args.n:
            rows.append(test_silu_and_mul(m, n, dtype))
print(pd.DataFrame(rows).to_markdown(index=False))
