# SPDX-License-Identifier: Apache-2.0
"""What is measured: cases, the legs that go round together in each, and what Tern is to reach there.

Options go to the legs as key=value (leg.hpp). `<operand>_values` names a pattern in inputs.py instead of a file.
"""
import dataclasses
import os

FULL = "8x16x512x512"
SCALAR = "1"


@dataclasses.dataclass
class Leg:
    program: str  # a name of programs() in measure.py
    options: dict = dataclasses.field(default_factory=dict)
    title: str = ""


@dataclasses.dataclass
class Goal:
    """The median of `leg`, in us or divided by that of `over`, is to be at least or at most `value`.

    With `minimum` the least times are compared instead. The leg "limit" is the fastest one of limit_...
    """
    leg: str
    over: str = ""
    at_least: float = None
    at_most: float = None
    minimum: bool = False


@dataclasses.dataclass
class Case:
    name: str
    table: str  # the table of tables.py that it is a row of (in "pairs" it has a row for each leg)
    options: dict
    legs: dict
    goals: list = dataclasses.field(default_factory=list)
    note: str = ""
    fresh: bool = False  # each turn is the first run of a new process
    budget_ms: float = None  # a turn, where it is not to be as long as others
    least_ms: float = 0  # left out where oneDNN's leg takes less


def shapes(cond, src_0, src_1, dt="f32"):
    return {"dt": dt, "cond": cond, "src_0": src_0, "src_1": src_1}


def limits(**options):
    return {f"limit_{way}": Leg("limit", {"way": way, **options}) for way in ("plain", "stream", "prefetch")}


def everyone(**options):
    return {
        "tern": Leg("tern", {"op": "select", **options}),
        **limits(),
        "onnxruntime": Leg("onnxruntime", options),
        "torch": Leg("torch", options),
        "onednn": Leg("onednn", {"op": "select", **options}),
    }


def faster_than(**factors):
    return [Goal(peer, "tern", at_least=factor) for peer, factor in factors.items()]


def select_cases():
    full = shapes(FULL, FULL, FULL)
    goals = faster_than(limit=0.95, onnxruntime=4, torch=3.5)
    yield Case("all operands f32", "select", full, everyone(), goals)
    # ONNX Runtime branches on cond: bytes that change at random cost it several times as much as these.
    yield Case("all operands f32, cond in runs", "select", {**full, "cond_values": "runs_50"}, everyone(), goals)
    yield Case("padding mask f32", "select", shapes("8x1x1x512", SCALAR, FULL), everyone(),
               faster_than(limit=0.95, onnxruntime=3.5, torch=1.7))
    yield Case("attention mask f32", "select", shapes("1x1x512x512", FULL, SCALAR), everyone(),
               faster_than(limit=0.95, onnxruntime=3.5, torch=5, onednn=400))
    yield Case("op/f32/select.json", "select", shapes("1x1x1x128", SCALAR, "1x12x128x128"), everyone(),
               faster_than(onednn=600, torch=2.5), "a case of benchdnn's")
    for dt, most in (("bf16", 0.58), ("f16", 0.58), ("u8", 0.36)):
        beside = {"tern_f32": Leg("tern", {"op": "select", "dt": "f32"}, "Tern, the same in f32")}
        yield Case(f"all operands {dt}", "select", {**full, "dt": dt}, {**everyone(), **beside},
                   [Goal("tern", "tern_f32", at_most=most)])


def pair_cases():
    causal = shapes("1x1x2048x2048", "1x16x2048x2048", SCALAR)
    yield Case("causal mask", "pairs", causal, {
        "tern": Leg("tern", {"op": "select", "cond_values": "causal"}, "Tern, lower triangle true"),
        "random": Leg("tern", {"op": "select"}, "Tern, as many true at random"),
    }, [Goal("random", "tern", at_least=1.2)])

    yield Case("runs by length", "pairs", shapes("1x1x2048x2048", "1x16x2048x2048", SCALAR), {
        "random": Leg("tern", {"op": "select"}, "Tern, half true at random"),
        **{f"runs_{n}": Leg("tern", {"op": "select", "cond_values": f"alternate_{n}"}, f"Tern, runs of {n}")
           for n in (64, 512, 1024, 2048, 16384)},
    }, note="true and false in turn; with half of src_0 left out, 3/4 of the bytes are left")

    yield Case("in place", "pairs", {**shapes(FULL, FULL, SCALAR), "cond_values": "runs_99"}, {
        "tern": Leg("tern", {"op": "select", "in_place": "src_0"}, "Tern, dst is src_0"),
        "out_of_place": Leg("tern", {"op": "select"}, "Tern, dst is elsewhere"),
    }, [Goal("out_of_place", "tern", at_least=5)], "99 % of cond are true, in runs of 64")

    yield Case("transposed", "pairs", {**shapes("1x4096", "4096x4096", SCALAR), "src_0_strides": "1x4096"}, {
        "tern": Leg("tern", {"op": "select"}, "Tern, Select"),
        "reorder": Leg("onednn", {"op": "reorder", "cond_values": "true"}, "oneDNN, reorder of src_0 alone"),
    }, [Goal("reorder", "tern", at_least=1)], "src_0 has the strides [1, 4096]")

    yield Case("one small call", "pairs", {**shapes("2x2", "2x2", "2x2"), "calls": 1000}, {
        "tern": Leg("tern", {"op": "select"}, "Tern, with pointers"),
        "binary_select": Leg("onednn", {"op": "binary_select"}, "oneDNN, the primitive binary_select"),
        "onednn": Leg("onednn", {"op": "select"}, "oneDNN Graph"),
        "torch": Leg("torch", {}, "PyTorch, from Python"),
        "onnxruntime": Leg("onnxruntime", {}, "ONNX Runtime, from Python"),
    }, [Goal("tern", at_most=0.15), Goal("binary_select", "tern", at_least=8)])

    yield Case("compilation", "pairs", {**shapes("1x1x1x128", SCALAR, "1x12x128x128"), "op": "compile"}, {
        "tern": Leg("tern", {"cache": "off"}, "Tern"),
        "tern_cached": Leg("tern", {"cache": "on", "calls": 100}, "Tern, from the cache"),
        "onednn": Leg("onednn", {"cache": "off"}, "oneDNN Graph"),
        "onednn_cached": Leg("onednn", {"cache": "on", "calls": 100}, "oneDNN Graph, from the cache"),
    }, [Goal("tern", at_most=60), Goal("tern_cached", at_most=3)], "of op/f32/select.json")


def start_cases():
    """How far apart two starts of the same program are: no figure that is a ratio of two legs means more than that."""
    for name, operands in (("all operands", shapes(FULL, FULL, FULL)), ("padding mask", shapes("8x1x1x512", SCALAR, FULL)),
                           ("attention mask", shapes("1x1x512x512", FULL, SCALAR))):
        yield Case(f"{name}, started again", "pairs", operands, {
            f"{program}_start_{start}": Leg(program, options, f"{title}, start {start}")
            for program, options, title in (("limit", {"way": "prefetch"}, "limit kernel"),
                                            ("tern", {"op": "select"}, "Tern"))
            for start in (1, 2, 3, 4)
        })


def shape_cases():
    """What must not depend much on the values of cond, or on how an operand is expanded."""
    legs = {share: Leg("tern", {"op": "select", "cond_values": f"random_{share}"}, f"Tern, {share} % true")
            for share in (50, 2, 10, 30, 80, 100)}
    yield Case("density of cond", "pairs", {**shapes("1048576", "1048576", "1048576"), "calls": 10},
               {f"share_{share}": leg for share, leg in legs.items()},
               [Goal(f"share_{share}", "share_50", at_most=1.2) for share in legs if share != 50], "true at random")

    yield Case("rows of three", "pairs", {**shapes("100000x1", "100000x3", "3"), "calls": 10}, {
        "rows": Leg("tern", {"op": "select"}, "Tern, 100000 rows of 3 elements"),
        "dense": Leg("tern", {"op": "select", **shapes("300000", "300000", "300000")}, "Tern, 300000 elements"),
    }, [Goal("rows", "dense", at_most=2)])

    full = "2x16x32x33"
    conds = (full, "1", "1x1x32x33", "2x1x1x33", "2x1x32x1", "1x16x1x1")
    yield Case("expanded cond", "pairs", {**shapes(full, full, full), "calls": 10},
               {cond: Leg("tern", {"op": "select", "cond": cond}, f"Tern, cond {cond}") for cond in conds},
               [Goal(cond, full, at_most=2) for cond in conds[1:]])

    for n in (64, 256, 1024):
        shape = f"{n}x{n}"
        yield Case(f"square of {n}", "pairs", {**shapes(shape, shape, shape), "calls": 1 if n > 256 else 100}, {
            "tern": Leg("tern", {"op": "select"}, "Tern"),
            "numpy": Leg("numpy", {}, "NumPy, where"),
        }, [Goal("numpy", "tern", at_least=1)])


def host_case():
    """A host with threads of its own: those of the two must not stand in each other's way."""
    n = "1048576"
    return Case("beside OpenMP", "pairs", {**shapes(n, n, n), "calls": 20}, {
        order: Leg("tern", {"op": "select", "openmp": order}, f"Tern and a loop under OpenMP, {order}")
        for order in ("separate", "alternating")
    }, [Goal("alternating", "separate", at_most=1.15)])


def thread_case(l2_bytes):
    """Each of two cores finds its share of all operands in half of its own second-level cache."""
    columns = 128
    rows = l2_bytes // (3 * 4 + 1) // columns
    shape = f"{rows}x{columns}"
    legs = {}
    for program, title in (("tern", "Tern"), ("limit", "limit kernel")):
        for threads in (2, 1):
            options = {"op": "select"} if program == "tern" else {"way": "plain"}
            words = f"{title}, {threads} thread" + ("s" if threads > 1 else "")
            legs[f"{program}_{threads}"] = Leg(program, {**options, "threads": threads}, words)
    return Case("threads", "pairs", shapes(shape, shape, shape), legs, [Goal("tern_1", "tern_2", at_least=1.6)],
                "all operands together are as large as one core's L2")


def nonzero_everyone(**options):
    return {
        "tern": Leg("tern_nonzero", options),
        **{f"limit_{way}": Leg("limit_nonzero", {"way": way}) for way in ("plain", "stream")},
        "onnxruntime": Leg("onnxruntime_nonzero", options),
        "torch": Leg("torch_nonzero", options),
    }


def nonzero_cases():
    def goals(onnxruntime, torch):
        return [*faster_than(onnxruntime=onnxruntime, torch=torch), Goal("tern", "limit", at_most=1.5)]

    mask, activations = "4096x4096", "64x512x512"
    for share, onnxruntime, torch in ((50, 20, 8), (1, 12, 8)):
        yield Case(f"NonZero of a mask, {share} %", "nonzero", {"dt": "boolean", "x": mask, "share": share},
                   nonzero_everyone(), goals(onnxruntime, torch))
    yield Case("NonZero f32, 50 %", "nonzero", {"dt": "f32", "x": activations, "share": 50}, nonzero_everyone(),
               faster_than(onnxruntime=18, torch=12))
    yield Case("NonZero f32, 1 %", "nonzero", {"dt": "f32", "x": activations, "share": 1}, nonzero_everyone())
    for share in (50, 1):
        yield Case(f"NonZero by rank, {share} %", "nonzero_ranks", {"dt": "boolean", "share": share}, {
            f"rank_{rank}": Leg("tern_nonzero", {"x": shape}) for rank, shape in
            ((1, "16777216"), (2, mask), (3, "256x256x256"), (4, "64x64x64x64"), (5, "16x16x32x32x64"),
             (6, "16x16x16x16x16x16"))
        }, [Goal(f"rank_{rank}", "rank_1", at_most=1.5 * (1 + share / 100 * 8 * rank) / (1 + share / 100 * 8))
            for rank in range(2, 7)], "at most 1.5 times as long for each byte moved")
    yield Case("NonZero, small", "nonzero", {"dt": "f32", "x": "16x3x512", "share": 50}, nonzero_everyone())
    if os.cpu_count() > 1:
        yield Case("NonZero, threads", "nonzero_ranks", {"dt": "boolean", "x": "512x512", "share": 50}, {
            f"tern_{threads}": Leg("tern_nonzero", {"threads": threads, "calls": 10}) for threads in (2, 1)
        }, [Goal("tern_1", "tern_2", at_least=1.6)])


def implementation_cases():
    """Where oneDNN's primitive can serve in Tern: dense f32, cond and src_0 of dst's shape."""
    for shape in ("2x2", "16x64", "64x1024", "1024x1024", FULL):
        for src_1 in (shape, SCALAR):
            calls = {"calls": 100} if len(shape) < 6 else {}
            legs = {name: Leg("tern", {"op": "select", "implementation": name}) for name in ("loops", "onednn")}
            yield Case(f"implementations {shape} {src_1}", "implementations",
                       {**shapes(shape, shape, src_1), **calls}, legs)


def all_cases(l2_bytes):
    yield from select_cases()
    yield from pair_cases()
    yield from start_cases()
    yield from shape_cases()
    if os.cpu_count() > 1:
        yield thread_case(l2_bytes)
        yield host_case()
    yield from nonzero_cases()
    yield from implementation_cases()
