"""The baseline: what is in use today, here PyTorch's own kernel."""

import kforge_runner_torch as kforge_runner
import torch


def softmax(call):
    return torch.softmax(call.input("x"), dim=-1)


kforge_runner.main(softmax)
