// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "base/mutation.hpp"
#include "base/shape.hpp"
#include "compiler/lower_lanes.hpp"
#include "compiler/lowering.hpp"
#include "kernels/lanes/run_lanes.hpp"

namespace tern::compiler {
namespace {

/// Inputs come from the group's operands or from constants that the kernel owns.
class lanes_kernel final : public runtime::kernel {
public:
    lanes_kernel(kernels::lane_loops loops, const lane_build &build, const group &g)
        : loops_(std::move(loops)) {
        for (const lane_operand &operand : build.inputs) {
            auto at = std::find(g.in.begin(), g.in.end(), operand.value);
            bool is_operand = operand.value >= 0;
            sources_.push_back(
                    {is_operand ? static_cast<int>(at - g.in.begin()) : -1, operand.constant});
        }
    }

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        std::array<const void *, most_operands> arguments;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const source &from = sources_[i];
            arguments[i] = from.operand >= 0 ? in[from.operand]
                           : from.constant   ? from.constant->data()
                                             : nullptr;
        }
        kernels::run_lanes(loops_, arguments.data(), out);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return true; }

    static constexpr std::size_t most_operands = 160;

private:
    struct source {
        int operand; ///< -1: the constant, or an index, which has no memory.
        std::shared_ptr<const std::vector<float>> constant;
    };
    kernels::lane_loops loops_;
    std::vector<source> sources_;
};

answer make_loops(const lane_build &build, const dims &shape, const group &g) {
    if (build.inputs.size() > lanes_kernel::most_operands) return {nullptr, "too many operands"};
    std::vector<dims> strides;
    for (const lane_operand &operand : build.inputs)
        strides.push_back(operand.strides);
    for (const lane_operand &operand : build.outputs)
        strides.push_back(operand.strides);
    auto loops = kernels::make_lane_loops(kernels::make_lane_code(build.program), shape, strides);
    return {std::make_unique<lanes_kernel>(std::move(loops), build, g),
            std::string(kernels::lanes_target())};
}

/// One axis as two: which block, and where in it.
dims split_axis(const dims &shape, int axis, std::int64_t outer, std::int64_t inner) {
    dims result;
    for (int i = 0; i < shape.rank(); ++i) {
        if (i == axis) result.push_back(outer);
        result.push_back(i == axis ? inner : shape[i]);
    }
    return result;
}

} // namespace

answer make_lanes(const work &w) {
    for (int op : w.ops.ops)
        if (std::string obstacle = lanes_obstacle(w.in, op); !obstacle.empty())
            return {nullptr, obstacle};
    const dims &shape = w.dst().shape;
    return make_loops(build_lanes(w.in, w.ops, shape), shape, w.ops);
}

/// dst = (src - zp) * scale, or saturate(round(src / scale) + zp), where scale and zp repeat along
/// the axes that are cut into blocks.
answer make_dynamic_quantization(const work &w) {
    using kernels::lane_kind;
    using kernels::lane_op;
    const ir::op &op = *w.op().op;
    const tensor_desc &src = w.src(0);
    const tensor_desc &dst = w.dst();
    for (std::size_t i = 0; i < w.ops.in.size(); ++i) {
        const auto kind = kernels::find_lane_kind(w.src(i).type);
        if (!kind || kind == lane_kind::s64) return {nullptr, "data type of an input"};
    }
    const bool quantizes = w.op().kind() == op_kind::DynamicQuantize;
    if (!quantizes && kernels::find_lane_kind(dst.type) != lane_kind::f32)
        return {nullptr, "data type of dst"};

    dims shape = dst.shape;
    lane_build build;
    auto add = [&](int value, const dims &strides) {
        const data_type type = w.in.desc(value).type;
        build.inputs.push_back({.value = value, .strides = strides});
        build.program.inputs.push_back({type, *kernels::find_lane_kind(type)});
    };
    const std::string &qtype = ir::attr_of<std::string>(op.attrs, op_attr::qtype);
    dims src_strides = src.strides;
    dims dst_strides = dst.strides;
    std::array<dims, 2> scale_strides; // of scales and zero points
    for (std::size_t i = 1; i < w.ops.in.size(); ++i) {
        const tensor_desc &its = w.src(i);
        dims &strides = scale_strides[i - 1];
        strides = dims(shape.rank(), 0);
        if (qtype == "per_group") {
            for (int axis = 0; axis < shape.rank(); ++axis)
                if (its.shape[axis] > 1 && !is_mutated(mutation::group_scale_shared))
                    strides[axis] = its.strides[axis];
        } else if (its.shape.rank() == 1 && its.shape[0] > 1) {
            std::int64_t axis = ir::attr_of<std::int64_t>(op.attrs, op_attr::axis);
            strides[static_cast<int>(axis < 0 ? axis + shape.rank() : axis)] = its.strides[0];
        }
    }
    if (qtype == "per_group") {
        const dims &groups = w.src(1).shape;
        const dims whole = shape;
        for (int axis = whole.rank() - 1; axis >= 0; --axis) {
            if (groups[axis] == 1 || groups[axis] == whole[axis]) continue;
            if (shape.rank() == max_rank) return {nullptr, "more axes than are possible"};
            std::int64_t inner = whole[axis] / groups[axis];
            shape = split_axis(shape, axis, groups[axis], inner);
            src_strides =
                    split_axis(src_strides, axis, src_strides[axis] * inner, src_strides[axis]);
            dst_strides =
                    split_axis(dst_strides, axis, dst_strides[axis] * inner, dst_strides[axis]);
            for (dims &strides : scale_strides)
                if (strides.rank() > 0) strides = split_axis(strides, axis, strides[axis], 0);
        }
    }
    add(w.ops.in[0], src_strides);
    for (std::size_t i = 1; i < w.ops.in.size(); ++i)
        add(w.ops.in[i], scale_strides[i - 1]);
    build.outputs.push_back({.value = w.ops.out[0], .strides = dst_strides});

    int next = static_cast<int>(w.ops.in.size());
    auto emit = [&](lane_op o, lane_kind kind, int a, int b = 0) {
        build.program.instructions.push_back({.op = o, .kind = kind, .dst = next, .a = a, .b = b});
        return next++;
    };
    const bool has_zps = w.ops.in.size() > 2;
    int reg = 0;
    if (quantizes) {
        reg = emit(lane_op::round, lane_kind::f32, emit(lane_op::divide, lane_kind::f32, reg, 1));
        if (has_zps)
            reg = emit(
                    lane_op::add, lane_kind::f32, reg, emit(lane_op::convert, lane_kind::f32, 2));
    } else {
        if (has_zps) reg = emit(lane_op::subtract, lane_kind::s32, reg, 2);
        reg = emit(lane_op::convert, lane_kind::f32, reg);
        reg = emit(lane_op::multiply, lane_kind::f32, reg, 1);
    }
    build.program.outputs.push_back({reg, dst.type});
    return make_loops(build, shape, w.ops);
}

} // namespace tern::compiler
