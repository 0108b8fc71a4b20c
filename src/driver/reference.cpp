// SPDX-License-Identifier: Apache-2.0
#include "driver/reference.hpp"

#include <memory>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "driver/ranges.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

/// Packing pays when both operands have rows and columns; the loop reads them as one type.
bool is_packed(const ir::op_spec &op, std::size_t port) {
    if (op.kind != op_kind::MatMul || port > 1) return false;
    for (std::size_t i = 0; i < 2; ++i)
        if (op.inputs[i].desc.shape.rank() < 2) return false;
    const data_type type = op.inputs[port].desc.type;
    return is_floating(type) && type != data_type::f64;
}

/// The axis along which the loop goes fastest: what is summed over in src, the columns in weights.
int fastest_axis(const ir::op_spec &op, std::size_t port, int rank) {
    const bool is_transposed =
            ir::attr_or(op.attrs, port == 0 ? op_attr::transpose_a : op_attr::transpose_b, false);
    return rank - (is_transposed ? 2 : 1);
}

class packed_operand {
public:
    packed_operand(const ir::const_view &from, int innermost) {
        dims permuted = from.shape;
        const int last = from.shape.rank() - 1;
        std::swap(permuted[innermost], permuted[last]);
        view_ = {nullptr, data_type::f32, from.shape, *dense_strides(permuted)};
        std::swap(view_.strides[innermost], view_.strides[last]);
        const std::int64_t count = *element_count(from.shape);
        memory_ = std::make_unique<float[]>(static_cast<std::size_t>(count));
        view_.data = memory_.get();
        if (count == 0) return;
        convert(from, count);
    }

    const ir::const_view &view() const { return view_; }

private:
    /// Row by row along the last axis.
    void convert(const ir::const_view &from, std::int64_t count) {
        const int last = from.shape.rank() - 1;
        const std::size_t bytes = bytes_of(from.type);
        in_ranges(count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t element = begin; element < end;) {
                std::int64_t rest = element;
                std::int64_t source = 0;
                std::int64_t target = 0;
                for (int axis = last; axis >= 0; --axis) {
                    source += rest % from.shape[axis] * from.strides[axis];
                    target += rest % from.shape[axis] * view_.strides[axis];
                    rest /= from.shape[axis];
                }
                std::int64_t left = from.shape[last] - element % from.shape[last];
                for (left = std::min(left, end - element); left > 0; --left, ++element) {
                    const auto *at = static_cast<const std::byte *>(from.data)
                                     + static_cast<std::size_t>(source) * bytes;
                    memory_[static_cast<std::size_t>(target)] =
                            static_cast<float>(load_f64(from.type, at));
                    source += from.strides[last];
                    target += view_.strides[last];
                }
            }
        });
    }

    std::unique_ptr<float[]> memory_;
    ir::const_view view_;
};

} // namespace

void run_reference(const ir::op_spec &op, std::span<const ir::const_view> inputs,
        std::span<const ir::mutable_view> outputs) {
    const ir::op_def &def = *ops::find(op.kind);
    ir::op_spec complete = op;
    ir::verify_schema(complete, def); // fills in attribute defaults
    std::vector<ir::const_view> in(inputs.begin(), inputs.end());
    std::vector<packed_operand> packed;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!is_packed(op, i)) continue;
        packed.emplace_back(in[i], fastest_axis(op, i, in[i].shape.rank()));
        in[i] = packed.back().view();
    }
    ir::reference_args args{complete.attrs, in, outputs};
    in_ranges(*element_count(outputs[0].shape),
            [&](std::int64_t begin, std::int64_t end) { def.reference(args, begin, end); });
}

void complete_shapes(const ir::op_spec &op, std::span<const ir::const_view> inputs,
        std::span<tensor_desc> outputs) {
    const ir::op_def &def = *ops::find(op.kind);
    if (!def.has_open_shapes()) return;
    ir::op_spec complete = op;
    ir::verify_schema(complete, def);
    std::vector<dims> shapes;
    for (const tensor_desc &desc : outputs)
        shapes.push_back(desc.shape);
    def.find_shapes({complete.attrs, inputs, {}}, shapes);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        outputs[o].shape = shapes[o];
        outputs[o].strides = dense_strides(shapes[o]).value();
    }
}

std::uint64_t packed_bytes(const ir::op_spec &op) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
        if (is_packed(op, i))
            bytes += sizeof(float)
                     * static_cast<std::uint64_t>(
                             element_count(op.inputs[i].desc.shape).value_or(0));
    return bytes;
}

} // namespace tern::driver
