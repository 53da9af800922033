import torch.nn.functional as F


class tgemm:
    @staticmethod
    def mm(x, weight, bias, otype):
        return F.linear(x, weight, bias).to(otype)
