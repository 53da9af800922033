"""The baseline: two eager operations, with silu(a) in memory between them."""

import kforge_runner_torch as kforge_runner
import torch


def swiglu(call):
    a, b = call.input("packed").chunk(2, dim=-1)
    return torch.nn.functional.silu(a) * b


kforge_runner.main(swiglu)
