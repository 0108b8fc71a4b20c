# SPDX-License-Identifier: Apache-2.0
"""NumPy's leg, see leg.hpp. numpy.where has no output argument: it allocates the result in each call."""
import leg
import numpy


def prepare(case):
    if case.dt != "f32":
        raise leg.Unsupported(case.dt)

    def run():
        case.dst = numpy.where(case.cond, case.src_0, case.src_1)

    return numpy.__version__, run


leg.main(prepare)
