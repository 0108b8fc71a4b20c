# SPDX-License-Identifier: Apache-2.0
"""Prints docs/figures.md from the figures that measure.py took: tables.py FIGURES.json"""
import json
import statistics
import sys

PEERS = {"limit": "limit kernel", "onnxruntime": "ONNX Runtime", "torch": "PyTorch", "onednn": "oneDNN Graph"}
PROGRAMS = {"tern": "Tern", "onednn": "oneDNN", "torch": "PyTorch", "onnxruntime": "ONNX Runtime", "numpy": "NumPy"}


def figure(case, name):
    """A leg's figures; the limit's are those of its fastest variant."""
    legs = case["legs"]
    if name == "limit":
        variants = [leg for key, leg in legs.items() if key.startswith("limit_")]
        return min(variants, key=lambda leg: leg.get("median_ms", float("inf")))
    return legs.get(name, {"word": "-"})


def ratio(case, name, over, minimum=False):
    """The median of the rounds' ratios: what slows the whole machine down for a while cancels out. Where one of the
    two went round less often, the ratio of their medians. With `minimum`, the ratio of their least times."""
    if minimum:
        a, b = (figure(case, leg).get("min_ms") for leg in (name, over))
        return a / b if a and b else None
    a, b = (figure(case, leg).get("turns_ms") for leg in (name, over))
    if not a or not b:
        return None
    if len(a) == len(b):
        return statistics.median(x / y for x, y in zip(a, b))
    return statistics.median(a) / statistics.median(b)


def three_digits(x):
    text = f"{x:.3g}"
    return f"{x:.0f}" if "e+" in text else text


def time(ms):
    return f"{three_digits(ms * 1e3)} us" if ms < 0.1 else f"{three_digits(ms)} ms"


def cell(leg, all_rounds):
    if "word" in leg:
        return leg["word"]
    rounds = len(leg["turns_ms"])
    few = "" if rounds == all_rounds else f" ({rounds} rounds)"
    return time(leg["median_ms"]) + few


def optional(number):
    return "-" if number is None else three_digits(number)


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def header(*cells):
    row(*cells)
    print("|" + "---|" * len(cells))


def shapes(case):
    options = case["options"]
    return ", ".join(options[operand] for operand in ("cond", "src_0", "src_1"))


def select_table(found, rounds):
    print("\n## Select beside its peers and its limit\n")
    header("case", "cond, src_0, src_1", "Tern", *PEERS.values(), *(f"{title} / Tern" for title in PEERS.values()))
    for case in found:
        row(case["name"], shapes(case), *(cell(figure(case, leg), rounds) for leg in ("tern", *PEERS)),
            *(optional(ratio(case, leg, "tern")) for leg in PEERS))


def pairs_table(found, rounds):
    print("\n## Tern beside itself and beside single primitives\n")
    header("case", "cond, src_0, src_1", "leg", "median", "minimum")
    for case in found:
        for leg in case["legs"].values():
            least = time(leg["min_ms"]) if "min_ms" in leg else "-"
            row(case["name"], shapes(case), leg["title"], cell(leg, rounds), least)
    notes = [f"{case['name']}: {case['note']}." for case in found if case["note"]]
    print("\n" + " ".join(note[0].upper() + note[1:] for note in notes))


def nonzero_table(found, rounds):
    peers = [peer for peer in PEERS if peer != "onednn"]
    print("\n## NonZero beside its peers and its limit\n")
    header("case", "x", "Tern", *(PEERS[peer] for peer in peers), *(f"{PEERS[peer]} / Tern" for peer in peers))
    for case in found:
        row(case["name"], f"{case['options']['dt']} {case['options']['x']}",
            *(cell(figure(case, leg), rounds) for leg in ("tern", *peers)),
            *(optional(ratio(case, leg, "tern")) for leg in peers))
    print("\nThe limit kernel counts, and then writes as many bytes as there are indices.")


def nonzero_ranks_table(found, rounds):
    print("\n## NonZero by rank and by number of threads\n\nThe same elements in other shapes; a byte moved is one of x "
          "or of the indices.\n")
    header("case", "leg", "median", "ns for each 100 bytes moved")
    for case in found:
        for name, leg in case["legs"].items():
            row(case["name"], name.replace("_", " "), cell(leg, rounds), optional(per_100_bytes(case, name)))


def per_100_bytes(case, name):
    """Of 16 M bools in ranks 1 to 6."""
    leg = case["legs"][name]
    if "word" in leg or not name.startswith("rank_"):
        return None
    n = 1 << 24
    moved = n + n * case["options"]["share"] / 100 * 8 * int(name[len("rank_"):])
    return leg["median_ms"] * 1e6 / moved * 100


def implementations_table(found, rounds):
    print("\n## Tern's loops beside oneDNN's primitive inside Tern\n")
    header("cond, src_0", "src_1", "loops", "onednn", "onednn / loops")
    for case in found:
        row(case["options"]["cond"], case["options"]["src_1"],
            *(cell(figure(case, leg), rounds) for leg in ("loops", "onednn")), optional(ratio(case, "onednn", "loops")))


def least(leg):
    return time(leg["min_ms"]) if "min_ms" in leg else leg["word"]


def reasons(found):
    """Why legs have no figure, each reason once."""
    lines = sorted({f"- {leg['title']}, {leg['word']}: {leg['why']}" for case in found for leg in case["legs"].values()
                    if leg.get("why")})
    if lines:
        print("\n" + "\n".join(lines))


def graphs_table(found, _):
    print("\n## Graphs beside oneDNN Graph\n\nMinimum times; those of bf16 and f16 relative to f32 are medians.\n")
    header("case", "oneDNN's partitions", "oneDNN Graph", "Tern", "oneDNN Graph / Tern", "bf16 / f32", "f16 / f32")
    for case in found:
        row(case["name"], figure(case, "onednn").get("partitions", "-"),
            *(least(figure(case, leg)) for leg in ("onednn", "tern")), optional(ratio(case, "onednn", "tern", True)),
            *(optional(ratio(case, leg, "tern")) for leg in ("tern_bf16", "tern_f16")))
    reasons(found)


def fusion_table(found, rounds):
    print("\n## Graphs of Tern's, fused and op by op\n")
    header("case", "partitions op by op", "op by op", "fused", "op by op / fused")
    for case in found:
        row(case["name"], figure(case, "alone").get("partitions", "-"),
            *(cell(figure(case, leg), rounds) for leg in ("alone", "fused")), optional(ratio(case, "alone", "fused")))
    reasons(found)


def compilation_table(found, rounds):
    print("\n## Compilation of graphs\n\nThe first one of a process, all partitions, without a cache.\n")
    header("case", "oneDNN Graph", "Tern", "Tern / oneDNN Graph")
    for case in found:
        row(case["name"].replace("compilation of ", ""),
            *(cell(figure(case, leg), rounds) for leg in ("onednn", "tern")), optional(ratio(case, "tern", "onednn")))
    reasons(found)


def regions_table(found, rounds):
    print("\n## Regions of elementwise ops and a Select beside a hand-fused loop\n")
    header("case", "limit kernel", "Tern", "oneDNN Graph", "oneDNN's partitions", "limit kernel / Tern")
    for case in found:
        row(case["name"], *(cell(figure(case, leg), rounds) for leg in ("limit", "tern", "onednn")),
            figure(case, "onednn").get("partitions", "-"), optional(ratio(case, "limit", "tern")))
    reasons(found)


def ops_table(found, _):
    print("\n## Single ops beside oneDNN Graph\n\nMinimum times, of what takes oneDNN 50 us and more.\n")
    header("case", "oneDNN Graph", "Tern", "Tern / oneDNN Graph")
    for case in found:
        row(case["name"], *(least(figure(case, leg)) for leg in ("onednn", "tern")),
            optional(ratio(case, "tern", "onednn", True)))
    reasons(found)


def leg_name(case, name):
    title = case["legs"].get(name, {}).get("title")
    return title or {**PROGRAMS, **PEERS}.get(name, name.replace("_", " "))


def outcome(case, goal):
    """What is compared, the figure (None without), its unit."""
    name = leg_name(case, goal["leg"])
    if "over" in goal:
        value = ratio(case, goal["leg"], goal["over"], goal.get("minimum", False))
        words = ", minimum times" if goal.get("minimum") else ""
        return f"{name} / {leg_name(case, goal['over'])}{words}", value, ""
    ms = figure(case, goal["leg"]).get("median_ms")
    return name, ms and ms * 1e3, " us"


def targets_table(found):
    print("\n## Targets\n")
    header("case", "what", "figure", "target", "reached")
    ops = {"yes": 0, "no": 0, "-": 0}
    for case in found:
        for goal in case["goals"]:
            what, value, unit = outcome(case, goal)
            bound = "at_least" if "at_least" in goal else "at_most"
            reached = "-"
            if value is not None:
                reached = "yes" if (value >= goal[bound] if bound == "at_least" else value <= goal[bound]) else "no"
            if case["table"] == "ops":  # hundreds: a line for each one that is missed
                ops[reached] += 1
                if reached != "no":
                    continue
            shown = "-" if value is None else three_digits(value) + unit
            row(case["name"], what, shown, f"{bound.replace('_', ' ')} {goal[bound]:g}{unit}", reached)
    if any(ops.values()):
        row("all single ops", "targets reached", f"{ops['yes']} of {sum(ops.values())}", "all",
            "yes" if ops["yes"] == sum(ops.values()) else "no")


TABLES = {"select": select_table, "pairs": pairs_table, "implementations": implementations_table,
          "nonzero": nonzero_table, "nonzero_ranks": nonzero_ranks_table, "graphs": graphs_table,
          "fusion": fusion_table, "graph_compilation": compilation_table, "ops": ops_table, "regions": regions_table}


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        figures = json.load(file)
    versions = ", ".join(f"{title} {figures['versions'][program]}" for program, title in PROGRAMS.items()
                         if program in figures["versions"])
    caches = ", ".join(f"{level} {size >> 10} KiB" for level, size in figures["caches"].items())
    print("# Figures\n\nMade by `scripts/peers/all.sh --write`; [performance.md](performance.md) says what they mean "
          "and how they are taken.\n")
    print(f"- Tern at commit {figures['commit']}; {versions}")
    print(f"- {figures['cpu']}, {figures['threads']} threads; {caches}; load before {figures['load']:.2f}")
    print(f"- medians of {figures['rounds']} interleaved rounds, fewer where a run takes more than a second")

    if "left_out" in figures:
        print(f"- left out: {figures['left_out']}")

    by_table = {}
    for case in figures["cases"]:
        by_table.setdefault(case["table"], []).append(case)
    for table, found in by_table.items():
        TABLES[table](found, figures["rounds"])
    targets_table(figures["cases"])


if __name__ == "__main__":
    main()
