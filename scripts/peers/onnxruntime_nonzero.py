# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's leg for NonZero, see leg.hpp: a model of one node, its output bound to memory of the right size."""
import leg
import nonzero_case
import onnx
import onnxruntime
from onnx import TensorProto, helper

TYPES = {"boolean": TensorProto.BOOL, "f32": TensorProto.FLOAT}
OPSET = 13
IR_VERSION = 8  # a newer one than the runtime knows would be refused


def make_session(case):
    x = helper.make_tensor_value_info("x", TYPES[case.dt], case.x.shape)
    y = helper.make_tensor_value_info("y", TensorProto.INT64, [case.x.ndim, None])
    graph = helper.make_graph([helper.make_node("NonZero", ["x"], ["y"])], "nonzero", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = case.threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def prepare(case):
    session = make_session(case)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, TYPES[case.dt], case.x.shape, case.x.ctypes.data)
    binding.bind_output("y", "cpu", 0, TensorProto.INT64, case.y.shape, case.y.ctypes.data)

    def run():
        session.run_with_iobinding(binding)

    for _ in range(2):  # what comes out must be our memory, and written each time
        case.y[:] = -1
        run()
        if not case.is_right():
            raise leg.Unsupported("the result is not where it was bound to")
    return onnxruntime.__version__, run


nonzero_case.main(prepare)
