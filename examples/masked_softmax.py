# SPDX-License-Identifier: Apache-2.0
"""Writes masked_softmax.onnx, the model of onnx_model.cpp; needs the package onnx: masked_softmax.py FILE"""
import sys

from onnx import TensorProto, checker, helper, save

scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["queries", "keys"])
mask = helper.make_tensor_value_info("mask", TensorProto.BOOL, [1, "keys"])
weights = helper.make_tensor_value_info("weights", TensorProto.FLOAT, ["queries", "keys"])
fill = helper.make_tensor("fill", TensorProto.FLOAT, [], [float("-inf")])
nodes = [
    helper.make_node("Where", ["mask", "scores", "fill"], ["masked"], "mask"),
    helper.make_node("Softmax", ["masked"], ["weights"], "softmax", axis=-1),
]
graph = helper.make_graph(nodes, "masked_softmax", [scores, mask], [weights], [fill])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
checker.check_model(model)
save(model, sys.argv[1])
