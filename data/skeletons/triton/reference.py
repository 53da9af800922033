"""The reference: PyTorch in binary64; the output tensor is binary64 too."""

import kforge_runner_torch as kforge_runner
import torch


def softmax(call):
    return torch.softmax(call.input("x").double(), dim=-1)


kforge_runner.main(softmax)
