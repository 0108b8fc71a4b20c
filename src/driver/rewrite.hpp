// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_REWRITE_HPP
#define TERN_DRIVER_REWRITE_HPP

/// \file
/// A graph file and the options of a case together make the graph that runs. Nothing here knows an
/// op: shapes and types follow from its definition.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "driver/result.hpp"
#include "driver/settings.hpp"
#include "formats/json/graph_file.hpp"

namespace tern::driver {

/// Applies the options, sorts the ops topologically, derives every shape that an op writes, and
/// settles every layout: afterwards all ports of one tensor agree and nothing is unknown,
/// but for the shapes of outputs that depend on data.
///
/// An output keeps the strides of the file as long as its shape is the file's; otherwise its axes
/// keep their order in memory, without gaps.
///
/// Throws verdict: Rewriter failed, for an option that does not fit the graph; unimplemented,
/// naming the op, for an op without a shape rule; skipped, for 4-bit types. Throws tern::error for
/// a graph that is wrong in itself.
void rewrite(formats::graph_file &file, const case_options &options);

/// One description per tensor while the rewriting goes on. Ports are written back at its end.
struct working_graph {
    explicit working_graph(formats::graph_file &graph);

    bool is_input(std::size_t id) const { return !written.contains(id); }
    bool has_op(std::size_t id) const;
    /// No op reads it, or the file calls it an output.
    bool is_output(std::size_t id) const;
    void write_back();

    formats::graph_file &file;
    std::map<std::size_t, tensor_desc> tensors;
    std::map<std::size_t, tensor_desc> in_file; ///< As they were.
    std::set<std::size_t> written;              ///< Ids that an op writes.
    std::set<std::size_t> read;                 ///< Ids that an op reads.
};

template <typename... Args>
[[noreturn]] void fail_rewrite(fmt::format_string<Args...> format, Args &&...args) {
    throw verdict(outcome::untested, reason::rewriter_failed,
            format_text(format, std::forward<Args>(args)...));
}

// The steps, in their order.
/// The scales of Quantize and Dequantize become powers of two, the next above, as in benchdnn: what
/// is dequantized is exact then.
void round_scales(working_graph &graph);
void rewrite_input_shapes(working_graph &graph, const id_values &in_shapes);
void rewrite_attrs(working_graph &graph, const id_values &op_attrs);
void rewrite_kinds(working_graph &graph, const id_values &op_kinds);
void rewrite_types(working_graph &graph, data_type type);
void rewrite_types(working_graph &graph, const id_types &types);
void rewrite_properties(working_graph &graph, const id_values &properties);
void rewrite_batch(working_graph &graph, std::int64_t size);
/// A DynamicDequantize with groups: of src, scales and group_shape the one that no option gives
/// follows from the other two.
void rewrite_groups(working_graph &graph, const case_options &options);
/// As many scales and zero points as there are channels: they repeat, or the last ones go.
void fit_channels(ir::op_spec &op, const tensor_desc &src);
void infer_shapes(working_graph &graph);
void rewrite_output_shapes(working_graph &graph, const id_values &in_shapes);

/// Sorts so that no op comes before one whose output it reads; ops that are free to choose keep
/// their order. Throws tern::error (invalid_graph) naming an op on a cycle.
void sort_topologically(std::vector<ir::op_spec> &ops);

} // namespace tern::driver

#endif
