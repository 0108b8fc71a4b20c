// SPDX-License-Identifier: Apache-2.0
#include "compiler/lowering.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "base/parallel.hpp"
#include "base/shape.hpp"
#include "compiler/lower_lanes.hpp"

namespace tern::compiler {
namespace {

/// The op's own reference loop, run in parallel: right for every shape, fast for none.
class reference_kernel final : public runtime::kernel {
public:
    explicit reference_kernel(const work &w)
        : def_(*w.op().op->def),
          attrs_(w.op().op->attrs),
          count_(*element_count(w.dst().shape)) {
        for (int v : w.ops.in)
            in_.push_back(w.in.desc(v));
        for (int v : w.ops.out)
            out_.push_back(w.in.desc(v));
    }

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        if (in_.size() <= few_operands)
            run_with<few_operands>(in, out);
        else
            run_with<most_operands>(in, out);
    }

    std::optional<ir::data_fault> check_data(const void *const *in) const override {
        return compiler::check_data(def_, attrs_, in_, in);
    }

    /// What an op may write in place it reads and writes element by element.
    bool works_in_place(std::size_t, std::size_t) const noexcept override {
        return !def_.in_place_inputs.empty();
    }

    static constexpr std::size_t most_operands = 160;
    static constexpr std::size_t most_outputs = 8;

private:
    static constexpr std::int64_t grain = 4096;    // elements; about 100 us of this loop
    static constexpr std::size_t few_operands = 8; // of all ops but Concat

    template <std::size_t Inputs>
    void run_with(const void *const *in, void *const *out) const noexcept {
        std::array<ir::const_view, Inputs> in_views;
        std::array<ir::mutable_view, most_outputs> out_views;
        for (std::size_t i = 0; i < in_.size(); ++i)
            in_views[i] = {in[i], in_[i].type, in_[i].shape, in_[i].strides};
        for (std::size_t i = 0; i < out_.size(); ++i)
            out_views[i] = {out[i], out_[i].type, out_[i].shape, out_[i].strides};
        ir::reference_args args{
                attrs_, {in_views.data(), in_.size()}, {out_views.data(), out_.size()}};
        parallel_for(count_, grain, [&](std::int64_t begin, std::int64_t end) noexcept {
            def_.reference(args, begin, end);
        });
    }

    const ir::op_def &def_;
    ir::attr_list attrs_;
    std::vector<tensor_desc> in_;
    std::vector<tensor_desc> out_;
    std::int64_t count_;
};

/// The same for an op whose shapes only its inputs tell. They are kept in the scratch memory of the
/// call.
class open_reference_kernel final : public runtime::kernel {
public:
    explicit open_reference_kernel(const work &w)
        : def_(*w.op().op->def),
          attrs_(w.op().op->attrs) {
        for (int v : w.ops.in)
            in_.push_back(w.in.desc(v));
        for (int v : w.ops.out)
            out_.push_back(w.in.desc(v));
    }

    void find_shapes(const void *const *in, dims *shapes, void *scratch) const noexcept override {
        std::array<ir::const_view, reference_kernel::most_operands> in_views;
        def_.find_shapes({attrs_, views_of(in, in_views), {}}, {shapes, out_.size()});
        auto *kept = static_cast<dims *>(scratch);
        for (std::size_t i = 0; i < out_.size(); ++i)
            new (kept + i) dims(shapes[i]);
    }

    void run(const void *const *in, void *const *out, void *scratch) const noexcept override {
        const auto *shapes = static_cast<const dims *>(scratch);
        std::array<ir::const_view, reference_kernel::most_operands> in_views;
        std::array<ir::mutable_view, reference_kernel::most_operands> out_views;
        for (std::size_t i = 0; i < out_.size(); ++i)
            out_views[i] = {out[i], out_[i].type, shapes[i], *dense_strides(shapes[i])};
        ir::reference_args args{attrs_, views_of(in, in_views), {out_views.data(), out_.size()}};
        // Each range may have to go through all of the inputs: a range for each thread.
        const std::int64_t count = *element_count(shapes[0]);
        const std::int64_t threads = max_concurrency();
        parallel_for(threads, 1, [&](std::int64_t first, std::int64_t last) noexcept {
            const std::int64_t share = count / threads + 1;
            def_.reference(args, std::min(first * share, count), std::min(last * share, count));
        });
    }

    bool works_in_place(std::size_t, std::size_t) const noexcept override { return false; }

    std::size_t scratch_bytes() const { return out_.size() * sizeof(dims); }

private:
    std::span<const ir::const_view> views_of(
            const void *const *in, std::span<ir::const_view> views) const noexcept {
        for (std::size_t i = 0; i < in_.size(); ++i)
            views[i] = {in[i], in_[i].type, in_[i].shape, in_[i].strides};
        return views.first(in_.size());
    }

    const ir::op_def &def_;
    ir::attr_list attrs_;
    std::vector<tensor_desc> in_;
    std::vector<tensor_desc> out_;
};

answer make_reference(const work &w) {
    if (w.ops.in.size() > reference_kernel::most_operands
            || w.ops.out.size() > reference_kernel::most_outputs)
        return {nullptr, "more operands than the reference loop takes"};
    if (w.op().op->def->has_open_shapes()) {
        auto made = std::make_unique<open_reference_kernel>(w);
        const std::size_t bytes = made->scratch_bytes();
        return {std::move(made), "", bytes};
    }
    return {std::make_unique<reference_kernel>(w), ""};
}

/// Of Select and Where. oneDNN's primitive comes second: docs/performance.md has the figures.
constexpr candidate select_candidates[] = {
        {"loops", make_select_loops},
        {"onednn", make_select_primitive},
        {"reference", make_reference},
};
constexpr candidate reference_candidates[] = {{"reference", make_reference}};
constexpr candidate elementwise_candidates[] = {
        {"lanes", make_lanes},
        {"onednn", make_chain_primitive},
        {"reference", make_reference},
};
constexpr candidate group_candidates[] = {
        {"lanes", make_lanes},
        {"onednn", make_chain_primitive},
};
constexpr candidate matmul_group_candidates[] = {
        {"matmul", make_matmul},
        {"onednn", make_matmul_primitive},
};
constexpr candidate matmul_candidates[] = {
        {"matmul", make_matmul},
        {"onednn", make_matmul_primitive},
        {"reference", make_reference},
};
constexpr candidate softmax_candidates[] = {
        {"softmax", make_softmax},
        {"onednn", make_softmax_primitive},
        {"reference", make_reference},
};
constexpr candidate reduce_candidates[] = {
        {"reduce", make_reduce},
        {"onednn", make_sum_primitive},
        {"reference", make_reference},
};
constexpr candidate nonzero_candidates[] = {
        {"nonzero", make_nonzero},
        {"reference", make_reference},
};
constexpr candidate move_candidates[] = {
        {"copy", make_copy},
        {"onednn", make_reorder_primitive},
        {"reference", make_reference},
};
constexpr candidate concat_candidates[] = {
        {"copy", make_concat},
        {"reference", make_reference},
};
constexpr candidate gather_candidates[] = {
        {"take", make_gather},
        {"reference", make_reference},
};
constexpr candidate dynamic_candidates[] = {
        {"lanes", make_dynamic_quantization},
        {"reference", make_reference},
};

} // namespace

std::optional<ir::data_fault> check_data(const ir::op_def &def, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, const void *const *data) {
    if (!def.check_data) return std::nullopt;
    std::vector<ir::const_view> views;
    for (std::size_t i = 0; i < in.size(); ++i)
        views.push_back({data[i], in[i].type, in[i].shape, in[i].strides});
    return def.check_data({attrs, views, {}});
}

std::span<const candidate> candidates_of(op_kind kind) {
    switch (kind) {
        case op_kind::Select:
        case op_kind::Where: return select_candidates;
        case op_kind::MatMul: return matmul_candidates;
        case op_kind::SoftMax: return softmax_candidates;
        case op_kind::NonZero: return nonzero_candidates;
        case op_kind::ReduceSum: return reduce_candidates;
        case op_kind::Identity:
        case op_kind::OptionalGetElement:
        case op_kind::Reorder:
        case op_kind::StaticReshape:
        case op_kind::StaticTranspose:
        case op_kind::Expand:
        case op_kind::Slice: return move_candidates;
        case op_kind::Concat: return concat_candidates;
        case op_kind::Gather: return gather_candidates;
        case op_kind::DynamicQuantize:
        case op_kind::DynamicDequantize: return dynamic_candidates;
        default: break;
    }
    if (has_lane_form(kind)) return elementwise_candidates;
    return reference_candidates;
}

std::span<const candidate> candidates_of(const work &w) {
    switch (w.ops.kind) {
        case group_kind::lanes: return group_candidates;
        case group_kind::matmul: return matmul_group_candidates;
        case group_kind::single: break;
    }
    return candidates_of(w.op().kind());
}

} // namespace tern::compiler
