# SPDX-License-Identifier: Apache-2.0
"""The operands' bytes or the graph, as files that all legs of a case read."""
import hashlib
import math
import os
import random
import shutil
import tempfile

SIZES = {"f32": 4, "bf16": 2, "f16": 2, "u8": 1}
OPERANDS = ("cond", "src_0", "src_1")


def random_bytes(n, seed):
    source = random.Random(seed)
    piece = 1 << 24  # randbytes() takes no more than 256 MiB at a time, and needs memory several times as large
    return b"".join(source.randbytes(min(piece, n - at)) for at in range(0, n, piece))


def values(shape, dt, seed):
    """Ordinary numbers: the byte with most of the exponent is 0x3f or 0xbf, so that none is a NaN or denormal."""
    size = SIZES[dt]
    data = bytearray(random_bytes(math.prod(shape) * size, seed))
    if size > 1:
        data[size - 1::size] = data[size - 1::size].translate(bytes(0x3F | i & 0x80 for i in range(256)))
    return data


def cond(shape, pattern):
    n = math.prod(shape)
    if pattern.startswith("random_"):  # so many of 100 are true
        least = 256 * (100 - int(pattern[len("random_"):])) // 100
        return random_bytes(n, 0).translate(bytes(i >= least for i in range(256)))
    if pattern == "true":
        return b"\1" * n
    if pattern == "causal":
        rows, columns = shape[-2:]
        return b"".join(b"\1" * (row + 1) + b"\0" * (columns - row - 1) for row in range(rows))
    if pattern.startswith("alternate_"):  # runs of so many elements, true and false in turn
        run = int(pattern[len("alternate_"):])
        return (b"\1" * run + b"\0" * run) * (n // (2 * run))
    if pattern.startswith("runs_"):  # of 64 elements; so many of 100 are true
        share = int(pattern[len("runs_"):]) / 100
        runs = (b"\1" * 64, b"\0" * 64)
        source = random.Random(0)
        return b"".join(runs[source.random() >= share] for _ in range(n // 64))
    raise ValueError(pattern)


class Inputs:
    """A folder in memory, where there is one, with the files that were asked for."""

    def __init__(self, graphs):
        self._graphs = graphs

    def __enter__(self):
        memory = "/dev/shm"
        self._folder = tempfile.mkdtemp(prefix="tern-peers-", dir=memory if os.access(memory, os.W_OK) else None)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self._folder)

    def clear(self):
        for name in os.listdir(self._folder):
            os.remove(os.path.join(self._folder, name))

    def options(self, wanted):
        """The options with files in place of patterns and of a graph's name."""
        if "graph" in wanted:
            return self._graph_options(wanted)
        given = {key: value for key, value in wanted.items() if not key.endswith("_values")}
        for seed, operand in enumerate(OPERANDS):
            pattern = wanted.get(operand + "_values", "random_50")
            kind = pattern if operand == "cond" else wanted["dt"]
            path = os.path.join(self._folder, f"{operand}-{kind}-{wanted[operand]}")
            if not os.path.exists(path):
                shape = [int(d) for d in wanted[operand].split("x")]
                with open(path, "wb") as file:
                    file.write(cond(shape, pattern) if operand == "cond" else values(shape, wanted["dt"], seed))
            given[operand + "_file"] = path
        return given

    def _graph_options(self, wanted):
        # Legs that run the same graph compare their results, through the second file.
        name = hashlib.sha256(wanted["graph"].encode()).hexdigest()[:16]
        path = os.path.join(self._folder, f"{name}.json")
        if not os.path.exists(path):
            graph = self._graphs.text(wanted["graph"])
            with open(path, "w", encoding="ascii") as file:
                file.write(graph)
        return {**wanted, "graph": path, "outputs": os.path.join(self._folder, f"{name}.results")}
