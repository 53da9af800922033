# A test of a fused residual add and RMSNorm, in the shape that operator libraries write theirs.
import argparse

import torch
import torch.nn.functional as F

import aiter
from aiter import dtypes
from aiter.test_common import checkAllclose, perftest


@perftest()
def run_torch(x, gamma, eps, residual=None):
    summed = x if residual is None else x + residual
    normed = F.rms_norm(summed, (x.shape[-1],), weight=gamma, eps=eps)
    return normed, summed


@perftest()
def run_library(x, gamma, eps, residual=None):
    if residual is None:
        summed = None
        normed = aiter.rms_norm(x, gamma, eps)
    else:
        summed = torch.empty_like(x)
        normed = torch.empty_like(x)
        aiter.add_rms_norm(normed, x, residual, summed, gamma, eps)
    return normed, summed


def test_residual_norm(dtype, rows, cols):
    shape = (rows, cols)
    x = torch.randn(shape, dtype=dtype, device="cuda")
    gamma = torch.randn(cols, dtype=dtype, device="cuda")
    residual = torch.randn(shape, dtype=dtype, device="cuda")
    (want, want_sum, *_), us_torch = run_torch(x, gamma, 1e-5, residual=residual)
    (normed, summed, *_), us_library = run_library(x, gamma, 1e-5, residual=residual)
    checkAllclose(want, normed, atol=0.03, msg=f"torch {us_torch:.2f} us, library {us_library:.2f} us")
    checkAllclose(want_sum, summed, msg="the sum")


names = ["fp16", "bf16"]
all_rows = [1, 4, 32]
all_cols = [256, 1024]
parser = argparse.ArgumentParser(description="sizes of the test")
parser.add_argument("-d", "--dtype", type=str, default=None, help="an element type")
parser.add_argument("-r", "--rows", type=int, default=None, help="rows")
args = parser.parse_args()
if args.rows is not None:
    all_rows = [args.rows]
if args.dtype is not None:
    names = [args.dtype]

for dtype in names:
    for rows in all_rows:
        for cols in all_cols:
            test_residual_norm(dtypes.d_dtypes[dtype], rows, cols)
