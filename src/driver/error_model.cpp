// SPDX-License-Identifier: Apache-2.0
#include "driver/error_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "driver/op_classes.hpp"

namespace tern::driver {
namespace {

constexpr double eps_f32 = 0x1p-23;

/// Distance from 1 to the next number; 0 for types that are no floating-point ones.
double eps_of(data_type type) {
    std::optional<float_format> format = format_of(type);
    return format ? std::exp2(-format->mantissa_bits) : 0;
}

bool is_short(data_type type) {
    std::optional<float_format> format = format_of(type);
    return format && format->mantissa_bits < 23;
}

/// From one denormal to the next; of types shorter than f32, else 0.
double smallest_step(data_type type) {
    std::optional<float_format> format = is_short(type) ? format_of(type) : std::nullopt;
    if (!format) return 0;
    const int least_exponent = 2 - (1 << (format->exponent_bits - 1));
    return std::exp2(least_exponent - format->mantissa_bits);
}

/// What arithmetic is done in: f32, or f64 where the result is.
double computing_eps(data_type type) {
    return type == data_type::f64 || type == data_type::c128 ? eps_of(data_type::f64) : eps_f32;
}

template <typename Visit>
void for_each_element(const ir::const_view &view, Visit visit) {
    const std::int64_t count = *element_count(view.shape);
    const std::size_t bytes = bytes_of(view.type);
    const auto *data = static_cast<const std::byte *>(view.data);
    const int rank = view.shape.rank();
    dims index(rank, 0);
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        visit(load_f64(view.type, data + static_cast<std::size_t>(offset) * bytes));
        for (int axis = rank - 1; axis >= 0; --axis) {
            offset += view.strides[axis];
            if (++index[axis] < view.shape[axis]) break;
            offset -= view.shape[axis] * view.strides[axis];
            index[axis] = 0;
        }
    }
}

/// Largest magnitude, and the largest power of two that divides every element.
struct grid {
    double most = 0;
    double unit = std::numeric_limits<double>::infinity();
};

grid grid_of(const ir::const_view &view) {
    grid found;
    for_each_element(view, [&](double value) {
        if (value == 0) return;
        if (!std::isfinite(value)) {
            found.most = std::numeric_limits<double>::infinity();
            return;
        }
        found.most = std::max(found.most, std::abs(value));
        // Most elements are multiples of what is known already.
        double multiple = value / found.unit;
        if (std::abs(multiple) < 0x1p52 && multiple == std::trunc(multiple) && multiple != 0)
            return;
        int exponent = 0;
        auto bits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
        int zeros = 0;
        while (bits % 2 == 0) {
            bits /= 2;
            ++zeros;
        }
        found.unit = std::min(found.unit, std::ldexp(1.0, exponent - 53 + zeros));
    });
    return found;
}

double rms_of(const ir::mutable_view &view) {
    double sum = 0;
    double count = 0;
    for_each_element({view.data, view.type, view.shape, view.strides}, [&](double value) {
        if (!std::isfinite(value)) return;
        sum += value * value;
        ++count;
    });
    return count > 0 ? std::sqrt(sum / count) : 0;
}

double first_scale(const ir::op_spec &op) {
    const auto *scales = ir::find_as<std::vector<float>>(op.attrs, op_attr::scales);
    return scales == nullptr || scales->empty() ? 1 : scales->front();
}

/// Terms of each sum: of products for MatMul, of elements for reductions.
double terms_of(
        const ir::op_spec &op, std::span<const ir::const_view> in, const ir::mutable_view &out) {
    if (op.kind == op_kind::MatMul) return static_cast<double>(terms_of_matmul(op, in[0].shape));
    return static_cast<double>(*element_count(in[0].shape))
           / std::max(1.0, static_cast<double>(*element_count(out.shape)));
}

bool adds_up_exactly(
        const ir::op_spec &op, std::span<const ir::const_view> in, const ir::mutable_view &out) {
    const double terms = terms_of(op, in, out);
    if (op.kind == op_kind::MatMul && in.size() == 2) return sums_are_exact(in[0], &in[1], terms);
    return op.kind == op_kind::ReduceSum && sums_are_exact(in[0], nullptr, terms);
}

double longest_axis(const dims &shape) {
    return shape.empty() ? 1.0 : static_cast<double>(*std::max_element(shape.begin(), shape.end()));
}

} // namespace

std::int64_t terms_of_matmul(const ir::op_spec &op, const dims &src) {
    if (src.empty()) return 1;
    const bool before_last = ir::attr_or(op.attrs, op_attr::transpose_a, false) && src.rank() > 1;
    return src[src.rank() - (before_last ? 2 : 1)];
}

bool sums_are_exact(const ir::const_view &a, const ir::const_view *b, double terms) {
    const grid of_a = grid_of(a);
    const grid of_b = b == nullptr ? grid{1, 1} : grid_of(*b);
    if (of_a.most == 0 || of_b.most == 0) return true;
    return terms * (of_a.most / of_a.unit) * (of_b.most / of_b.unit) <= 0x1p24;
}

error_model::tensor_errors error_model::of_input(std::size_t id) const {
    auto at = tensors_.find(id);
    return at == tensors_.end() ? tensor_errors{} : at->second;
}

error_model::tensor_errors error_model::joined(const ir::op_spec &op) const {
    tensor_errors all;
    std::set<std::size_t> seen;
    for (const ir::port &port : op.inputs) {
        if (!seen.insert(port.id).second) continue;
        const tensor_errors one = of_input(port.id);
        all.moved = all.moved && one.moved;
        all.noise += one.noise;
        all.rounding = std::max(all.rounding, one.rounding);
        all.steps = std::max(all.steps, one.steps);
        all.floor = std::max(all.floor, one.floor);
        all.after_steps = all.after_steps || one.after_steps;
    }
    return all;
}

error_model::tensor_errors error_model::after(const ir::op_spec &op,
        std::span<const ir::const_view> in, const ir::mutable_view &out) const {
    tensor_errors errors = joined(op);
    const op_class its_class = class_of(op.kind);
    errors.type = out.type;
    if (its_class == op_class::moves) return errors;
    const double before = errors.noise;
    const double unit = computing_eps(out.type);
    errors.moved = false;
    errors.rounding = 0;
    errors.floor = 0;
    switch (its_class) {
        case op_class::moves:
        case op_class::picks: break;
        case op_class::decides: return tensor_errors{out.type};
        case op_class::converts:
            if (errors.steps > 0) { // the way back from integers that may be off
                const double scale = first_scale(op) * errors.steps;
                const double row = std::sqrt(longest_axis(out.shape));
                errors.noise = 4 * scale / (std::max(rms_of(out), scale) * row);
                errors.floor = scale;
                errors.steps = 0;
            } else if (eps_of(out.type) == 0 && before > 0) {
                errors.steps = errors.after_steps ? 2 : 1;
                errors.after_steps = true;
            }
            break;
        case op_class::arithmetic:
            if (before > 0)
                errors.noise =
                        (op.kind == op_kind::Add || op.kind == op_kind::Subtract ? 4 : 1) * before
                        + unit;
            errors.rounding = std::max(eps_of(out.type), unit);
            break;
        case op_class::curved:
            errors.noise = (op.kind == op_kind::Exp || op.kind == op_kind::Pow ? 16 : 4) * before
                           + 4 * unit;
            break;
        case op_class::softmax:
            errors.noise = 16 * before + (8 + std::sqrt(longest_axis(out.shape)) / 4) * unit;
            break;
        case op_class::sums:
            if (before > 0 || !adds_up_exactly(op, in, out))
                errors.noise = before + (2 + std::sqrt(terms_of(op, in, out))) * unit;
            break;
        case op_class::other: errors.noise = 16 * before + 16 * unit; break;
    }
    // What is not exact may fall on either side of a rounding.
    if (errors.noise > 0 && is_short(out.type)) errors.noise += eps_of(out.type);
    return errors;
}

void error_model::add(const ir::op_spec &op, std::span<const ir::const_view> in,
        std::span<const ir::mutable_view> out) {
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
        tensors_[op.outputs[i].id] = after(op, in, out[i]);
}

acceptance error_model::of(std::size_t id) const {
    const tensor_errors errors = of_input(id);
    acceptance accepted;
    const bool is_real = eps_of(errors.type) > 0;
    if (errors.moved || (!is_real && errors.steps == 0)) return accepted;
    accepted.rule = compare_rule::close;
    if (!is_real) {
        accepted.floor = errors.steps;
        accepted.differing = 1.0 / 32;
        return accepted;
    }
    accepted.relative = errors.noise + errors.rounding;
    accepted.of_row = errors.noise;
    accepted.floor = errors.floor;
    // Denormals are further apart than their size says.
    if (accepted.relative > 0)
        accepted.floor += std::max(
                static_cast<double>(std::numeric_limits<float>::min()), smallest_step(errors.type));
    // Rounding in another order seldom shows in a short type; truncation shows in every second
    // element.
    if (is_short(errors.type))
        accepted.differing = errors.after_steps ? 1.0 / 8 : errors.noise > 0 ? 1.0 / 16 : 1.0 / 256;
    return accepted;
}

} // namespace tern::driver
