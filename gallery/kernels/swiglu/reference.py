"""The reference: the gate in binary64, from the definition of the sigmoid."""

import kforge_runner_torch as kforge_runner
import torch


def swiglu(call):
    packed = call.input("packed").double()
    cols = packed.shape[1] // 2
    a, b = packed[:, :cols], packed[:, cols:]
    return a / (1.0 + torch.exp(-a)) * b


kforge_runner.main(swiglu)
