import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer, GELU, and a scale."""

    def __init__(self, in_features, out_features, factor=2.0):
        super(Model, self).__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.factor = factor

    def forward(self, x, mask):
        x = self.linear(x)
        x = torch.nn.functional.gelu(x)
        return x * self.factor + mask


batch_size = 64
in_features = 128
out_features, factor = 96, 0.5


def get_inputs():
    x = torch.rand(batch_size, in_features) * 2 - 1
    return [x, torch.randn(batch_size, 1)]


def get_init_inputs():
    return [in_features, out_features, factor]
