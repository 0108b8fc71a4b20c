// SPDX-License-Identifier: Apache-2.0
#include "compiler/lowering.hpp"

#include <array>
#include <vector>

#include "base/parallel.hpp"
#include "base/shape.hpp"

namespace tern::compiler {
namespace {

/// The op's own reference loop, run in parallel: right for every shape, fast for none.
class reference_kernel final : public runtime::kernel {
public:
    explicit reference_kernel(const resolved_op &op)
        : def_(*op.op.def),
          attrs_(op.op.attrs),
          in_(op.in.begin(), op.in.end()),
          out_(op.out.begin(), op.out.end()),
          count_(*element_count(op.out[0].shape)) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        std::array<ir::const_view, most_operands> in_views;
        std::array<ir::mutable_view, most_operands> out_views;
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

    static constexpr std::size_t most_operands = 8;

private:
    static constexpr std::int64_t grain = 4096; // elements; about 100 us of this loop

    const ir::op_def &def_;
    ir::attr_list attrs_;
    std::vector<tensor_desc> in_;
    std::vector<tensor_desc> out_;
    std::int64_t count_;
};

answer make_reference(const resolved_op &op) {
    if (op.in.size() > reference_kernel::most_operands
            || op.out.size() > reference_kernel::most_operands)
        return {nullptr, "more operands than the reference loop takes"};
    return {std::make_unique<reference_kernel>(op), ""};
}

/// Of Select and Where.
constexpr std::array<candidate, 3> select_candidates = {{
        // oneDNN's primitive comes second: docs/performance.md has the figures.
        {"loops", make_select_loops},
        {"onednn", make_select_primitive},
        {"reference", make_reference},
}};

constexpr std::array<candidate, 1> other_candidates = {{{"reference", make_reference}}};

} // namespace

std::span<const candidate> candidates_of(op_kind kind) {
    switch (kind) {
        case op_kind::Select:
        case op_kind::Where: return select_candidates;
        default: return other_candidates;
    }
}

} // namespace tern::compiler
