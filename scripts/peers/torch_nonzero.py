# SPDX-License-Identifier: Apache-2.0
"""PyTorch's leg for NonZero, see leg.hpp: torch.nonzero into a tensor that is there beforehand.

Its result has a row for each element that is found, and lies column by column: in memory it is ONNX's.
"""
import nonzero_case
import torch


def prepare(case):
    torch.set_num_threads(case.threads)
    x = torch.from_numpy(case.x)
    y = torch.from_numpy(case.y).t()

    def run():
        torch.nonzero(x, out=y)

    case.y[:] = -1
    run()
    if not case.is_right():
        raise RuntimeError("the result is not in the memory that was given")
    return torch.__version__, run


with torch.inference_mode():
    nonzero_case.main(prepare)
