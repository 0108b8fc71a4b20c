# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's leg, see leg.hpp: a model of one Where, its operands bound beforehand, so that nothing is copied."""
import leg
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

TYPES = {"f32": TensorProto.FLOAT, "bf16": TensorProto.BFLOAT16, "f16": TensorProto.FLOAT16, "u8": TensorProto.UINT8}
OPSET = 16
IR_VERSION = 8  # of that opset; a newer one than the runtime knows would be refused


def make_session(case):
    operands = [("cond", TensorProto.BOOL, case.cond.shape)]
    operands += [(name, TYPES[case.dt], getattr(case, name).shape) for name in ("src_0", "src_1", "dst")]
    ports = [helper.make_tensor_value_info(*operand) for operand in operands]
    node = helper.make_node("Where", ["cond", "src_0", "src_1"], ["dst"])
    model = helper.make_model(helper.make_graph([node], "select", ports[:3], ports[3:]),
                              opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = case.threads
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # It names the class, not the module that it comes from.
        if type(error).__name__ == "NotImplemented":
            raise leg.Unsupported(case.dt) from error
        raise


def bind(session, case):
    binding = session.io_binding()
    types = {"cond": TensorProto.BOOL}
    for name in ("cond", "src_0", "src_1", "dst"):
        array = getattr(case, name)
        port = binding.bind_output if name == "dst" else binding.bind_input
        port(name, "cpu", 0, types.get(name, TYPES[case.dt]), array.shape, array.ctypes.data)
    return binding


def prepare(case):
    session = make_session(case)
    binding = bind(session, case)

    def run():
        session.run_with_iobinding(binding)

    # Twice: what comes out must be our memory, and written each time.
    for _ in range(2):
        case.dst.reshape(-1).view(numpy.uint8)[:] = 0xA5
        run()
        if not case.is_right():
            raise RuntimeError("the result is not where it was bound to")
    return onnxruntime.__version__, run


leg.main(prepare)
