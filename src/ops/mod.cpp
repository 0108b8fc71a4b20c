// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/error.hpp"
#include "ops/elementwise.hpp"

/// dst[i] = what is left of src_0[i] after the division by src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst; none: all shapes equal. Rank 0..12,
///         zero sizes allowed.
/// Types:  src_0, src_1 and dst the same: f32, bf16, f16, f64 or an integer of 8 to 64 bits;
///         floating point with fmod only.
/// Values: exact. The result has the sign of src_1; with fmod that of src_0, as C's fmod. An
/// integer
///         modulo 0 is 0. In place: dst may be src_0 or src_1 when shape and layout agree.
/// Errors: invalid_graph_op for a wrong attribute, and for floating point without fmod;
///         invalid_shape at finalize or compile, naming operands and axis; none at run time.
/// Source: ONNX Mod-13.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", numeric}}};
constexpr std::array<ir::attr_def, 2> attrs = {{
        {op_attr::auto_broadcast, false, std::string_view("numpy"), broadcast_rules},
        {op_attr::fmod, false, false, {}},
}};

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc> /*out*/) {
    if (is_floating(in[0].type) && !ir::attr_of<bool>(attrs, op_attr::fmod))
        fail(status::invalid_graph_op, "{}: src_0 has data type {}: attribute fmod must be true",
                ir::to_string(label), tern::name_of(in[0].type));
}

std::int64_t signed_rest(std::int64_t a, std::int64_t b, bool has_sign_of_a) {
    if (b == 0 || b == -1) return 0; // the least number has no quotient by -1
    const std::int64_t rest = a % b;
    const bool is_wrong = rest != 0 && (rest < 0) != (b < 0) && !has_sign_of_a;
    return is_wrong ? rest + b : rest;
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const bool has_sign_of_a = ir::attr_of<bool>(args.attrs, op_attr::fmod);
    const bool is_signed = is_signed_integer(args.in[0].type);
    map_pairs(
            args, begin, end, [](double a, double b) { return std::fmod(a, b); },
            [=](std::uint64_t a, std::uint64_t b) {
                if (!is_signed) return b == 0 ? b : a % b;
                return static_cast<std::uint64_t>(signed_rest(
                        static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), has_sign_of_a));
            });
}

} // namespace

extern const ir::op_def mod;
const ir::op_def mod = {
        .kind = op_kind::Mod,
        .doc = "dst = src_0 modulo src_1",
        .inputs = binary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer_binary,
        .reference = reference,
        .in_place_inputs = either_in_place,
};

} // namespace tern::ops
