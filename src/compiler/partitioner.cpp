// SPDX-License-Identifier: Apache-2.0
#include "compiler/partitioner.hpp"

#include <algorithm>
#include <atomic>

namespace tern::compiler {
namespace {

std::size_t next_id() {
    static std::atomic<std::size_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<partition> one_op(const std::shared_ptr<const ir::graph> &graph, int index) {
    const ir::op &op = graph->ops()[static_cast<std::size_t>(index)];
    auto result = std::make_shared<partition>();
    result->id = next_id();
    result->graph = graph;
    result->ops = {index};
    for (int v : op.inputs)
        if (std::find(result->inputs.begin(), result->inputs.end(), v) == result->inputs.end())
            result->inputs.push_back(v);
    result->outputs = op.outputs;
    result->is_supported = op.def && op.def->is_executable();
    return result;
}

} // namespace

std::vector<std::shared_ptr<const partition>> make_partitions(
        const std::shared_ptr<const ir::graph> &graph, fpmath_mode fpmath,
        bool fpmath_on_integers) {
    std::vector<std::shared_ptr<const partition>> partitions;
    for (std::size_t i = 0; i < graph->ops().size(); ++i) {
        std::shared_ptr<partition> made = one_op(graph, static_cast<int>(i));
        made->fpmath = fpmath;
        made->fpmath_on_integers = fpmath_on_integers;
        partitions.push_back(std::move(made));
    }
    return partitions;
}

} // namespace tern::compiler
