import torch

fp16, bf16, fp32 = torch.float16, torch.bfloat16, torch.float32
d_dtypes = {"fp16": fp16, "bf16": bf16, "fp32": fp32}
