# SPDX-License-Identifier: Apache-2.0
"""Graph files for the legs, as benchtern dumps them once it has applied the options of a case.

A graph is named by benchtern's options, for example "--dt=bf16 --case=op/f32/select.json". Case files are looked for in
the project's own cases, then in oneDNN's graph inputs where the caller has them.
"""
import json
import os
import re
import subprocess

DUMP = "[INFO] Graph dump:\n"
RUN = re.compile(r"^run: (.*)$", re.MULTILINE)


class NotThere(Exception):
    """No such graph can be had here: no folder, or benchtern cannot apply the options."""


class Graphs:
    def __init__(self, benchtern, own, inputs):
        self._benchtern, self._folders = os.path.abspath(benchtern), [f for f in (own, inputs) if f]

    def expand(self, options):
        """(options of one case, its graph) for all cases that `options`, a batch file for example, stand for."""
        names = re.findall(r"--(?:case|batch)=(\S+)", options)
        for folder in self._folders:
            if all(os.path.exists(os.path.join(folder, name)) for name in names):
                return self._dumps(folder, options)
        raise NotThere(f"no {' '.join(names)}")

    def text(self, options):
        found = self.expand(options)
        if len(found) != 1:
            raise NotThere(f"{options} is {len(found)} cases")
        return json.dumps(found[0][1])

    def _dumps(self, folder, options):
        command = [self._benchtern, "--mode=L", "--verbose=7", "--graph", *options.split()]
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
        found = []
        for piece in output.split(DUMP)[1:]:
            graph, _ = json.JSONDecoder().raw_decode(piece)
            case = RUN.search(piece)
            if case and is_applied(case[1], graph):
                found.append((case[1], graph))
        return found


def is_applied(case, graph):
    """benchtern lists a graph as it was when it has an op that Tern does not know: that is another case."""
    tensors = {port["id"]: port for op in graph["graph"] for port in op["inputs"]}
    given = dict(re.findall(r"--([a-z-]+)=(\S+)", case))
    for part in filter(None, given.get("in-shapes", "").split("+")):
        number, _, wanted = part.partition(":")
        dims = [int(d) for d in wanted.split("*")[0].split("x") if d not in ("", "-")]
        here = tensors.get(int(number))
        if here and (dims or wanted == "-") and here["shape"] != dims:
            return False
    for part in filter(None, given.get("op-kind", "").split("+")):
        number, _, kind = part.partition(":")
        if kind != "undef" and all(op["id"] != int(number) or op["kind"] != kind for op in graph["graph"]):
            return False
    dt = given.get("dt", "")
    return not dt or ":" in dt or any(port["dtype"] == dt for port in tensors.values())
