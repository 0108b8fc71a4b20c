// SPDX-License-Identifier: Apache-2.0
#include "driver/roles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "driver/op_classes.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

using op_list = std::vector<ir::op_spec>;

bool is(const ir::op_spec &op, std::initializer_list<op_kind> kinds) {
    return std::find(kinds.begin(), kinds.end(), op.kind) != kinds.end();
}

bool is_choice(const ir::op_spec &op) {
    return is(op, {op_kind::Select, op_kind::Where}) && op.inputs.size() == 3;
}

/// Ops through which -infinity stays -infinity.
bool is_linear(const ir::op_spec &op) {
    return is(op,
            {op_kind::Add, op_kind::Subtract, op_kind::Multiply, op_kind::Divide, op_kind::TypeCast,
                    op_kind::Reorder, op_kind::Identity, op_kind::Select, op_kind::Where});
}

/// Ops that hand on what they are given, in another place or form.
bool hands_on(const ir::op_spec &op) {
    return is(op, {op_kind::TypeCast, op_kind::Reorder, op_kind::Identity, op_kind::StaticReshape,
                          op_kind::StaticTranspose, op_kind::Expand, op_kind::Slice});
}

bool takes_only_boolean(const ir::op_def &def, std::size_t port) {
    if (port >= def.inputs.size()) return false;
    for (const ir::type_rule &rule : def.types) {
        if (rule.variable != def.inputs[port].type_variable) continue;
        for (int i = 0; i < data_type_count; ++i) {
            auto type = static_cast<data_type>(i);
            if (rule.types.contains(type) != (type == data_type::boolean)) return false;
        }
        return true;
    }
    return false;
}

std::int64_t count_of(const ir::port &port) {
    return port.desc.shape_known() ? element_count(port.desc.shape).value_or(0) : 0;
}

/// Size of an axis counted from the end; 1 where there is none.
std::int64_t size_from_end(const dims &shape, int axis) {
    int at = shape.rank() + axis;
    return at >= 0 && at < shape.rank() ? shape[at] : 1;
}

/// The first element of an attribute that is a list.
std::optional<double> first_of(const ir::op_spec &op, op_attr name) {
    if (const auto *reals = ir::find_as<std::vector<float>>(op.attrs, name))
        if (!reals->empty()) return reals->front();
    if (const auto *integers = ir::find_as<std::vector<std::int64_t>>(op.attrs, name))
        if (!integers->empty()) return static_cast<double>(integers->front());
    return std::nullopt;
}

class role_finder {
public:
    explicit role_finder(const op_list &ops) : ops_(ops) {
        for (const ir::op_spec &op : ops_) {
            for (const ir::port &port : op.outputs)
                writers_[port.id] = &op;
            for (std::size_t i = 0; i < op.inputs.size(); ++i)
                readers_[op.inputs[i].id].push_back({&op, i});
        }
    }

    std::map<std::size_t, input_role> find() {
        find_ports();
        if (!takes_any_bits(ops_)) {
            for (auto &[id, role] : roles_)
                set_general(id, role);
            // What a later line says wins.
            for (const ir::op_spec &op : ops_)
                if (is(op, {op_kind::MatMul})) set_matmul(op);
            for (const ir::op_spec &op : ops_)
                set_elementwise(op);
        }
        for (const ir::op_spec &op : ops_)
            if (is(op, {op_kind::SequenceAt}) && op.inputs.size() == 2)
                if (input_role *at = free_input(op.inputs[1].id))
                    set_choices(*at, value_kind::one_of, {0, -1}); // first and last
        for (const ir::op_spec &op : ops_)
            set_masks(op);
        for (const ir::op_spec &op : ops_)
            set_indices(op);
        if (masks_ > 1)
            for (auto &[id, role] : roles_)
                role.keeps_first = true;
        return std::move(roles_);
    }

private:
    struct reader {
        const ir::op_spec *op;
        std::size_t port;
    };

    void find_ports() {
        for (const ir::op_spec &op : ops_) {
            const ir::op_def *def = ops::find(op.kind);
            for (std::size_t i = 0; i < op.inputs.size(); ++i) {
                const ir::port &port = op.inputs[i];
                if (writers_.contains(port.id)) continue;
                input_role fresh;
                fresh.port = static_cast<int>(i);
                auto at = roles_.emplace(port.id, fresh).first;
                types_[port.id] = port.desc.type;
                if (def != nullptr && takes_only_boolean(*def, i)) at->second.condition = true;
                if (!is(op, {op_kind::NonZero})) continue;
                at->second.counted = true;
                if (port.desc.type == data_type::boolean) at->second.condition = true;
            }
        }
    }

    input_role *free_input(std::size_t id) {
        auto at = roles_.find(id);
        return at == roles_.end() ? nullptr : &at->second;
    }

    void set_general(std::size_t id, input_role &role) {
        const data_type type = types_.at(id);
        if (type == data_type::string) return; // any string is as good as another
        if (type == data_type::boolean) role.condition = true;
        if (is_floating(type) || type == data_type::c64 || type == data_type::c128) {
            role.kind = value_kind::numbers;
            role.specials = std::none_of(ops_.begin(), ops_.end(), [](const ir::op_spec &op) {
                op_class its_class = class_of(op.kind);
                return its_class == op_class::curved || its_class == op_class::softmax
                       || its_class == op_class::sums || its_class == op_class::other;
            });
        } else {
            set_multiples(role, is_signed_integer(type) ? -8 : 0, 8, 1);
        }
    }

    static void set_multiples(input_role &role, double least, double most, double step) {
        role.kind = value_kind::multiples;
        role.least = least;
        role.most = most;
        role.step = step;
    }

    static void set_choices(input_role &role, value_kind kind, std::vector<double> choices) {
        role.kind = kind;
        role.choices = std::move(choices);
    }

    /// The graph input that a tensor is made of by ops that hand it on, and the last op on the way.
    std::size_t source_of(std::size_t id) const {
        for (auto at = writers_.find(id); at != writers_.end() && hands_on(*at->second);
                at = writers_.find(id))
            id = at->second->inputs[0].id;
        return id;
    }

    /// Both operands free: products of about 1 that add up to a few units, so that a softmax of
    /// them is neither flat nor a single one. One free: a few units.
    void set_matmul(const ir::op_spec &op) {
        const dims &a = op.inputs[0].desc.shape;
        if (a.empty()) return;
        const bool transposed = ir::attr_or(op.attrs, op_attr::transpose_a, false) && a.rank() > 1;
        set_products(op, size_from_end(a, transposed ? -2 : -1));
    }

    /// Sums of `count` products of the op's operands.
    void set_products(const ir::op_spec &op, std::int64_t count) {
        const auto terms = static_cast<double>(std::max<std::int64_t>(count, 1));
        const bool both =
                !written_by_computing(op.inputs[0].id) && !written_by_computing(op.inputs[1].id);
        const double wanted = both ? std::sqrt(12 / std::sqrt(terms)) : 2;
        const double range = std::exp2(std::round(std::log2(wanted)));
        // Two operands of that many bits and the sum of their products fit 24 bits.
        const int bits = static_cast<int>((24 - std::ceil(std::log2(terms))) / 2);
        for (std::size_t i = 0; i < 2; ++i)
            set_operand(op.inputs[i], range, bits);
    }

    /// A Multiply whose rows are added up is a MatMul of its own kind.
    void set_scalar_products(const ir::op_spec &op) {
        auto at = readers_.find(op.outputs[0].id);
        if (at == readers_.end() || count_of(op.inputs[0]) != count_of(op.inputs[1])) return;
        for (const reader &one : at->second)
            if (is(*one.op, {op_kind::ReduceSum}))
                set_products(op, count_of(op.inputs[0])
                                         / std::max<std::int64_t>(count_of(one.op->outputs[0]), 1));
    }

    bool written_by_computing(std::size_t id) const {
        auto at = writers_.find(source_of(id));
        return at != writers_.end()
               && !is(*at->second, {op_kind::Dequantize, op_kind::DynamicDequantize});
    }

    void set_operand(const ir::port &port, double range, int bits) {
        const std::size_t id = source_of(port.id);
        std::optional<float_format> format = format_of(port.desc.type);
        const int most_bits = format ? std::min(format->mantissa_bits, 9) : 3;
        const double most = std::exp2(std::clamp(bits, 2, most_bits) - 1);
        if (auto at = writers_.find(id); at != writers_.end()) {
            set_quantized(*at->second, range);
        } else if (input_role *role = free_input(id); role != nullptr && !operands_.contains(id)) {
            operands_.insert(id);
            set_multiples(*role, -most, most, range / most);
        }
    }

    void set_quantized(const ir::op_spec &op, double range) {
        if (!is(op, {op_kind::Dequantize, op_kind::DynamicDequantize})) return;
        input_role *role = free_input(op.inputs[0].id);
        if (is(op, {op_kind::Dequantize})) {
            const double zero = first_of(op, op_attr::zps).value_or(0);
            const double scale = first_of(op, op_attr::scales).value_or(1);
            const double width = std::clamp(std::round(range / scale), 1.0, 32.0);
            if (role != nullptr) set_multiples(*role, zero - width, zero + width, 1);
            return;
        }
        const bool is_unsigned = op.inputs[0].desc.type == data_type::u8;
        if (role != nullptr) set_multiples(*role, is_unsigned ? 0 : -8, is_unsigned ? 16 : 8, 1);
        if (input_role *scales = free_input(op.inputs[1].id))
            set_choices(*scales, value_kind::each_of, {range / 8, range / 16});
        if (op.inputs.size() < 3) return;
        if (input_role *zeros = free_input(op.inputs[2].id))
            set_multiples(*zeros, is_unsigned ? 6 : -2, is_unsigned ? 10 : 2, 1);
    }

    void set_indices(const ir::op_spec &op) {
        if (!is(op, {op_kind::Gather}) || op.inputs.size() != 2) return;
        const dims &data = op.inputs[0].desc.shape;
        const std::int64_t axis = ir::attr_or<std::int64_t>(op.attrs, op_attr::axis, 0);
        const std::int64_t from_front = axis < 0 ? axis + data.rank() : axis;
        if (from_front < 0 || from_front >= data.rank()) return;
        const auto size = static_cast<double>(data[static_cast<int>(from_front)]);
        input_role *role = free_input(source_of(op.inputs[1].id));
        if (role == nullptr || size == 0) return;
        set_multiples(*role, -size, size - 1, 1);
        role->kind = value_kind::indices;
    }

    void set_elementwise(const ir::op_spec &op) {
        if (is(op, {op_kind::Log, op_kind::Sqrt, op_kind::Pow}))
            if (input_role *role = general_input(op.inputs[0].id)) role->positive = true;
        if (is(op, {op_kind::Maximum, op_kind::Minimum})) set_bound(op);
        // So that a softmax is no single one among zeros.
        if (is(op, {op_kind::SoftMax, op_kind::LogSoftmax}))
            if (input_role *role = general_input(op.inputs[0].id))
                set_multiples(*role, -64, 64, 0.125);
        if (is(op, {op_kind::Reciprocal}))
            if (input_role *role = general_input(op.inputs[0].id)) role->least_magnitude = 0.25;
        if (is(op, {op_kind::Dequantize, op_kind::DynamicDequantize})) set_quantized(op, 2);
        if (op.inputs.size() != 2) return;
        if (is(op, {op_kind::Divide}))
            if (input_role *role = general_input(op.inputs[1].id)) role->least_magnitude = 0.25;
        if (is(op, {op_kind::Multiply})) set_scalar_products(op);
        if (is(op, {op_kind::Multiply, op_kind::Divide})) set_scale(op);
        if (is(op, {op_kind::Add, op_kind::Subtract})) set_offset(op);
        if (is(op, {op_kind::Subtract})) set_statistics(op);
    }

    input_role *general_input(std::size_t id) {
        input_role *role = free_input(source_of(id));
        return role != nullptr && role->kind == value_kind::numbers ? role : nullptr;
    }

    /// One number that bounds what is computed: a lower bound below an upper one, and both among
    /// the values.
    void set_bound(const ir::op_spec &op) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            input_role *role = free_input(op.inputs[i].id);
            if (role == nullptr || role->kind != value_kind::numbers) continue;
            if (count_of(op.inputs[i]) != 1 || !writers_.contains(op.inputs[1 - i].id)) continue;
            const double side = is(op, {op_kind::Maximum}) ? -1 : 1;
            set_choices(*role, value_kind::one_of, {side * 0.5, side * 1.5});
        }
    }

    /// Never 1: a scale that is left out must show.
    void set_scale(const ir::op_spec &op) {
        for (std::size_t i = 0; i < 2; ++i) {
            const std::size_t other = op.inputs[1 - i].id;
            input_role *role = free_input(op.inputs[i].id);
            if (role == nullptr || role->kind != value_kind::numbers) continue;
            if (count_of(op.inputs[i]) != 1 || !writers_.contains(other)) continue;
            if (is(op, {op_kind::Divide})) {
                if (i == 1) set_choices(*role, value_kind::one_of, {2, 4, 8});
            } else if (is(*writers_.at(other), {op_kind::Tanh})) {
                set_choices(*role, value_kind::one_of, {4, 8}); // back to the size of scores
            } else {
                set_choices(*role, value_kind::one_of, {0.25, 0.5});
            }
        }
    }

    /// Bottom-right causal masks add keys and subtract queries from row numbers.
    void set_offset(const ir::op_spec &op) {
        for (std::size_t i = 0; i < 2; ++i) {
            input_role *role = free_input(op.inputs[i].id);
            if (role == nullptr || count_of(op.inputs[i]) != 1) continue;
            if (!is_integer(op.inputs[i].desc.type)) continue;
            const ir::op_spec *index = index_behind(op.inputs[1 - i].id);
            if (index == nullptr) continue;
            const dims &scores = index->inputs[0].desc.shape;
            const auto size = size_from_end(scores, is(op, {op_kind::Add}) ? -1 : -2);
            set_choices(*role, value_kind::one_of, {static_cast<double>(size)});
        }
    }

    const ir::op_spec *index_behind(std::size_t id) const {
        auto at = writers_.find(id);
        if (at == writers_.end()) return nullptr;
        const ir::op_spec &op = *at->second;
        if (is(op, {op_kind::GenIndex})) return &op;
        if (!is(op, {op_kind::Add, op_kind::Subtract, op_kind::TypeCast})) return nullptr;
        for (const ir::port &port : op.inputs)
            if (const ir::op_spec *index = index_behind(port.id)) return index;
        return nullptr;
    }

    void set_statistics(const ir::op_spec &op) {
        input_role *role = free_input(op.inputs[1].id);
        if (role == nullptr || role->kind != value_kind::numbers) return;
        const dims &scores = op.inputs[0].desc.shape;
        const dims &rows = op.inputs[1].desc.shape;
        if (rows.rank() < 2 || size_from_end(rows, -1) != 1 || size_from_end(scores, -1) == 1)
            return;
        std::optional<int> axis = softmax_axis(op.outputs[0].id);
        if (!axis || *axis != exp_axis) return;
        role->kind = value_kind::statistics;
        role->most = static_cast<double>(size_from_end(scores, -1));
    }

    static constexpr int exp_axis = 1; ///< Not from the end: an Exp has no axis.

    /// The axis, from the end, of the SoftMax that a tensor reaches; exp_axis for an Exp.
    std::optional<int> softmax_axis(std::size_t id) const {
        auto at = readers_.find(id);
        if (at == readers_.end()) return std::nullopt;
        for (const reader &one : at->second) {
            const ir::op_spec &op = *one.op;
            if (is(op, {op_kind::SoftMax, op_kind::LogSoftmax})) {
                const int rank = op.inputs[0].desc.shape.rank();
                auto axis = static_cast<int>(ir::attr_or<std::int64_t>(
                        op.attrs, op_attr::axis, is(op, {op_kind::SoftMax}) ? 1 : -1));
                return axis < 0 ? axis : axis - rank;
            }
            if (is(op, {op_kind::Exp})) return exp_axis;
            if (!is_linear(op) || (is_choice(op) && one.port == 0)) continue;
            if (std::optional<int> axis = softmax_axis(op.outputs[0].id)) return axis;
        }
        return std::nullopt;
    }

    void set_masks(const ir::op_spec &op) {
        if (is(op, {op_kind::Add})) set_additive_mask(op);
        if (!is_choice(op)) return;
        std::optional<int> axis = softmax_axis(op.outputs[0].id);
        if (!axis) return;
        // The side that is computed is what is to be kept; of two inputs, the larger.
        const bool free_1 = roles_.contains(op.inputs[1].id);
        const bool free_2 = roles_.contains(op.inputs[2].id);
        if (!free_1 && !free_2) return;
        const bool first_is_fill = free_1 && (!free_2 || count_of(op.inputs[1]) == 1);
        const std::size_t fill = op.inputs[first_is_fill ? 1 : 2].id;
        input_role &role = roles_.at(fill);
        if (operands_.contains(fill) || !is_floating(types_.at(fill))) return;
        set_choices(role, value_kind::one_of, {-std::numeric_limits<double>::infinity()});
        ++masks_;
        if (*axis != exp_axis) set_condition(op.inputs[0].id, *axis, !first_is_fill, false);
    }

    /// Follows a condition to the inputs that it is made of.
    void set_condition(std::size_t id, int axis, bool keeps, bool first) {
        if (input_role *role = free_input(id)) {
            role->row_axis = axis;
            role->keeps = keeps;
            role->keeps_first = role->keeps_first || first;
            return;
        }
        const ir::op_spec &op = *writers_.at(id);
        if (is(op, {op_kind::Not}))
            set_condition(op.inputs[0].id, axis, !keeps, first);
        else if (is(op, {op_kind::And, op_kind::Or}))
            for (const ir::port &port : op.inputs)
                set_condition(port.id, axis, keeps, true);
        else if (is(op, {op_kind::Reorder, op_kind::Identity}))
            set_condition(op.inputs[0].id, axis, keeps, first);
    }

    /// Whether statistics are subtracted from a tensor: then an Exp behind it is half a softmax.
    bool loses_statistics(std::size_t id) const {
        auto at = readers_.find(id);
        return at != readers_.end()
               && std::any_of(at->second.begin(), at->second.end(), [&](const reader &one) {
                      if (!is(*one.op, {op_kind::Subtract}) || one.port != 0) return false;
                      auto role = roles_.find(one.op->inputs[1].id);
                      return role != roles_.end() && role->second.kind == value_kind::statistics;
                  });
    }

    void set_additive_mask(const ir::op_spec &op) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            input_role *role = free_input(op.inputs[i].id);
            const ir::port &other = op.inputs[1 - i];
            if (role == nullptr || role->kind != value_kind::numbers) continue;
            if (!writers_.contains(other.id)) continue;
            std::optional<int> axis = softmax_axis(op.outputs[0].id);
            const dims &shape = op.inputs[i].desc.shape;
            const std::int64_t keys = size_from_end(other.desc.shape, -1);
            const bool is_softmax =
                    axis && (*axis == exp_axis ? loses_statistics(op.outputs[0].id) : *axis == -1);
            if (!is_softmax || size_from_end(shape, -1) != keys || keys < 2) continue;
            role->kind = value_kind::additive_mask;
            role->row_axis = -1;
            ++masks_;
        }
    }

    const op_list &ops_;
    std::map<std::size_t, const ir::op_spec *> writers_;
    std::map<std::size_t, std::vector<reader>> readers_;
    std::map<std::size_t, input_role> roles_;
    std::map<std::size_t, data_type> types_;
    std::set<std::size_t> operands_; ///< Inputs that a MatMul reads.
    int masks_ = 0;
};

} // namespace

std::map<std::size_t, input_role> input_roles(const std::vector<ir::op_spec> &ops) {
    return role_finder(ops).find();
}

} // namespace tern::driver
