# A product with a transposed weight, with an optional bias.
import pytest
import torch
import torch.nn.functional as F

from aiter import dtypes
from aiter.test_common import checkAllclose, perftest
from aiter.tuned_gemm import tgemm


@perftest(num_iters=50)
def run_reference(x, weight, bias=None, otype=None):
    return F.linear(x, weight, bias).to(otype)


@perftest(num_iters=50)
def run_tuned(x, weight, bias=None, otype=None):
    return tgemm.mm(x, weight, bias, otype)


@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("m, n, k", [(1, 128, 256), (16, 256, 512), (64, 64, 128)])
def test_linear(m, n, k, with_bias, dtype=dtypes.bf16, otype=None):
    x = torch.randn(m, k, dtype=otype, device="cuda").to(dtype)
    weight = torch.randn(n, k, dtype=otype, device="cuda").to(dtype)
    if otype is None:
        otype = dtype
    if with_bias:
        bias = torch.rand(n, dtype=dtype, device="cuda")
    else:
        bias = None
    a, us_a = run_reference(x, weight, bias, otype)
    b, us_b = run_tuned(x, weight, bias, otype)
    assert a.dtype == b.dtype, f"{a.dtype} is not {b.dtype}"
    checkAllclose(a, b, msg=f"{us_a / us_b - 1:.1%}")
