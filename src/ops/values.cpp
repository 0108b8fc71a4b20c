// SPDX-License-Identifier: Apache-2.0
#include "ops/values.hpp"

#include "base/error.hpp"
#include "ops/operands.hpp"

namespace tern::ops {

void check_output_form(
        const ir::op_label &label, std::string_view name, const tensor_desc &out, value_form form) {
    if (out.form != form)
        fail(status::invalid_graph_op, "{}: {} is {}, but the input gives {}", ir::to_string(label),
                name, name_of(out.form), name_of(form));
}

const value &boolean_value(bool truth) {
    static const unsigned char bytes[] = {0, 1};
    static const value values[] = {value::borrow(data_type::boolean, {}, bytes),
            value::borrow(data_type::boolean, {}, bytes + 1)};
    return values[truth ? 1 : 0];
}

void infer_handed_on(const ir::op_label &label, const ir::attr_list & /*attrs*/,
        std::span<const tensor_desc> in, std::span<tensor_desc> out) {
    if (in[0].is_tensor() && in[0].rank_known && out[0].is_tensor())
        settle_shape(label, "output", in[0].shape, out[0]);
}

void infer_scalar(const ir::op_label &label, const ir::attr_list & /*attrs*/,
        std::span<const tensor_desc> /*in*/, std::span<tensor_desc> out) {
    settle_shape(label, "output", {}, out[0]);
}

void infer_nothing(const ir::op_label & /*label*/, const ir::attr_list & /*attrs*/,
        std::span<const tensor_desc> /*in*/, std::span<tensor_desc> /*out*/) {}

void copy_input(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &src = args.in[0];
    copy_elements(src, src.shape, src.strides, args.out[0], begin, end);
}

} // namespace tern::ops
