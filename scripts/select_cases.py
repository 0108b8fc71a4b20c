#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the cases of oneDNN's graph harness files, as one batch file for benchtern.

    scripts/select_cases.py [--others] [--small] [--files] [--expand] [DIR]

DIR is oneDNN's tests/benchdnn/inputs/graph; without it TERN_BENCHDNN_INPUTS says. Printed are the
cases whose graph has a Select, one token a line with every option that is in force there; with
--others all the cases that have none. --small makes the large shapes small. --files prints the
tokens' file and line as comments; --expand prints each case on a line of its own, as benchtern's
result lines show it behind --graph. The numbers of tokens and cases go to standard error. Exit code
77: no folder.

A case is what benchdnn runs for one --case token: the product of the alternatives of its options.
"""

import functools
import itertools
import json
import os
import pathlib
import re
import sys

# The options whose alternatives multiply: in the order of the lines that are printed, and from the
# outermost to the innermost.
LISTS = ["mb", "dt", "op-kind", "tensor-property", "in-shapes", "op-attrs"]
NESTING = ["in-shapes", "op-attrs", "attr-fpmath", "op-kind", "tensor-property", "dt", "mb"]


def tokens_of(path):
    """Pairs (line, token); a backslash at the end of a token glues the next one to it."""
    glued = None
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        for word in line.split():
            if word.startswith("#"):
                break
            if glued is not None:
                word, number_of_token = glued[1] + word, glued[0]
            else:
                number_of_token = number
            if word.endswith("\\"):
                glued = (number_of_token, word[:-1])
                continue
            glued = None
            yield number_of_token, word
    if glued is not None:
        yield glued


class Reader:
    """Walks a batch file and those inside it; options go on from file to file."""

    def __init__(self, root):
        self.root = root
        self.options = {}
        self.fpmath = []
        self.partitions = None
        self.cases = []

    def find(self, name, folder):
        for path in (folder / name, self.root / name):
            if path.is_file():
                return path
        raise SystemExit(f"cannot find {name}, which a file in {folder} names")

    def read(self, path):
        for line, token in tokens_of(path):
            name, _, value = token.partition("=")
            name = name.lstrip("-")
            if name == "reset":
                self.options, self.fpmath, self.partitions = {}, [], None
            elif name == "batch":
                self.read(self.find(value, path.parent))
            elif name == "case":
                self.cases.append(Case(self, path, line, self.find(value, path.parent)))
            elif name == "attr-fpmath":
                self.fpmath += [mode for mode in value.split(",") if mode]
            elif name == "expected-n-partitions":
                self.partitions = ([part for part in value.split(",") if part] or [None])[-1]
            elif name in LISTS:
                if value or name in ("dt", "mb"):
                    self.options[name] = value
            else:
                raise SystemExit(f"{path}:{line}: unknown option --{name}")


class Case:
    """One --case token."""

    def __init__(self, reader, batch, line, path):
        self.batch, self.line, self.path = batch, line, path
        self.options = {name: reader.options[name] for name in LISTS if name in reader.options}
        self.fpmath = list(reader.fpmath)
        self.partitions = reader.partitions

    def count(self):
        product = max(len(self.fpmath), 1)
        for value in self.options.values():
            product *= len(value.split(","))
        return product

    def text(self):
        words = ["--reset"]
        words += [f"--{name}={value}" for name, value in self.options.items()]
        if self.fpmath:
            words.append("--attr-fpmath=" + ",".join(self.fpmath))
        if self.partitions is not None:
            words.append(f"--expected-n-partitions={self.partitions}")
        return " ".join(words + [f"--case={self.path}"])

    def expanded(self):
        """A line for each case, in the order in which benchdnn runs them."""
        alternatives = {name: value.split(",") for name, value in self.options.items()}
        if self.fpmath:
            alternatives["attr-fpmath"] = self.fpmath
        names = [name for name in NESTING if name in alternatives]
        for values in itertools.product(*(alternatives[name] for name in names)):
            chosen = {name: by_id(value).removesuffix(":false")
                      for name, value in zip(names, values)}
            words = [f"--{name}={chosen[name]}" for name in LISTS + ["attr-fpmath"]
                     if chosen.get(name, "") not in ("", "0")]
            if self.partitions not in (None, "1"):
                words.append(f"--expected-n-partitions={self.partitions}")
            yield " ".join(words + [f"--case={self.path}"])


def by_id(value):
    """ID:VALUE entries by rising id."""
    entries = [entry for entry in value.split("+") if entry]
    if not all(re.match(r"\d+:", entry) for entry in entries):
        return value
    return "+".join(sorted(entries, key=lambda entry: int(entry.partition(":")[0])))


@functools.lru_cache(maxsize=None)
def ops_of(path):
    """The ops of a graph file."""
    return json.loads(path.read_text())["graph"]


def kinds_of(path):
    """The op kinds of a graph file."""
    return {op["kind"] for op in ops_of(path)}


def inputs_of(path):
    """The shapes of a graph's inputs by id, as in the file."""
    made = {port["id"] for op in ops_of(path) for port in op["outputs"]}
    return {port["id"]: port["shape"] for op in ops_of(path) for port in op["inputs"] if port["id"] not in made}


def is_large(shape):
    return any(size >= 1000 for size in shape) or len(shape) > 2 and shape[0] >= 32


def make_small(case):
    """Shrinks what --in-shapes makes large; equal sizes stay equal, different ones different.

    Axes of 1000 and more become about an eighth as long, batches of 32 and more become 4 (of three
    axes and more: matrices have none). Shapes with strides of their own stay, and so do cases that
    say large sizes elsewhere, too: in an attribute, or in the file for another input.
    """
    value = case.options.get("in-shapes")
    if value is None or ":shape:" in case.options.get("op-attrs", ""):
        return
    inputs = inputs_of(case.path)

    def smaller(match):
        size = int(match.group(0))
        if size >= 1000:
            return str(size // 8 + size % 8)
        return match.group(0)

    alternatives = []
    for alternative in value.split(","):
        if not alternative:  # the file's own shapes
            alternatives.append(alternative)
            continue
        entries = alternative.split("+")
        named = {int(re.match(r"\d+", entry)[0]) for entry in entries}
        if any(is_large(shape) for ident, shape in inputs.items() if ident not in named):
            alternatives.append(alternative)
            continue
        batches = [re.match(r"\d+:(\d+)x\d+x", entry) for entry in entries]
        large_batches = all(batch and int(batch.group(1)) >= 32 for batch in batches)
        shrunk = []
        for entry in entries:
            head, star, layout = entry.partition("*")
            if star and not layout.isalpha():
                shrunk = entries  # strides of their own: all stay
                break
            ident, _, shape = head.partition(":")
            dims = re.sub(r"\d+", smaller, shape)
            if large_batches:
                dims = re.sub(r"^\d+", "4", dims)
            shrunk.append(f"{ident}:{dims}{star}{layout}")
        alternatives.append("+".join(shrunk))
    case.options["in-shapes"] = ",".join(alternatives)


def harness_files(root):
    return sorted(path for path in root.rglob("harness_*") if path.is_file())


def main():
    arguments = sys.argv[1:]
    flags = {word for word in arguments if word.startswith("--")}
    unknown = flags - {"--others", "--small", "--files", "--expand"}
    if unknown:
        raise SystemExit(f"unknown option {sorted(unknown)[0]}")
    folders = [word for word in arguments if not word.startswith("--")]
    folder = folders[0] if folders else os.environ.get("TERN_BENCHDNN_INPUTS", "")
    if not folder:
        print("no folder of benchdnn inputs: give it as an argument or in TERN_BENCHDNN_INPUTS",
              file=sys.stderr)
        return 77
    root = pathlib.Path(folder).resolve()
    tokens = cases = 0
    for harness in harness_files(root):
        reader = Reader(root)
        reader.read(harness)
        for case in reader.cases:
            if ("Select" in kinds_of(case.path)) == ("--others" in flags):
                continue
            if "--small" in flags:
                make_small(case)
            tokens += 1
            cases += case.count()
            if "--files" in flags:
                print(f"# {case.batch.relative_to(root)}:{case.line}")
            print("\n".join(case.expanded()) if "--expand" in flags else case.text())
    print(f"tokens:{tokens} cases:{cases}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
