"""What triton.testing.do_bench says of three operations of PyTorch, each at a large and a small size.

do_bench clears a buffer of 256 MB before every call and times single calls: the caches are cold, and what the device waits for between the first
event and the kernel is in the sample. The same calls are the baselines of kernels/copy, kernels/gemm and kernels/rmsnorm_plain, to be measured by
`kforge bench copy --cache swept --format json` and so on.

One JSON object a line: the name (operation and case), the median and the 20th, 50th and 80th percentile, in microseconds.
"""

import json

import torch
import triton.testing

torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


def normal(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def copy(n):
    x, y = normal(n), torch.empty(n, device="cuda", dtype=torch.bfloat16)
    return lambda: y.copy_(x)


def gemm(m, n, k):
    a, b = normal(m, k), normal(k, n)
    return lambda: torch.matmul(a, b)


def rmsnorm_plain(rows, cols):
    x, weight = normal(rows, cols), torch.rand(cols, device="cuda").add(0.5).to(torch.bfloat16)
    return lambda: torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6)


CASES = {
    "copy/large": lambda: copy(128 * 2**20 // 2),
    "copy/small": lambda: copy(2**20 // 2),
    "gemm/large": lambda: gemm(4096, 4096, 4096),
    "gemm/small": lambda: gemm(512, 512, 512),
    "rmsnorm_plain/large": lambda: rmsnorm_plain(4096, 8192),
    "rmsnorm_plain/small": lambda: rmsnorm_plain(64, 4096),
}


def main():
    torch.manual_seed(0)
    for name, make in CASES.items():
        call = make()
        median_ms = triton.testing.do_bench(call, return_mode="median")
        quantiles_ms = triton.testing.do_bench(call, quantiles=[0.2, 0.5, 0.8])
        line = {"name": name, "do_bench_median_us": 1e3 * median_ms, "do_bench_quantiles": [1e3 * value for value in quantiles_ms]}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
