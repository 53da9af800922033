"""The reference: the RMS norm in binary64."""

import kforge_runner_torch as kforge_runner
import torch

EPSILON = 1e-6


def rmsnorm(call):
    x = call.input("x").double()
    mean_square = (x * x).mean(dim=-1, keepdim=True)
    return x / torch.sqrt(mean_square + EPSILON) * call.input("weight").double()


kforge_runner.main(rmsnorm)
