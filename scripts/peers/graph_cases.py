# SPDX-License-Identifier: Apache-2.0
"""Whole graphs, and what Tern is to reach there. The option `graph` names one as graphs.py describes."""
import os
import re

from cases import Case, Goal, Leg

MHA = "complex_fusion/mha/"
# Graphs that oneDNN's harness runs with a Select in them, by file.
SELECT_GRAPHS = (
    "op/f32/select.json", "pattern/f32/matmul_select.json", *(f"{MHA}{name}.json" for name in (
        "MHA-GPT-inf-fp32-bs1", "MHA-GPT-inf-int8-bs1", "MHA-distill_bert-inf-fp32-bs1",
        "MHA-distill_bert-inf-int8-bs1", "codegemma-bf16-f32", "gemma2-bf16-f32",
        "gqa-plain-bottom-right-implicit-causal-mask-f16-f32", "gqa-plain-implicit-causal-mask-fp32-bs1",
        "hf-sdpa-bwd-implicit-mask-bf16-f32", "hf-sdpa-fwd-implicit-mask-bf16-f32",
        "sdpa-compressed-kv-implicit-causal-mask-int8-gs128", "sdpa-plain-bottom-right-implicit-causal-mask-f16-f32",
        "sdpa-plain-implicit-causal-mask-fp32-bs1", "torchbench-sdpa-bwd-implicit-mask-bf16-f32",
        "torchbench-sdpa-fwd-implicit-mask-bf16-f32")))
BATCH_56 = "--in-shapes=4:56x12x128x64+5:56x12x64x128+0:56x12x128x64+1:56x1x1x128"
FASTER = (  # name, options, times as fast as oneDNN Graph
    ("matmul_select", "--case=pattern/f32/matmul_select.json", 6),
    ("MHA-distill_bert-inf-fp32-bs1", f"--case={MHA}MHA-distill_bert-inf-fp32-bs1.json", 8),
    ("the same, batch 56", f"{BATCH_56} --case={MHA}MHA-distill_bert-inf-fp32-bs1.json", 8),
    ("MHA-GPT-inf-fp32-bs1", f"--case={MHA}MHA-GPT-inf-fp32-bs1.json", 4),
    ("sdpa-plain-implicit-causal-mask-fp32-bs1", f"--case={MHA}sdpa-plain-implicit-causal-mask-fp32-bs1.json", 5),
    ("gqa-plain-implicit-causal-mask-fp32-bs1", f"--case={MHA}gqa-plain-implicit-causal-mask-fp32-bs1.json", 5),
)
OPS = set("""MatMul SoftMax Reorder ReduceSum
             Add Divide Maximum Minimum Multiply Subtract SquaredDifference GreaterEqual
             Abs Clamp Elu Exp GELU HardSigmoid HardSwish LeakyReLU Log Mish ReLU Reciprocal Round Sigmoid SoftPlus Sqrt
             Square Tanh""".split())
OP_BATCH = "--batch=op/harness_f32_all"
OP_LEAST_MS = 0.05  # what oneDNN does in less is left out
REGION = "--case=pattern/region_select.json"


def pair(options, **more):
    return {"tern": Leg("tern_graph", {"graph": options, **more}, "Tern"),
            "onednn": Leg("onednn_graph", {"graph": options, **more}, "oneDNN Graph")}


def faster_cases():
    for name, options, factor in FASTER:
        legs, goals = pair(options), [Goal("onednn", "tern", at_least=factor, minimum=True)]
        for dt in ("bf16", "f16"):
            legs[f"tern_{dt}"] = Leg("tern_graph", {"graph": f"--dt={dt} {options}"}, f"Tern, {dt}")
            goals.append(Goal(f"tern_{dt}", "tern", at_most=1.5))
        yield Case(name, "graphs", {"graph": options}, legs, goals)


def fusion_cases():
    """What fusing brings: the same ops, one partition each."""
    for dt in ("f32", "bf16"):
        options = f"--dt={dt} --case={MHA}MHA-distill_bert-inf-fp32-bs1.json"
        yield Case(f"MHA-distill_bert in {dt}, op by op", "fusion", {"graph": options}, {
            "fused": Leg("tern_graph", {"graph": options}, "fused"),
            "alone": Leg("tern_graph", {"graph": options, "policy": "debug"}, "op by op"),
        }, [Goal("alone", "fused", at_least=1.5)])


def compile_cases():
    for path in SELECT_GRAPHS:
        name = os.path.splitext(os.path.basename(path))[0]
        yield Case(f"compilation of {name}", "graph_compilation", {"graph": f"--case={path}"},
                   pair(f"--case={path}", op="compile"), [Goal("tern", "onednn", at_most=1)], fresh=True)


def op_cases(graphs):
    seen = set()
    for options, graph in graphs.expand(OP_BATCH):
        kinds = [op["kind"] for op in graph["graph"]]
        if len(kinds) != 1 or kinds[0] not in OPS or options in seen:
            continue
        seen.add(options)
        words = " ".join(re.sub(r"--(case|op-kind)=\S+|--", "", options).split())
        name = os.path.splitext(os.path.basename(re.search(r"--case=(\S+)", options)[1]))[0]
        yield Case(f"{name}: {kinds[0]} {words}".rstrip(), "ops", {"graph": options}, pair(options),
                   [Goal("tern", "onednn", at_most=1.1, minimum=True)], budget_ms=30, least_ms=OP_LEAST_MS)


def region_cases():
    full = "8x16x512x512"
    large = f"--in-shapes=0:{full}+2:{full}+6:{full} {REGION}"
    for name, options, goal in (
            ("region, [8,16,512,512]", large, Goal("limit", "tern", at_least=0.8)),
            ("region, 64K elements", REGION, Goal("tern", "limit", at_most=1.4))):
        legs = {**pair(options), **{f"limit_{way}": Leg("limit_region", {"graph": options, "way": way}, f"limit, {way}")
                                    for way in ("plain", "stream", "prefetch")}}
        if options is REGION:
            legs["limit_one"] = Leg("limit_region", {"graph": options, "threads": 1}, "limit, one thread")
        yield Case(name, "regions", {"graph": options}, legs, [goal])


def all_graph_cases(graphs, has_inputs):
    yield from region_cases()
    if has_inputs:
        yield from faster_cases()
        yield from fusion_cases()
        yield from compile_cases()
        yield from op_cases(graphs)
