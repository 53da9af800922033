"""The baseline: torch.topk and torch.softmax."""

import kforge_runner_torch as kforge_runner
import torch


def topk(call):
    kept, columns = torch.topk(call.input("logits"), call.param("k"), dim=-1)
    return columns.to(torch.int32), torch.softmax(kept, dim=-1)


kforge_runner.main(topk)
