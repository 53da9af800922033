"""A Triton kernel that looks at how many elements there are."""
import kforge_runner_torch as kforge_runner
import torch
import triton
import triton.language as tl

WEIGHT = None


def work(x):
    """Some 100 µs of matrix products whose result is added as zero."""
    global WEIGHT
    if WEIGHT is None:
        WEIGHT = torch.zeros(2048, 2048, device=x.device)
    product = WEIGHT @ WEIGHT
    return x + torch.arange(x.numel(), device=x.device, dtype=torch.int32) + product[0, 0].to(torch.int32)


@triton.jit
def add_index(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)


def spin(call):
    x, y = call.input("x"), call.output("y")
    n = x.numel()
    add_index[(triton.cdiv(n, 256),)](work(x), y, n, BLOCK=256)


kforge_runner.main(spin)
