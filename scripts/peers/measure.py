# SPDX-License-Identifier: Apache-2.0
"""Measures the cases of cases.py and writes what it found as JSON; all.sh starts it.

All legs of a case are there at once, each a process that waits, stopped, for its turn. They go round together: in every
round each one runs for a while, alone. A figure is the median over the rounds of a round's median time.
"""
import argparse
import dataclasses
import json
import os
import re
import signal
import statistics
import subprocess
import sys

import cases
import graph_cases
import graphs
import inputs

HERE = os.path.dirname(os.path.abspath(__file__))
SLOW_MS = 1000  # one run of a leg takes longer than this: it goes round less often
SLOW_ROUNDS = 3


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def cache_bytes():
    """Bytes of the caches by level, from the kernel's description: virtual machines' sysconf() says too much."""
    found = {}
    folder = "/sys/devices/system/cpu/cpu0/cache/"
    for index in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        size = re.fullmatch(r"(\d+)([KM]?)", read(f"{folder}{index}/size"))
        if size and read(f"{folder}{index}/type") != "Instruction":
            found[int(read(f"{folder}{index}/level"))] = int(size[1]) << {"": 0, "K": 10, "M": 20}[size[2]]
    return found


def programs(args):
    """How each program is started; none where the peer is not there."""
    onednn, torch, onnxruntime = args.onednn, args.torch, args.onnxruntime
    return {
        "tern": [f"{args.bin}/tern_select"],
        "tern_graph": [f"{args.bin}/tern_graph"],
        "limit": [f"{args.bin}/limit_select"],
        "limit_region": [f"{args.bin}/limit_region"],
        "tern_nonzero": [f"{args.bin}/tern_nonzero"],
        "limit_nonzero": [f"{args.bin}/limit_nonzero"],
        "torch_nonzero": torch and [f"{torch}/run", f"{torch}/usr/bin/python3", f"{HERE}/torch_nonzero.py"],
        "onnxruntime_nonzero": onnxruntime and [f"{onnxruntime}/bin/python", f"{HERE}/onnxruntime_nonzero.py"],
        "onednn": onednn and [f"{onednn}/run", f"{args.bin}/onednn_select"],
        "onednn_graph": onednn and [f"{onednn}/run", f"{args.bin}/onednn_graph"],
        "torch": torch and [f"{torch}/run", f"{torch}/usr/bin/python3", f"{HERE}/torch_select.py"],
        "onnxruntime": onnxruntime and [f"{onnxruntime}/bin/python", f"{HERE}/onnxruntime_select.py"],
        "numpy": onnxruntime and [f"{onnxruntime}/bin/python", f"{HERE}/numpy_select.py"],
    }


class Running:
    """One leg of one case. Its worker threads may spin for a while after their work, so it is stopped between turns."""

    def __init__(self, command, options, cache, fresh):
        self.word = "-"  # what stands in place of a figure
        self.why = ""
        self.version = ""
        self.found = {}  # what the leg says about the case
        self.first_ms = 0.0
        self.turns = []
        self._fresh = fresh
        self._command = command + [f"{key}={value}" for key, value in options.items()]
        # Nothing from the caller's environment decides how many threads there are or which kernels run.
        self._environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8",
                             "PYTHONPYCACHEPREFIX": cache}
        self._process = None
        self._start()

    def _start(self):
        self._process = subprocess.Popen(
            self._command, env=self._environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        answer = self._process.stdout.readline().split()
        if answer[:1] == ["ready"]:
            self.word = ""
            self.version, self.first_ms = answer[1], float(answer[2])
            self.found = dict(word.split("=", 1) for word in answer[3:])
            self._process.send_signal(signal.SIGSTOP)
        else:
            self.word = answer[0] if answer else "failed"
            self.why = " ".join(answer[1:])
            self._process.wait()

    def take_turn(self, budget_ms):
        if self._fresh:
            self.end()
            self._start()
            if not self.word:
                self.turns.append((self.first_ms, self.first_ms))
            return
        try:
            self._process.send_signal(signal.SIGCONT)
            self._process.stdin.write(f"{budget_ms}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline().split()
        except OSError:  # it has died, for lack of memory for example
            answer = []
        if len(answer) != 3:
            self.word = "failed"
            return
        self._process.send_signal(signal.SIGSTOP)
        self.turns.append((float(answer[0]), float(answer[1])))

    def rounds(self, wanted):
        return min(wanted, SLOW_ROUNDS) if self.first_ms > SLOW_MS else wanted

    def end(self):
        self._process.kill()  # works on a stopped process, too
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except OSError:
                pass  # it died before it read its last line

    def figures(self):
        if self.word or not self.turns:
            return {"word": self.word or "failed", **({"why": self.why} if self.why else {})}
        return {**self.found, "median_ms": statistics.median(turn[0] for turn in self.turns),
                "min_ms": min(turn[1] for turn in self.turns), "turns_ms": [turn[0] for turn in self.turns]}


def start(leg, case, files, commands, args):
    command = commands[leg.program]
    return command and Running(command, files.options({**case.options, **leg.options}), args.cache, case.fresh)


def is_worth_it(case, files, commands, args):
    """False where oneDNN's leg takes less than the case asks for: such calls are nearly all overhead."""
    if not case.least_ms or not commands["onednn_graph"]:
        return True
    alone = start(case.legs["onednn"], case, files, commands, args)
    try:
        if not alone.word:
            alone.take_turn(10)
        return alone.word or alone.turns[0][1] >= case.least_ms
    finally:
        alone.end()


def measure_case(case, files, commands, args, versions):
    running = {}
    words = {}  # of legs that could not start
    budget = case.budget_ms or args.budget_ms
    try:
        if not is_worth_it(case, files, commands, args):
            return None
        for name, leg in case.legs.items():
            try:
                one = start(leg, case, files, commands, args)
            except graphs.NotThere as why:
                words[name] = {"word": "no graph", "why": str(why)}
                continue
            if one:
                running[name] = one
                if not one.word and not leg.program.startswith("limit"):
                    versions[leg.program.replace("_graph", "").replace("_nonzero", "")] = one.version
        for turn in range(args.rounds):
            for leg in running.values():
                if not leg.word and turn < leg.rounds(args.rounds):
                    leg.take_turn(budget)
    finally:
        for leg in running.values():
            leg.end()
        files.clear()
    # A second look: alone it may have been slow by chance.
    if case.least_ms and "onednn" in running and running["onednn"].figures().get("min_ms", 1e9) < case.least_ms:
        return None
    legs = {name: {"title": leg.title,
                   **(running[name].figures() if name in running else words.get(name, {"word": "-"}))}
            for name, leg in case.legs.items()}
    return {"name": case.name, "table": case.table, "note": case.note,
            "options": case.options, "legs": legs,
            "goals": [{key: value for key, value in dataclasses.asdict(goal).items() if value} for goal in case.goals]}


def commit():
    def git(*words):
        return subprocess.run(("git", "-C", HERE) + words, capture_output=True, text=True, check=False).stdout.strip()

    # What this script writes itself is no modification of what it measures.
    changed = git("status", "--porcelain", "--", ":/", ":!/docs/figures*")
    return (git("rev-parse", "--short", "HEAD") or "none") + ("-modified" if changed else "")


def as_text(figures):
    """A line for each case, so that a difference shows which ones it is about."""
    head = json.dumps({key: value for key, value in figures.items() if key != "cases"})
    lines = ",\n ".join(json.dumps(case) for case in figures["cases"])
    return f'{head[:-1]}, "cases": [\n {lines}\n]}}\n'


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--budget-ms", type=float, default=150, help="how long a leg runs in one round")
    parser.add_argument("--only", default="", help="a regular expression: only the cases whose name it matches")
    parser.add_argument("--graphs", action="store_true", help="whole graphs only")
    parser.add_argument("--inputs", default="", help="folder of benchdnn's graph inputs; their cases are left out without")
    parser.add_argument("--benchtern", required=True, help="the driver, which applies options to graph files")
    parser.add_argument("--bin", required=True, help="folder of the legs in C++")
    parser.add_argument("--cache", required=True, help="folder for what Python compiles")
    parser.add_argument("--out", required=True, help="file for the figures")
    for peer in ("onednn", "torch", "onnxruntime"):
        parser.add_argument(f"--{peer}", default="", help="folder of the peer; its figures are left out without")
    return parser.parse_args()


def main():
    args = parse_arguments()
    # Ended from outside, too, the legs are to end and the inputs to go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("measure.py: terminated"))
    caches = cache_bytes()
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"measure.py: the load is {load:.2f}: this machine is not quiet, the figures will not count",
              file=sys.stderr)
    model = re.search(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    cpu = re.sub(r"\s+", " ", model[1]) if model else "unknown CPU"
    versions = {}
    result = {"commit": commit(), "cpu": cpu, "threads": os.cpu_count(), "load": load, "rounds": args.rounds,
              "caches": {f"L{level}": size for level, size in sorted(caches.items())}, "versions": versions}
    if not args.inputs:
        result["left_out"] = "the graphs and ops of oneDNN's own cases: no folder of benchdnn's inputs was given"
    source = graphs.Graphs(args.benchtern, f"{HERE}/../../benchdnn_cases", args.inputs)
    found = [] if args.graphs else list(cases.all_cases(caches.get(2, 512 << 10)))
    found += graph_cases.all_graph_cases(source, bool(args.inputs))
    chosen = [case for case in found if re.search(args.only, case.name)]
    measured = []
    with inputs.Inputs(source) as files:
        for i, case in enumerate(chosen):
            print(f"measure.py: {i + 1} of {len(chosen)}: {case.name}", file=sys.stderr)
            measured += filter(None, [measure_case(case, files, programs(args), args, versions)])
    with open(args.out, "w", encoding="ascii") as file:
        file.write(as_text({**result, "cases": measured}))


if __name__ == "__main__":
    main()
