"""The baseline: torch.nn.functional.rms_norm."""

import kforge_runner_torch as kforge_runner
import torch

EPSILON = 1e-6


def rmsnorm(call):
    weight = call.input("weight")
    return torch.nn.functional.rms_norm(call.input("x"), weight.shape, weight, EPSILON)


kforge_runner.main(rmsnorm)
