// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/layout.hpp"
#include "driver/option_values.hpp"
#include "driver/rewrite.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

/// A value of --in-shapes.
struct shape_change {
    std::optional<dims> shape;
    std::string tag;
    std::optional<dims> strides;
};

bool all_of_text(std::string_view text, int (*test)(int)) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [test](char c) {
        return test(static_cast<unsigned char>(c)) != 0;
    });
}

dims parse_numbers(std::size_t id, std::string_view text) {
    dims numbers;
    for (const std::string &part : split(text, 'x')) {
        std::optional<std::int64_t> number = to_integer(part);
        if (!number || *number < 0)
            fail_rewrite("option --in-shapes: tensor {}: expected numbers joined by x, found '{}'",
                    id, text);
        if (numbers.rank() == max_rank)
            fail_rewrite("option --in-shapes: tensor {}: '{}' has more than {} axes", id, text,
                    max_rank);
        numbers.push_back(*number);
    }
    return numbers;
}

shape_change parse_shape_change(std::size_t id, std::string_view text) {
    shape_change change;
    if (text == "-") {
        change.shape = dims();
        return change;
    }
    std::size_t star = text.find('*');
    std::string_view shape = text.substr(0, star);
    if (star == std::string_view::npos && all_of_text(text, std::isalpha))
        fail_rewrite("option --in-shapes: tensor {}: a tag goes behind a *, as in *{}", id, text);
    if (!shape.empty()) change.shape = parse_numbers(id, shape);
    if (star == std::string_view::npos) return change;
    std::string_view layout = text.substr(star + 1);
    if (layout.empty())
        fail_rewrite(
                "option --in-shapes: tensor {}: expected a tag or strides behind the * of '{}'", id,
                text);
    if (all_of_text(layout, std::isalpha))
        change.tag = layout;
    else
        change.strides = parse_numbers(id, layout);
    return change;
}

dims checked(std::size_t id, const std::optional<dims> &strides, const dims &shape) {
    if (!strides)
        fail(status::invalid_shape, "tensor {}: the strides of shape {} do not fit 64 bits", id,
                to_string(shape));
    return *strides;
}

void set_layout(std::size_t id, const shape_change &change, tensor_desc &desc) {
    if (!change.tag.empty()) {
        std::optional<axis_order> order = order_from_tag(change.tag, desc.shape.rank());
        if (!order)
            fail_rewrite("option --in-shapes: tensor {}: tag '{}' is not an order of the first {} "
                         "letters",
                    id, change.tag, desc.shape.rank());
        desc.strides = checked(id, strides_in_order(desc.shape, *order), desc.shape);
    } else if (change.strides) {
        if (change.strides->rank() != desc.shape.rank())
            fail_rewrite(
                    "option --in-shapes: tensor {}: shape {} has {} axes, but there are {} strides",
                    id, to_string(desc.shape), desc.shape.rank(), change.strides->rank());
        desc.strides = *change.strides;
    } else {
        desc.strides = checked(id, dense_strides(desc.shape), desc.shape);
    }
    desc.layout = layout_type::strided;
}

/// For a tensor whose shape may have changed; see rewrite() for the rule.
void derive_strides(std::size_t id, const tensor_desc &in_file, tensor_desc &desc) {
    if (desc.layout == layout_type::any) {
        desc.strides = dims();
        return;
    }
    desc.layout = layout_type::strided;
    if (in_file.fully_known() && in_file.shape == desc.shape) {
        desc.strides = in_file.strides;
        return;
    }
    bool keeps_order = in_file.fully_known() && in_file.shape.rank() == desc.shape.rank()
                       && is_permuted_dense(in_file.shape, in_file.strides);
    desc.strides = checked(id,
            keeps_order ? strides_in_order(desc.shape, order_from_strides(in_file.strides))
                        : dense_strides(desc.shape),
            desc.shape);
}

} // namespace

void rewrite_input_shapes(working_graph &graph, const id_values &in_shapes) {
    for (auto &[id, desc] : graph.tensors) {
        if (!graph.is_input(id)) continue;
        auto change = in_shapes.find(id);
        if (change != in_shapes.end()) {
            shape_change wanted = parse_shape_change(id, change->second);
            if (wanted.shape) {
                desc.shape = *wanted.shape;
                desc.rank_known = true;
            }
            if (desc.shape_known()) set_layout(id, wanted, desc);
        }
        if (!desc.shape_known())
            fail(status::invalid_arguments,
                    "tensor {}: the shape of a graph input is unknown in the file; give it with "
                    "--in-shapes",
                    id);
        if (desc.layout == layout_type::strided && has_unknown(desc.strides))
            desc.strides = checked(id, dense_strides(desc.shape), desc.shape);
    }
}

void infer_shapes(working_graph &graph) {
    for (ir::op_spec &op : graph.file.ops) {
        const ir::op_def *def = ops::find(op.kind);
        if (def == nullptr)
            throw verdict(outcome::unimplemented, reason::none,
                    format_text("{} is not implemented", to_string(op.label())));
        if (!op.inputs.empty()) fit_channels(op, graph.tensors.at(op.inputs[0].id));
        ir::op_spec complete = op;
        std::vector<tensor_desc> in;
        for (ir::port &port : complete.inputs)
            in.push_back(port.desc = graph.tensors.at(port.id));
        for (const ir::port &port : complete.inputs)
            if (!port.desc.shape_known())
                throw verdict(outcome::unimplemented, reason::none,
                        format_text("{}: the shape of tensor {} depends on data",
                                to_string(op.label()), port.id));
        std::vector<tensor_desc> out;
        for (ir::port &port : complete.outputs) {
            tensor_desc desc = graph.tensors.at(port.id);
            desc.rank_known = false;
            desc.shape = desc.strides = dims();
            out.push_back(port.desc = desc);
        }
        ir::verify_schema(complete, *def);
        def->infer(op.label(), complete.attrs, in, out);
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::size_t id = op.outputs[i].id;
            if (out[i].shape_known()) {
                derive_strides(id, graph.in_file.at(id), out[i]);
            } else { // execution tells; nothing may read it in the same case
                out[i].layout = layout_type::strided;
                out[i].strides = dims(out[i].shape.rank(), unknown_dim);
            }
            graph.tensors.at(id) = out[i];
        }
    }
}

void rewrite_output_shapes(working_graph &graph, const id_values &in_shapes) {
    for (const auto &[id, text] : in_shapes) {
        if (graph.is_input(id)) continue;
        tensor_desc &desc = graph.tensors.at(id);
        if (!desc.shape_known())
            fail_rewrite("option --in-shapes: the shape of output {} depends on data", id);
        shape_change wanted = parse_shape_change(id, text);
        if (wanted.shape && !(*wanted.shape == desc.shape))
            fail_rewrite(
                    "option --in-shapes: output {} has shape {}, which follows from the inputs; "
                    "only its layout can be changed, but {} was given",
                    id, to_string(desc.shape), to_string(*wanted.shape));
        set_layout(id, wanted, desc);
    }
}

void rewrite_batch(working_graph &graph, std::int64_t size) {
    // Which inputs carry the batch shows in the shapes that the graph has without the change: those
    // whose first axis is that of an output, walked back from the outputs.
    formats::graph_file trial_file = graph.file;
    working_graph trial(trial_file);
    trial.tensors = graph.tensors;
    infer_shapes(trial);

    std::set<std::size_t> carries;
    for (std::size_t id : trial.written)
        if (trial.is_output(id)) carries.insert(id);
    const std::vector<ir::op_spec> &ops = graph.file.ops;
    for (std::size_t i = ops.size(); i-- > 0;) {
        for (const ir::port &output : ops[i].outputs) {
            const dims &whole = trial.tensors.at(output.id).shape;
            if (!carries.contains(output.id) || whole.empty()) continue;
            for (const ir::port &input : ops[i].inputs) {
                const dims &shape = trial.tensors.at(input.id).shape;
                if (shape.rank() == whole.rank() && shape[0] == whole[0]) carries.insert(input.id);
            }
        }
    }
    bool found = false;
    for (std::size_t id : carries) {
        if (!graph.is_input(id)) continue;
        found = true;
        tensor_desc before = graph.tensors.at(id);
        tensor_desc &desc = graph.tensors.at(id);
        desc.shape[0] = size;
        // Another number of equal pieces keeps the distances as long as the pieces do not overlap.
        bool outermost =
                before.layout == layout_type::strided && order_from_strides(before.strides)[0] == 0;
        if (!outermost || is_permuted_dense(before.shape, before.strides))
            derive_strides(id, before, desc);
    }
    if (!found) fail_rewrite("option --mb={}: no graph input carries a batch size", size);
}

} // namespace tern::driver
