# SPDX-License-Identifier: Apache-2.0
"""PyTorch's leg, see leg.hpp: torch.where into a tensor that is there beforehand."""
import leg
import torch

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "u8": torch.uint8}


def prepare(case):
    torch.set_num_threads(case.threads)
    cond = torch.from_numpy(case.cond)
    src_0, src_1, dst = (
        torch.from_numpy(array).view(TYPES[case.dt]) for array in (case.src_0, case.src_1, case.dst))

    def run():
        torch.where(cond, src_0, src_1, out=dst)

    return torch.__version__, run


with torch.inference_mode():
    leg.main(prepare)
