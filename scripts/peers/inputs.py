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


def share_of_zeros(shape, dt, share):
    """Elements of which so many of 100 are not 0, at random; where they are not, they are ordinary numbers."""
    n = math.prod(shape)
    # Two bytes decide: shares below 1 % come out right, too.
    chosen = random_bytes(2 * n, 0)
    least = 65536 * share // 100
    high, low = chosen[1::2], chosen[::2]
    if least % 256 == 0:
        is_set = high.translate(bytes(i < least // 256 for i in range(256)))
    else:
        is_set = bytes(map(lambda h, l: (h << 8 | l) < least, high, low))
    if dt == "boolean":
        return is_set
    data = values(shape, dt, 1)
    mask = int.from_bytes(is_set.translate(bytes((0, 255)) + bytes(254)), "little")
    for byte in range(SIZES[dt]):
        plane = int.from_bytes(data[byte::SIZES[dt]], "little") & mask
        data[byte::SIZES[dt]] = plane.to_bytes(n, "little")
    return data


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
        if "x" in wanted:
            return self._x_options(wanted)
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

    def _x_options(self, wanted):
        given = {key: value for key, value in wanted.items() if key != "share"}
        path = os.path.join(self._folder, f"x-{wanted['dt']}-{wanted['share']}-{wanted['x']}")
        if not os.path.exists(path):
            shape = [int(d) for d in wanted["x"].split("x")]
            with open(path, "wb") as file:
                file.write(share_of_zeros(shape, wanted["dt"], wanted["share"]))
        return {**given, "x_file": path}

    def _graph_options(self, wanted):
        # Legs that run the same graph compare their results, through the second file.
        name = hashlib.sha256(wanted["graph"].encode()).hexdigest()[:16]
        path = os.path.join(self._folder, f"{name}.json")
        if not os.path.exists(path):
            graph = self._graphs.text(wanted["graph"])
            with open(path, "w", encoding="ascii") as file:
                file.write(graph)
        return {**wanted, "graph": path, "outputs": os.path.join(self._folder, f"{name}.results")}
