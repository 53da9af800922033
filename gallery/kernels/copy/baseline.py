"""The baseline: torch.Tensor.copy_ on one device."""

import kforge_runner_torch as kforge_runner


def copy(call):
    call.output("y").copy_(call.input("x"))


kforge_runner.main(copy)
