# SPDX-License-Identifier: Apache-2.0
"""What the legs in Python of NonZero share, as nonzero_leg.hpp for those in C++."""
import os
import sys

import leg
import numpy

TYPES = {"boolean": numpy.bool_, "f32": numpy.float32}


class Case:
    """x, and memory y for exactly the indices that there are."""

    def __init__(self, arguments):
        given = dict(argument.split("=", 1) for argument in arguments)
        self.dt = given["dt"]
        self.calls = int(given.get("calls", 1))
        self.threads = int(given.get("threads", os.cpu_count()))
        self.x = leg.allocate([int(d) for d in given["x"].split("x")], TYPES[self.dt])
        with open(given["x_file"], "rb") as file:
            if file.readinto(self.x.reshape(-1).view(numpy.uint8)) != self.x.nbytes:
                raise ValueError(f"{file.name} is too short")
        self.count = int(numpy.count_nonzero(self.x))
        self.y = leg.allocate([self.x.ndim, self.count], numpy.int64)

    def is_right(self):
        return numpy.array_equal(self.y, numpy.stack(numpy.nonzero(self.x)))


def main(prepare):
    """`prepare` takes a case and returns the version and a function that makes one call."""
    case = Case(sys.argv[1:])
    try:
        version, run = prepare(case)
    except leg.Unsupported as why:
        leg.say("unsupported", why)
        return
    leg.serve(version, run, case)
