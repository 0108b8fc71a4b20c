// SPDX-License-Identifier: Apache-2.0
#include "primitives/primitive.hpp"

#ifdef TERN_HAVE_ONEDNN
#include <cstdint>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "primitives/bound_primitive.hpp"
#endif

namespace tern::primitives {

#ifdef TERN_HAVE_ONEDNN
namespace {

using dnnl::algorithm;

/// An op as oneDNN's algorithm, or why oneDNN's does not compute what the op's definition says.
/// These are rules of the code that 3.7 generates for x86-64; the tests hold those that are taken
/// against the reference loops, special values included.
struct link_rule {
    op_kind kind;
    algorithm with;
    const char *obstacle;
};

constexpr link_rule rules[] = {
        {op_kind::Abs, algorithm::eltwise_abs, nullptr},
        {op_kind::LeakyReLU, algorithm::eltwise_relu, nullptr},
        {op_kind::Pow, algorithm::eltwise_pow, nullptr},
        {op_kind::Reciprocal, algorithm::eltwise_pow, nullptr},
        {op_kind::Round, algorithm::eltwise_round, nullptr},
        {op_kind::Sigmoid, algorithm::eltwise_logistic, nullptr},
        {op_kind::Sqrt, algorithm::eltwise_sqrt, nullptr},
        {op_kind::Square, algorithm::eltwise_square, nullptr},
        {op_kind::Tanh, algorithm::eltwise_tanh, nullptr},
        {op_kind::Add, algorithm::binary_add, nullptr},
        {op_kind::Subtract, algorithm::binary_sub, nullptr},
        {op_kind::Multiply, algorithm::binary_mul, nullptr},
        {op_kind::Divide, algorithm::binary_div, nullptr},
        {op_kind::Clamp, algorithm::undef, "oneDNN turns NaN into a bound"},
        {op_kind::Elu, algorithm::undef, "oneDNN's exp(x) - 1 cancels near 0"},
        {op_kind::Exp, algorithm::undef, "oneDNN turns NaN into infinity"},
        {op_kind::GELU, algorithm::undef, "oneDNN's 1 + erf(x) cancels below 0"},
        {op_kind::HardSigmoid, algorithm::undef, "oneDNN turns NaN into 1"},
        {op_kind::HardSwish, algorithm::undef, "oneDNN's x / 6 + 1 / 2 cancels near -3"},
        {op_kind::Log, algorithm::undef, "oneDNN takes denormals for the smallest normal number"},
        {op_kind::Mish, algorithm::undef, "oneDNN's (1 + exp(x))^2 - 1 cancels below 0"},
        {op_kind::Neg, algorithm::undef, "oneDNN loses the sign of zeros"},
        {op_kind::ReLU, algorithm::undef, "oneDNN turns NaN into 0"},
        {op_kind::SoftPlus, algorithm::undef, "oneDNN's log(1 + exp(x)) cancels below 0"},
        {op_kind::Maximum, algorithm::undef, "oneDNN loses a NaN of the first operand"},
        {op_kind::Minimum, algorithm::undef, "oneDNN loses a NaN of the first operand"},
        {op_kind::Equal, algorithm::undef, "oneDNN's generated code stores no booleans"},
        {op_kind::NotEqual, algorithm::undef, "oneDNN's generated code stores no booleans"},
        {op_kind::Greater, algorithm::undef, "oneDNN's generated code stores no booleans"},
        {op_kind::GreaterEqual, algorithm::undef, "oneDNN's generated code stores no booleans"},
        {op_kind::Less, algorithm::undef, "oneDNN's generated code stores no booleans"},
        {op_kind::LessEqual, algorithm::undef, "oneDNN's generated code stores no booleans"},
};

const link_rule *find_rule(op_kind kind) {
    for (const link_rule &rule : rules)
        if (rule.kind == kind) return &rule;
    return nullptr;
}

} // namespace

std::string link_obstacle(op_kind kind, float alpha) {
    // The ternary post-op came after 3.7, and its rules (a condition of dst's shape made by a
    // comparison, as 0 or 1) leave nothing that a comparison's obstacle does not exclude.
    if (kind == op_kind::Select || kind == op_kind::Where)
        return "oneDNN 3.7 has no post-op for it";
    const link_rule *rule = find_rule(kind);
    if (!rule) return "oneDNN has no such algorithm";
    if (rule->obstacle) return rule->obstacle;
    if (kind == op_kind::LeakyReLU && alpha == 0) return "with alpha 0 oneDNN turns NaN into 0";
    if (kind == op_kind::Pow && alpha == 0.5F)
        return "with beta 0.5 oneDNN takes the root of -infinity for NaN";
    return {};
}

algorithm algorithm_of(const link &next) {
    return find_rule(next.kind)->with;
}

eltwise_parameters parameters_of(const link &next) {
    if (next.kind == op_kind::Pow) return {1.0F, next.alpha};
    if (next.kind == op_kind::Reciprocal) return {1.0F, -1.0F};
    return {next.alpha, 0.0F};
}

void append(dnnl::post_ops &ops, std::vector<argument> &args, const link &next) {
    const eltwise_parameters given = parameters_of(next);
    if (!next.other) {
        ops.append_eltwise(algorithm_of(next), given.alpha, given.beta);
        return;
    }
    const dnnl::memory::desc desc = dnnl_desc(next.other->desc);
    const int key = DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops.len()) | DNNL_ARG_SRC_1;
    ops.append_binary(algorithm_of(next), desc);
    args.push_back({key, desc, next.other->position});
}

std::string links_obstacle(const std::vector<link> &links, std::size_t from) {
    for (const link &next : links) {
        std::string obstacle = link_obstacle(next.kind, next.alpha);
        if (!obstacle.empty()) return obstacle;
        if (!next.other) continue;
        if (next.other->desc.type != data_type::f32)
            return format_text("an operand is {}, not f32", name_of(next.other->desc.type));
        if (!is_dense(next.other->desc.shape, next.other->desc.strides))
            return "an operand is not dense";
    }
    for (std::size_t i = from; i < links.size(); ++i)
        if (links[i].is_swapped && links[i].kind != op_kind::Add
                && links[i].kind != op_kind::Multiply)
            return "a post-op's result so far is its first operand";
    return {};
}

#else

std::string link_obstacle(op_kind, float) {
    return "built without oneDNN";
}

#endif

} // namespace tern::primitives
