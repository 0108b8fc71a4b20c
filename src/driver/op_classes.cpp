// SPDX-License-Identifier: Apache-2.0
#include "driver/op_classes.hpp"

#include <algorithm>
#include <string_view>

#include "ir/op_def.hpp"

namespace tern::driver {
namespace {

struct class_row {
    op_class its_class;
    std::vector<std::string_view> names;
};

/// By name, so that kinds which the library only names, or does not know yet, can stand here.
const std::vector<class_row> &class_table() {
    static const std::vector<class_row> table = {
            {op_class::moves, {"Select", "Where", "Reorder", "StaticReshape", "StaticTranspose",
                                      "Concat", "End"}},
            {op_class::decides, {"GreaterEqual", "Greater", "LessEqual", "Less", "Equal",
                                        "NotEqual", "And", "Or", "Not", "Xor", "GenIndex"}},
            {op_class::converts,
                    {"TypeCast", "Quantize", "Dequantize", "DynamicQuantize", "DynamicDequantize"}},
            {op_class::picks, {"Maximum", "Minimum", "Abs", "Neg", "ReLU", "Clamp", "Round",
                                      "ReduceMax", "ReduceMin"}},
            {op_class::arithmetic, {"Add", "Subtract", "Multiply", "Divide", "SquaredDifference",
                                           "BiasAdd", "Square", "Sqrt", "Reciprocal", "LeakyReLU",
                                           "HardSigmoid", "HardSwish"}},
            {op_class::curved,
                    {"Exp", "Log", "Pow", "Tanh", "Sigmoid", "GELU", "Mish", "Elu", "SoftPlus"}},
            {op_class::softmax, {"SoftMax", "LogSoftmax", "SoftMaxBackward", "LogSoftmaxBackward"}},
            {op_class::sums,
                    {"MatMul", "ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2"}},
    };
    return table;
}

} // namespace

op_class class_of(op_kind kind) {
    const std::string_view name = ir::name_of(kind);
    for (const class_row &row : class_table())
        if (std::find(row.names.begin(), row.names.end(), name) != row.names.end())
            return row.its_class;
    return op_class::other;
}

bool takes_any_bits(const std::vector<ir::op_spec> &ops) {
    return std::all_of(ops.begin(), ops.end(), [](const ir::op_spec &op) {
        op_class its_class = class_of(op.kind);
        return its_class == op_class::moves || its_class == op_class::decides;
    });
}

} // namespace tern::driver
