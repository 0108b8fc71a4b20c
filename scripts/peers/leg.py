# SPDX-License-Identifier: Apache-2.0
"""What the legs in Python share; the protocol is described in leg.hpp."""
import mmap
import os
import statistics
import sys
import time

import numpy

LANES = {"f32": numpy.uint32, "bf16": numpy.uint16, "f16": numpy.uint16, "u8": numpy.uint8}


class Unsupported(Exception):
    """The case cannot run in this implementation: not an error."""


class Case:
    """The operands as numpy arrays of unsigned integers (cond: of bool), over memory as leg.hpp allocates it."""

    def __init__(self, arguments):
        given = dict(argument.split("=", 1) for argument in arguments)
        self.dt = given["dt"]
        self.calls = int(given.get("calls", 1))
        self.threads = os.cpu_count()
        self.cond = self._load(given, "cond", numpy.bool_)
        self.src_0 = self._load(given, "src_0", LANES[self.dt])
        self.src_1 = self._load(given, "src_1", LANES[self.dt])
        self.dst = allocate(numpy.broadcast_shapes(self.src_0.shape, self.src_1.shape), LANES[self.dt])

    @staticmethod
    def _load(given, key, lane):
        array = allocate([int(d) for d in given[key].split("x")], lane)
        with open(given[key + "_file"], "rb") as file:
            if file.readinto(array.reshape(-1).view(numpy.uint8)) != array.nbytes:
                raise ValueError(f"{file.name} is too short")
        return array

    def is_right(self):
        return numpy.array_equal(self.dst, numpy.where(self.cond, self.src_0, self.src_1))


def allocate(shape, lane):
    """Fresh private pages of the system's usual size, each of them touched. numpy would ask for huge ones."""
    size = int(numpy.prod(shape)) * numpy.dtype(lane).itemsize
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    array = numpy.frombuffer(pages, numpy.uint8)
    array[:] = 0xA5
    return array.view(lane).reshape(shape)


def say(*words):
    print(*words, flush=True)


def serve(version, run, case):
    """`run` makes one call; `case.calls` of them are one sample."""

    def timed():
        start = time.perf_counter()
        for _ in range(case.calls):
            run()
        return (time.perf_counter() - start) * 1e3

    last = timed()
    if not case.is_right():
        raise RuntimeError("wrong result")
    say("ready", version, last)
    for line in sys.stdin:
        budget = float(line)
        warm = 0.0
        while last < budget and warm < budget / 5:
            warm += timed()
        samples = []
        total = 0.0
        while not samples or total < budget:
            last = timed()
            samples.append(last)
            total += last
        say(statistics.median_high(samples) / case.calls, min(samples) / case.calls, len(samples) * case.calls)


def main(prepare):
    """`prepare` takes a case and returns the version and a function that makes one call."""
    case = Case(sys.argv[1:])
    try:
        version, run = prepare(case)
    except Unsupported as why:
        say("unsupported", why)
        return
    serve(version, run, case)
