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


def ratio(case, name, over):
    """The median of the rounds' ratios: what slows the whole machine down for a while cancels out. Where one of the
    two went round less often, the ratio of their medians."""
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


def implementations_table(found, rounds):
    print("\n## Tern's loops beside oneDNN's primitive inside Tern\n")
    header("cond, src_0", "src_1", "loops", "onednn", "onednn / loops")
    for case in found:
        row(case["options"]["cond"], case["options"]["src_1"],
            *(cell(figure(case, leg), rounds) for leg in ("loops", "onednn")), optional(ratio(case, "onednn", "loops")))


def leg_name(case, name):
    title = case["legs"].get(name, {}).get("title")
    return title or {**PROGRAMS, **PEERS}[name]


def targets_table(found):
    print("\n## Targets\n")
    header("case", "what", "figure", "target", "reached")
    for case in found:
        for goal in case["goals"]:
            name = leg_name(case, goal["leg"])
            if "over" in goal:
                what = f"{name} / {leg_name(case, goal['over'])}"
                value, unit = ratio(case, goal["leg"], goal["over"]), ""
            else:
                ms = figure(case, goal["leg"]).get("median_ms")
                what, value, unit = name, ms and ms * 1e3, " us"
            bound = "at_least" if "at_least" in goal else "at_most"
            reached = "-"
            if value is not None:
                reached = "yes" if (value >= goal[bound] if bound == "at_least" else value <= goal[bound]) else "no"
            shown = "-" if value is None else three_digits(value) + unit
            row(case["name"], what, shown, f"{bound.replace('_', ' ')} {goal[bound]:g}{unit}", reached)


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

    by_table = {}
    for case in figures["cases"]:
        by_table.setdefault(case["table"], []).append(case)
    for table, found in by_table.items():
        {"select": select_table, "pairs": pairs_table, "implementations": implementations_table}[table](
            found, figures["rounds"])
    targets_table(figures["cases"])


if __name__ == "__main__":
    main()
