// SPDX-License-Identifier: Apache-2.0
#include "driver/partition_reference.hpp"

#include <algorithm>

#include "base/shape.hpp"
#include "driver/fill.hpp"
#include "driver/reference.hpp"

namespace tern::driver {
namespace {

tensor_desc dense(tensor_desc desc) {
    desc.layout = layout_type::strided;
    desc.strides = dense_strides(desc.shape).value_or(dims());
    return desc;
}

const tensor_desc *outside(const compiled_step &step, std::size_t id) {
    for (const compiled_port &port : step.outputs)
        if (port.id == id) return &port.desc;
    return nullptr;
}

/// For each tensor that an op of the step reads: the last such op.
std::map<std::size_t, std::size_t> last_readers(const compiled_step &step) {
    std::map<std::size_t, std::size_t> last;
    for (std::size_t i = 0; i < step.ops.size(); ++i)
        for (const ir::port &port : step.ops[i]->inputs)
            last[port.id] = i;
    return last;
}

/// What stays inside the partition and is not needed after op `i`.
std::vector<std::size_t> done_after(
        const compiled_step &step, const std::map<std::size_t, std::size_t> &last, std::size_t i) {
    std::vector<std::size_t> done;
    auto consider = [&](const ir::port &port) {
        auto at = last.find(port.id);
        const bool read_later = at != last.end() && at->second > i;
        if (!read_later && outside(step, port.id) == nullptr) done.push_back(port.id);
    };
    for (const ir::port &port : step.ops[i]->inputs)
        consider(port);
    for (const ir::port &port : step.ops[i]->outputs)
        consider(port);
    return done;
}

} // namespace

memory_map run_partition_reference(
        const compiled_step &step, const memory_map &inputs, error_model &errors) {
    const std::map<std::size_t, std::size_t> last = last_readers(step);
    memory_map values;
    for (std::size_t i = 0; i < step.ops.size(); ++i) {
        const ir::op_spec &op = *step.ops[i];
        std::vector<ir::const_view> in;
        for (const ir::port &port : op.inputs) {
            auto at = values.find(port.id);
            const buffer &input = at != values.end() ? at->second : inputs.at(port.id);
            in.push_back(input.view());
        }
        std::vector<tensor_desc> descs;
        for (const ir::port &port : op.outputs) {
            const tensor_desc *desc = outside(step, port.id);
            descs.push_back(desc != nullptr ? *desc : dense(port.desc));
        }
        complete_shapes(op, in, descs);
        std::vector<ir::mutable_view> out;
        for (std::size_t o = 0; o < descs.size(); ++o) {
            buffer output(descs[o]);
            fill_with_pattern(output);
            out.push_back(values.insert_or_assign(op.outputs[o].id, std::move(output))
                                  .first->second.view());
        }
        run_reference(op, in, out);
        errors.add(op, in, out);
        for (std::size_t id : done_after(step, last, i))
            values.erase(id);
    }
    return values;
}

std::uint64_t reference_bytes(const compiled_step &step) {
    const std::map<std::size_t, std::size_t> last = last_readers(step);
    std::map<std::size_t, std::uint64_t> sizes;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < step.ops.size(); ++i) {
        const ir::op_spec &op = *step.ops[i];
        ram_estimate held;
        for (const ir::port &port : op.outputs) {
            auto at = std::find_if(step.outputs.begin(), step.outputs.end(),
                    [&](const compiled_port &out) { return out.id == port.id; });
            sizes[port.id] = at != step.outputs.end()
                                     ? most_bytes(step, *at)
                                     : bytes_needed(dense(port.desc)).value_or(UINT64_MAX);
        }
        for (const auto &[id, bytes] : sizes)
            held.add(bytes);
        held.add(packed_bytes(op));
        most = std::max(most, held.bytes());
        for (std::size_t id : done_after(step, last, i))
            sizes.erase(id);
    }
    return most;
}

} // namespace tern::driver
