// SPDX-License-Identifier: Apache-2.0
#include "driver/op_classes.hpp"

#include <algorithm>
#include <limits>
#include <variant>

namespace tern::driver {

op_class class_of(op_kind kind) {
    using k = op_kind;
    switch (kind) {
        case k::Select:
        case k::Where:
        case k::Reorder:
        case k::StaticReshape:
        case k::StaticTranspose:
        case k::Concat:
        case k::Identity:
        case k::OptionalGetElement:
        case k::Slice:
        case k::Gather:
        case k::Expand:
        case k::End: return op_class::moves;
        case k::GreaterEqual:
        case k::Greater:
        case k::LessEqual:
        case k::Less:
        case k::Equal:
        case k::NotEqual:
        case k::And:
        case k::Or:
        case k::Not:
        case k::Xor:
        case k::NonZero:
        case k::OptionalHasElement:
        case k::IsNaN:
        case k::IsInf:
        case k::GenIndex: return op_class::decides;
        case k::TypeCast:
        case k::Quantize:
        case k::Dequantize:
        case k::DynamicQuantize:
        case k::DynamicDequantize: return op_class::converts;
        case k::Maximum:
        case k::Minimum:
        case k::Abs:
        case k::Neg:
        case k::ReLU:
        case k::Clamp:
        case k::Round:
        case k::Floor:
        case k::Ceil:
        case k::Sign:
        case k::Mod:
        case k::ReduceMax:
        case k::ReduceMin: return op_class::picks;
        case k::Add:
        case k::Subtract:
        case k::Multiply:
        case k::Divide:
        case k::SquaredDifference:
        case k::BiasAdd:
        case k::Square:
        case k::Sqrt:
        case k::Reciprocal:
        case k::LeakyReLU:
        case k::HardSigmoid: return op_class::arithmetic;
        case k::Exp:
        case k::Log:
        case k::Pow:
        case k::Tanh:
        case k::Erf:
        case k::Sigmoid:
        case k::GELU:
        case k::Mish:
        case k::Elu:
        case k::HardSwish: // three roundings
        case k::SoftPlus: return op_class::curved;
        case k::SoftMax:
        case k::LogSoftmax:
        case k::SoftMaxBackward:
        case k::LogSoftmaxBackward: return op_class::softmax;
        case k::MatMul:
        case k::ReduceSum:
        case k::ReduceMean:
        case k::ReduceProd:
        case k::ReduceL1:
        case k::ReduceL2: return op_class::sums;
        default: return op_class::other;
    }
}

bool takes_any_bits(const std::vector<ir::op_spec> &ops) {
    return std::all_of(ops.begin(), ops.end(), [](const ir::op_spec &op) {
        op_class its_class = class_of(op.kind);
        return its_class == op_class::moves || its_class == op_class::decides;
    });
}

bool gives_one_value(const ir::op_spec &op) {
    const auto number = [&op](op_attr name) {
        return ir::attr_or(op.attrs, name, std::numeric_limits<float>::quiet_NaN());
    };
    if (op.kind == op_kind::Clamp) return number(op_attr::min) >= number(op_attr::max);
    return op.kind == op_kind::HardSigmoid && number(op_attr::alpha) == 0;
}

} // namespace tern::driver
