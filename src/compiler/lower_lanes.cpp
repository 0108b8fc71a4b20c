// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower_lanes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "base/element.hpp"
#include "base/mutation.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"

namespace tern::compiler {
namespace {

using kernels::lane_instruction;
using kernels::lane_kind;
using kernels::lane_op;

/// Ops that are one instruction.
struct simple_op {
    op_kind kind;
    lane_op op;
    enum class types { real, floating, comparison, logic } over;
};

constexpr simple_op simple_ops[] = {
        {op_kind::Add, lane_op::add, simple_op::types::real},
        {op_kind::Subtract, lane_op::subtract, simple_op::types::real},
        {op_kind::Multiply, lane_op::multiply, simple_op::types::real},
        {op_kind::Maximum, lane_op::maximum, simple_op::types::real},
        {op_kind::Minimum, lane_op::minimum, simple_op::types::real},
        {op_kind::Neg, lane_op::negate, simple_op::types::real},
        {op_kind::Abs, lane_op::abs, simple_op::types::real},
        {op_kind::Square, lane_op::square, simple_op::types::real},
        {op_kind::Divide, lane_op::divide, simple_op::types::floating},
        {op_kind::SquaredDifference, lane_op::squared_difference, simple_op::types::floating},
        {op_kind::Ceil, lane_op::ceil, simple_op::types::floating},
        {op_kind::Erf, lane_op::erf, simple_op::types::floating},
        {op_kind::Exp, lane_op::exp, simple_op::types::floating},
        {op_kind::Floor, lane_op::floor, simple_op::types::floating},
        {op_kind::HardSwish, lane_op::hard_swish, simple_op::types::floating},
        {op_kind::Log, lane_op::log, simple_op::types::floating},
        {op_kind::Mish, lane_op::mish, simple_op::types::floating},
        {op_kind::Reciprocal, lane_op::reciprocal, simple_op::types::floating},
        {op_kind::ReLU, lane_op::relu, simple_op::types::floating},
        {op_kind::Round, lane_op::round, simple_op::types::floating},
        {op_kind::Sigmoid, lane_op::sigmoid, simple_op::types::floating},
        {op_kind::Sign, lane_op::sign, simple_op::types::floating},
        {op_kind::Sqrt, lane_op::sqrt, simple_op::types::floating},
        {op_kind::Tanh, lane_op::tanh, simple_op::types::floating},
        {op_kind::Clamp, lane_op::clamp, simple_op::types::floating},
        {op_kind::Elu, lane_op::elu, simple_op::types::floating},
        {op_kind::HardSigmoid, lane_op::hard_sigmoid, simple_op::types::floating},
        {op_kind::LeakyReLU, lane_op::leaky_relu, simple_op::types::floating},
        {op_kind::SoftPlus, lane_op::soft_plus, simple_op::types::floating},
        {op_kind::Pow, lane_op::power_x, simple_op::types::floating},
        {op_kind::GELU, lane_op::gelu_erf, simple_op::types::floating},
        {op_kind::Equal, lane_op::equal, simple_op::types::comparison},
        {op_kind::NotEqual, lane_op::not_equal, simple_op::types::comparison},
        {op_kind::Greater, lane_op::greater, simple_op::types::comparison},
        {op_kind::GreaterEqual, lane_op::greater_equal, simple_op::types::comparison},
        {op_kind::Less, lane_op::less, simple_op::types::comparison},
        {op_kind::LessEqual, lane_op::less_equal, simple_op::types::comparison},
        {op_kind::And, lane_op::logical_and, simple_op::types::logic},
        {op_kind::Or, lane_op::logical_or, simple_op::types::logic},
        {op_kind::Xor, lane_op::logical_xor, simple_op::types::logic},
        {op_kind::Not, lane_op::logical_not, simple_op::types::logic},
};

const simple_op *find_simple(op_kind kind) {
    for (const simple_op &op : simple_ops)
        if (op.kind == kind) return &op;
    return nullptr;
}

std::optional<lane_kind> compute_kind(data_type type) {
    lane_kind kind{};
    return kernels::find_lane_kind(type, kind) ? std::optional(kind) : std::nullopt;
}

/// Empty: a register holds every bit of an element of the type, so that what is only copied can go
/// through it.
std::string copy_obstacle(data_type type) {
    if (!compute_kind(type))
        return format_text("data type {} is not computed in lanes", name_of(type));
    // Registers hold the value: of a NaN that it is one, of true that it is 1.
    if (type == data_type::f8_e5m2 || type == data_type::f8_e4m3 || type == data_type::boolean)
        return format_text("a copy of {} keeps bits that a lane does not hold", name_of(type));
    return {};
}

float number_of(const ir::op &op, op_attr attr) {
    const ir::attr_value *value = ir::find(op.attrs, attr);
    return value ? std::get<float>(*value) : 0.0F;
}

bool is_integer_kind(lane_kind kind) {
    return kind == lane_kind::s32 || kind == lane_kind::s64;
}

/// The kind that a simple op computes in.
std::string find_kind(
        const region &r, const region_op &o, const simple_op &simple, lane_kind &kind) {
    std::vector<int> values = o.in;
    if (simple.over == simple_op::types::real || simple.over == simple_op::types::floating)
        values.push_back(o.out[0]);
    bool any_float = false;
    bool all_same = true;
    for (int v : values) {
        std::optional<lane_kind> its = compute_kind(r.desc(v).type);
        if (!its)
            return format_text("data type {} is not computed in lanes", name_of(r.desc(v).type));
        any_float = any_float || *its == lane_kind::f32;
        all_same = all_same && r.desc(v).type == r.desc(values[0]).type;
    }
    if (any_float) {
        kind = lane_kind::f32;
        // What is stored as an integer has rounding rules of its own.
        if (simple.over != simple_op::types::comparison
                && compute_kind(r.desc(o.out[0]).type) != lane_kind::f32)
            return "a floating-point result is stored as an integer";
        for (int v : values)
            if (compute_kind(r.desc(v).type) != lane_kind::f32 && !all_same)
                if (bits_of(r.desc(v).type) > 16)
                    return "a large integer would be rounded to f32 first";
        return {};
    }
    if (!all_same) return "integers of different types";
    kind = *compute_kind(r.desc(values[0]).type);
    if (simple.over == simple_op::types::floating) return "integers";
    const bool is_order = simple.over == simple_op::types::comparison
                          || simple.op == lane_op::maximum || simple.op == lane_op::minimum
                          || simple.op == lane_op::abs;
    // The order of u64 is not that of the s64 that holds its bits; truth values have none.
    if (is_order && (r.desc(values[0]).type == data_type::u64 || kind == lane_kind::mask))
        return format_text("order of {}", name_of(r.desc(values[0]).type));
    return {};
}

std::string type_cast_obstacle(data_type from, data_type to) {
    if (from == to) return copy_obstacle(to);
    std::optional<lane_kind> from_kind = compute_kind(from);
    std::optional<lane_kind> to_kind = compute_kind(to);
    if (!from_kind || !to_kind)
        return format_text("no conversion from {} to {} in lanes", name_of(from), name_of(to));
    // Through f32 these would be rounded twice.
    if (is_integer_kind(*from_kind) && *to_kind == lane_kind::f32 && to != data_type::f32
            && bits_of(from) > 16)
        return format_text("{} to {} would be rounded twice", name_of(from), name_of(to));
    if (from == data_type::u64 && *to_kind == lane_kind::f32) return "data type u64";
    bool saturates = *from_kind == lane_kind::f32 && is_integer_kind(*to_kind);
    if (saturates && to != data_type::s32 && to != data_type::s64)
        return "saturates to a small type";
    return {};
}

class lane_builder {
public:
    lane_builder(const region &r, const group &g, const dims &shape)
        : r_(r),
          g_(g),
          shape_(shape) {}

    lane_build build() {
        if (g_.matmul >= 0) {
            const int sums = r_.op(g_.matmul).out[0];
            add_input({.is_tile = true}, data_type::f32, lane_kind::f32);
            computed_[sums] = {lane_kind::f32, 0};
            const bool has_bias = r_.op(g_.matmul).in.size() > 2;
            if (has_bias && !is_mutated(mutation::bias_missing)) add_bias_to(sums);
        }
        for (int op : g_.ops)
            if (op != g_.matmul) emit(r_.op(op));
        for (int v : g_.out)
            add_output(v);
        return std::move(result_);
    }

private:
    struct held {
        lane_kind kind;
        int reg;
    };

    int fresh() { return next_++; }

    /// Registers of inputs come first, so inputs found late are given their number at the end.
    int add_input(lane_operand operand, data_type type, lane_kind kind) {
        int reg = fresh();
        result_.inputs.push_back(std::move(operand));
        result_.program.inputs.push_back({type, kind, result_.inputs.back().is_index});
        input_regs_.push_back(reg);
        return reg;
    }

    int add_value_input(int v, lane_kind kind) {
        const tensor_desc &desc = r_.desc(v);
        dims strides = broadcast_strides(desc.shape, desc.strides, shape_);
        if (is_mutated(mutation::broadcast_values_frozen) && !(desc.shape == shape_))
            strides = dims(shape_.rank(), 0);
        if (is_mutated(mutation::mask_of_first_batch) && kind == lane_kind::mask
                && !strides.empty())
            strides[0] = 0;
        return add_input({.value = v, .strides = strides}, desc.type, kind);
    }

    int emit(lane_op op, lane_kind kind, int a, int b = 0, int c = 0, float x = 0, float y = 0,
            data_type type = data_type::undef) {
        int dst = fresh();
        result_.program.instructions.push_back({op, kind, dst, a, b, c, x, y, type});
        return dst;
    }

    bool is_inside(int v) const {
        int producer = r_.value(v).producer;
        return producer >= 0 && std::find(g_.ops.begin(), g_.ops.end(), producer) != g_.ops.end();
    }

    /// The register that has a value as `kind`, with the precision of its type.
    int get(int v, lane_kind kind) {
        auto [at, is_new] = exact_.try_emplace({v, kind}, -1);
        if (!is_new) return at->second;
        int reg = is_inside(v) ? convert_inside(v, kind) : load(v, kind);
        exact_[{v, kind}] = reg;
        return reg;
    }

    /// For what only copies: rounding what it gives is as good as rounding what it is given.
    int get_unrounded(int v, lane_kind kind) {
        return is_inside(v) && computed_.at(v).kind == kind ? computed_.at(v).reg : get(v, kind);
    }

    int load(int v, lane_kind kind) {
        const data_type type = r_.desc(v).type;
        if (compute_kind(type) == kind) return add_value_input(v, kind);
        // f32 is asked for, an integer is there.
        return emit(lane_op::convert, kind, get(v, *compute_kind(type)));
    }

    int convert_inside(int v, lane_kind kind) {
        const data_type type = r_.desc(v).type;
        const held &known = computed_.at(v);
        const bool fits = type_fills(type, kind) || is_mutated(mutation::intermediate_not_rounded);
        if (known.kind == kind && fits) return known.reg;
        if (known.kind == kind)
            return emit(kind == lane_kind::f32 ? lane_op::round_to : lane_op::wrap_to, kind,
                    known.reg, 0, 0, 0, 0, type);
        return emit(lane_op::convert, kind, get(v, known.kind));
    }

    /// Every value of the register kind is one of the type.
    static bool type_fills(data_type type, lane_kind kind) {
        switch (kind) {
            case lane_kind::f32: return type == data_type::f32;
            case lane_kind::s32: return type == data_type::s32;
            default: return true;
        }
    }

    void set(int v, lane_kind kind, int reg) { computed_[v] = {kind, reg}; }

    void emit(const region_op &o) {
        if (const simple_op *simple = find_simple(o.kind())) return emit_simple(o, *simple);
        switch (o.kind()) {
            case op_kind::Select:
            case op_kind::Where: return emit_select(o);
            case op_kind::GenIndex: return emit_index(o);
            case op_kind::TypeCast: return emit_cast(o);
            case op_kind::Quantize: return emit_quantize(o);
            default: return emit_dequantize(o);
        }
    }

    void emit_select(const region_op &o) {
        const int dst = o.out[0];
        const lane_kind kind = *compute_kind(r_.desc(dst).type);
        int cond = get(o.in[0], lane_kind::mask);
        int src_0 = get_unrounded(o.in[1], kind);
        int src_1 = get_unrounded(o.in[2], kind);
        const bool is_float = kind == lane_kind::f32;
        if (is_mutated(mutation::fill_taken_as_zero) && is_float && has_one_element(o.in[2]))
            src_1 = constant_input(o, {0.0F});
        if (is_mutated(mutation::condition_inverted)) std::swap(src_0, src_1);
        if (is_mutated(mutation::nan_leak))
            return set(dst, kind, emit_blend(kind, cond, src_0, src_1));
        int reg = emit(lane_op::select, kind, cond, src_0, src_1);
        if (is_mutated(mutation::negative_zero_lost) && is_float)
            reg = emit(lane_op::add, kind, reg, constant_input(o, {0.0F}));
        set(dst, kind, reg);
    }

    bool has_one_element(int v) const { return element_count(r_.desc(v).shape) == 1; }

    /// What a select is not: cond * a + (1 - cond) * b.
    int emit_blend(lane_kind kind, int cond, int a, int b) {
        const int is_b = emit(lane_op::logical_not, lane_kind::mask, cond);
        const int of_a =
                emit(lane_op::convert, kind, emit(lane_op::logical_not, lane_kind::mask, is_b));
        const int of_b = emit(lane_op::convert, kind, is_b);
        return emit(lane_op::add, kind, emit(lane_op::multiply, kind, a, of_a),
                emit(lane_op::multiply, kind, b, of_b));
    }

    void emit_simple(const region_op &o, const simple_op &simple) {
        lane_kind kind{};
        find_kind(r_, o, simple, kind);
        int a = get(o.in[0], kind);
        int b = o.in.size() > 1 ? get(o.in[1], kind) : 0;
        float x = 0;
        float y = 0;
        lane_op op = simple.op;
        if (is_mutated(mutation::diagonal_off_by_one) && op == lane_op::greater_equal)
            op = lane_op::greater;
        if (is_mutated(mutation::operands_swapped)
                && (op == lane_op::subtract || op == lane_op::divide))
            std::swap(a, b);
        if (is_mutated(mutation::scale_missing)
                && (op == lane_op::multiply || op == lane_op::divide) && has_one_element(o.in[1]))
            return set(o.out[0], kind, a);
        switch (o.kind()) {
            case op_kind::Clamp:
                x = number_of(*o.op, op_attr::min);
                y = number_of(*o.op, op_attr::max);
                break;
            case op_kind::Elu:
            case op_kind::LeakyReLU:
                x = is_mutated(mutation::slope_ignored) ? 0 : number_of(*o.op, op_attr::alpha);
                break;
            case op_kind::HardSigmoid:
                x = number_of(*o.op, op_attr::alpha);
                y = number_of(*o.op, op_attr::beta);
                break;
            case op_kind::SoftPlus: x = number_of(*o.op, op_attr::beta); break;
            case op_kind::Pow:
                if (o.in.size() > 1) op = lane_op::power;
                x = number_of(*o.op, op_attr::beta);
                break;
            case op_kind::GELU:
                if (std::get<std::string>(*ir::find(o.op->attrs, op_attr::mode)) == "gelu_tanh")
                    op = lane_op::gelu_tanh;
                break;
            default: break;
        }
        int reg = emit(op, kind, a, b, 0, x, y);
        bool is_mask = simple.over == simple_op::types::comparison;
        set(o.out[0], is_mask ? lane_kind::mask : kind, reg);
    }

    void emit_index(const region_op &o) {
        std::int64_t axis = std::get<std::int64_t>(*ir::find(o.op->attrs, op_attr::axis));
        if (axis < 0) axis += shape_.rank();
        if (is_mutated(mutation::index_of_wrong_axis)) axis = shape_.rank() - 1 - axis;
        dims strides(shape_.rank(), 0);
        strides[static_cast<int>(axis)] = 1;
        int reg = add_input({.is_index = true, .strides = strides}, data_type::s32, lane_kind::s32);
        if (r_.desc(o.out[0]).type == data_type::s64)
            return set(o.out[0], lane_kind::s64, emit(lane_op::convert, lane_kind::s64, reg));
        set(o.out[0], lane_kind::s32, reg);
    }

    void emit_cast(const region_op &o) {
        const data_type from = r_.desc(o.in[0]).type;
        const data_type to = r_.desc(o.out[0]).type;
        if (from == to) return set(o.out[0], *compute_kind(to), get(o.in[0], *compute_kind(to)));
        lane_kind from_kind = *compute_kind(from);
        lane_kind to_kind = *compute_kind(to);
        int reg = get(o.in[0], from_kind);
        if (is_mutated(mutation::cast_rounds) && from_kind == lane_kind::f32)
            reg = emit(lane_op::round, lane_kind::f32, reg);
        if (from_kind != to_kind) reg = emit(lane_op::convert, to_kind, reg);
        set(o.out[0], to_kind, reg);
    }

    /// A number per tensor or per index of an axis.
    int constant_input(const region_op &o, std::vector<float> numbers) {
        dims strides(shape_.rank(), 0);
        if (numbers.size() > 1 && !is_mutated(mutation::channel_scale_shared)) {
            std::int64_t axis = std::get<std::int64_t>(*ir::find(o.op->attrs, op_attr::axis));
            strides[static_cast<int>(axis < 0 ? axis + shape_.rank() : axis)] = 1;
        }
        return add_input(
                {.constant = std::make_shared<const std::vector<float>>(std::move(numbers)),
                        .strides = strides},
                data_type::f32, lane_kind::f32);
    }

    int scales_of(const region_op &o) {
        return constant_input(
                o, std::get<std::vector<float>>(*ir::find(o.op->attrs, op_attr::scales)));
    }

    /// Zero points that are not all zero.
    std::optional<int> zero_points_of(const region_op &o) {
        const ir::attr_value *attr = ir::find(o.op->attrs, op_attr::zps);
        if (!attr || is_mutated(mutation::zero_point_missing)) return std::nullopt;
        std::vector<float> numbers;
        for (std::int64_t zp : std::get<std::vector<std::int64_t>>(*attr))
            numbers.push_back(static_cast<float>(zp));
        if (std::all_of(numbers.begin(), numbers.end(), [](float zp) { return zp == 0; }))
            return std::nullopt;
        return constant_input(o, std::move(numbers));
    }

    void emit_quantize(const region_op &o) {
        const data_type type = r_.desc(o.out[0]).type;
        int reg = emit(lane_op::divide, lane_kind::f32, get(o.in[0], lane_kind::f32), scales_of(o));
        if (!is_mutated(mutation::quantize_truncates))
            reg = emit(lane_op::round, lane_kind::f32, reg);
        if (std::optional<int> zps = zero_points_of(o))
            reg = emit(lane_op::add, lane_kind::f32, reg, *zps);
        const bool is_signed = type == data_type::s8;
        if (!is_mutated(mutation::saturation_missing))
            reg = emit(lane_op::clamp, lane_kind::f32, reg, 0, 0, is_signed ? -128.0F : 0.0F,
                    is_signed ? 127.0F : 255.0F);
        set(o.out[0], lane_kind::s32, emit(lane_op::convert, lane_kind::s32, reg));
    }

    void emit_dequantize(const region_op &o) {
        int reg = get(o.in[0], lane_kind::f32);
        if (std::optional<int> zps = zero_points_of(o))
            reg = emit(lane_op::subtract, lane_kind::f32, reg, *zps);
        set(o.out[0], lane_kind::f32, emit(lane_op::multiply, lane_kind::f32, reg, scales_of(o)));
    }

    void add_bias_to(int sums) {
        const int bias = r_.op(g_.matmul).in[2];
        int reg = emit(lane_op::add, lane_kind::f32, computed_.at(sums).reg,
                get(bias, *compute_kind(r_.desc(bias).type)));
        computed_[sums].reg = reg;
    }

    void add_output(int v) {
        const tensor_desc &desc = r_.desc(v);
        result_.outputs.push_back({.value = v, .strides = desc.strides});
        result_.program.outputs.push_back({computed_.at(v).reg, desc.type});
    }

public:
    /// Registers were numbered as they came; the program wants the inputs first.
    static void number_inputs_first(
            lane_build &build, const std::vector<int> &input_regs, int count) {
        std::vector<int> place(static_cast<std::size_t>(count), -1);
        int next = 0;
        for (int reg : input_regs)
            place[static_cast<std::size_t>(reg)] = next++;
        for (int &p : place)
            if (p < 0) p = next++;
        auto move = [&](int &reg) { reg = place[static_cast<std::size_t>(reg)]; };
        for (lane_instruction &i : build.program.instructions) {
            move(i.dst);
            move(i.a);
            move(i.b);
            move(i.c);
        }
        for (kernels::lane_output &o : build.program.outputs)
            move(o.reg);
    }

    const std::vector<int> &input_regs() const { return input_regs_; }
    int registers() const { return next_; }

private:
    const region &r_;
    const group &g_;
    const dims &shape_;
    lane_build result_;
    std::vector<int> input_regs_;
    int next_ = 0;
    std::map<int, held> computed_; ///< By value: the register that the op's result came in.
    std::map<std::pair<int, lane_kind>, int> exact_;
};

} // namespace

bool has_lane_form(op_kind kind) {
    switch (kind) {
        case op_kind::Select:
        case op_kind::Where:
        case op_kind::GenIndex:
        case op_kind::TypeCast:
        case op_kind::Quantize:
        case op_kind::Dequantize: return true;
        default: return find_simple(kind) != nullptr;
    }
}

std::string lanes_obstacle(const region &r, int op) {
    const region_op &o = r.op(op);
    if (o.out.size() != 1) return "more than one output";
    lane_kind kind{};
    if (const simple_op *simple = find_simple(o.kind())) return find_kind(r, o, *simple, kind);
    const data_type type = r.desc(o.out[0]).type;
    switch (o.kind()) {
        case op_kind::Select:
        case op_kind::Where: return copy_obstacle(type);
        case op_kind::GenIndex: return {};
        case op_kind::TypeCast: return type_cast_obstacle(r.desc(o.in[0]).type, type);
        case op_kind::Quantize:
        case op_kind::Dequantize: {
            const data_type quantized = o.kind() == op_kind::Quantize ? type : r.desc(o.in[0]).type;
            const data_type real = o.kind() == op_kind::Quantize ? r.desc(o.in[0]).type : type;
            if (quantized != data_type::s8 && quantized != data_type::u8)
                return format_text("data type {}", name_of(quantized));
            return compute_kind(real) == lane_kind::f32
                           ? ""
                           : format_text("data type {}", name_of(real));
        }
        default: return "not elementwise";
    }
}

lane_build build_lanes(const region &r, const group &g, const dims &shape) {
    lane_builder builder(r, g, shape);
    lane_build result = builder.build();
    lane_builder::number_inputs_first(result, builder.input_regs(), builder.registers());
    return result;
}

} // namespace tern::compiler
