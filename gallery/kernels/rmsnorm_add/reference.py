"""The reference: the residual sum and its RMS norm in binary64."""

import kforge_runner_torch as kforge_runner
import torch

EPSILON = 1e-6


def rmsnorm_add(call):
    total = call.input("x").double() + call.input("residual").double()
    mean_square = (total * total).mean(dim=-1, keepdim=True)
    normed = total / torch.sqrt(mean_square + EPSILON) * call.input("weight").double()
    return normed, total


kforge_runner.main(rmsnorm_add)
