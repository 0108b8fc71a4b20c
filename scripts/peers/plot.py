# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures.svg from the figures that measure.py took: plot.py FIGURES.json"""
import html
import json
import math
import sys

import tables

BARS = {"tern": ("Tern", "#0b6e8f"), "onnxruntime": ("ONNX Runtime", "#a78bc9"), "torch": ("PyTorch", "#e08e5b"),
        "onednn": ("oneDNN Graph", "#8aa86a")}
INK, FAINT, LINES, PAPER = "#1f2933", "#5f6c7b", "#d9dfe5", "#ffffff"
WIDTH, LEFT, RIGHT, TOP = 960, 250, 110, 116
BAR, GAP = 15, 16
LEAST, MOST = 0.5, 2000.0  # times the limit


def x_of(times):
    share = math.log(min(max(times, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def text(x, y, words, size=13, fill=INK, anchor="start", weight="normal"):
    # The stroke around the letters keeps lines that pass below from crossing them.
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{fill}" '
            f'text-anchor="{anchor}" paint-order="stroke" stroke="{PAPER}" stroke-width="3">'
            f'{html.escape(words)}</text>')


def rectangle(x, y, width, height, fill, extra=""):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{fill}"{extra}/>')


def line(x, top, bottom, stroke, width=1):
    return (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" '
            f'stroke="{stroke}" stroke-width="{width}"/>')


def heading(figures):
    yield text(24, 36, "Select: time relative to a hand-written kernel that moves the same bytes", 18, weight="bold")
    machine = f"{figures['cpu']}, {figures['threads']} threads"
    yield text(24, 58, f"shorter is better, logarithmic; {machine}; Tern at commit {figures['commit']}", 12, FAINT)
    x = LEFT
    for title, fill in BARS.values():
        yield rectangle(x, 73, 12, 12, fill, ' rx="2"')
        yield text(x + 18, 83, title, 12)
        x += 40 + 7.2 * len(title)


def axis(bottom):
    for times in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000):
        x = x_of(times)
        yield line(x, TOP - 6, bottom, FAINT if times == 1 else LINES, 1.5 if times == 1 else 1)
        yield text(x, bottom + 18, f"{times:g}", 11, FAINT, "middle")
    yield text(x_of(1), TOP - 10, "limit", 11, FAINT, "middle")


def group(case, top):
    yield text(LEFT - 12, top + 2 * BAR - 4, case["name"], 13, anchor="end", weight="bold")
    yield text(LEFT - 12, top + 3 * BAR - 1, tables.shapes(case), 9, FAINT, "end")
    for i, (name, (_, fill)) in enumerate(BARS.items()):
        y = top + i * BAR
        times = tables.ratio(case, name, "limit")
        if times is None:
            yield text(LEFT + 5, y + 11, tables.figure(case, name).get("word", "-"), 10, FAINT)
            continue
        end = x_of(times)
        yield rectangle(LEFT, y, end - LEFT, BAR - 2, fill, ' rx="2"')
        label = f"{tables.three_digits(times)} ({tables.time(tables.figure(case, name)['median_ms'])})"
        yield text(end + 6, y + 11, label, 10.5, INK, weight="bold" if name == "tern" else "normal")


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        figures = json.load(file)
    found = [case for case in figures["cases"] if case["table"] == "select"]
    step = len(BARS) * BAR + GAP
    bottom = TOP + len(found) * step
    height = bottom + 36
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
             'font-family="system-ui, -apple-system, Segoe UI, Roboto, sans-serif" role="img" '
             'aria-label="Times of Tern and its peers relative to a limit kernel">',
             rectangle(0.5, 0.5, WIDTH - 1, height - 1, PAPER, f' rx="10" stroke="{LINES}"')]
    parts += heading(figures)
    parts += axis(bottom)
    for i, case in enumerate(found):
        parts += group(case, TOP + 4 + i * step)
    print("\n".join(parts + ["</svg>"]))


if __name__ == "__main__":
    main()
