// SPDX-License-Identifier: Apache-2.0
#include "formats/json/graph_checks.hpp"

#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "formats/json/document.hpp"

namespace tern::formats {
namespace {

bool agree(const tensor_desc &a, const tensor_desc &b, bool written_by_an_op) {
    if (a.type != b.type || a.form != b.form) return false;
    return written_by_an_op || a == b;
}

} // namespace

void check_consistency(const graph_file &graph, const graph_positions &positions,
        std::string_view text, const std::string &name) {
    std::unordered_set<std::size_t> op_ids;
    std::unordered_set<std::size_t> written;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const ir::op_spec &op = graph.ops[i];
        if (!op_ids.insert(op.id).second)
            fail(status::invalid_arguments, "{}: op {} ({}): the id is that of an earlier op, too",
                    position_in(text, name, positions.ops[i]), op.id, ir::name_of(op.kind));
        for (const ir::port &port : op.outputs)
            written.insert(port.id);
    }

    struct mention {
        const ir::port *port;
        const ir::op_spec *op;
    };
    std::unordered_map<std::size_t, mention> first;
    std::size_t index = 0;
    auto check = [&](const ir::op_spec &op, const ir::port &port) {
        std::size_t offset = positions.ports[index++];
        auto [at, fresh] = first.emplace(port.id, mention{&port, &op});
        if (fresh) return;
        const mention &other = at->second;
        if (agree(other.port->desc, port.desc, written.contains(port.id))) return;
        fail(status::invalid_arguments,
                "{}: op {} ({}): tensor {} is described as {}, but as {} at op {} ({})",
                position_in(text, name, offset), op.id, ir::name_of(op.kind), port.id,
                to_string(port.desc), to_string(other.port->desc), other.op->id,
                ir::name_of(other.op->kind));
    };
    for (const ir::op_spec &op : graph.ops) {
        for (const ir::port &port : op.inputs)
            check(op, port);
        for (const ir::port &port : op.outputs)
            check(op, port);
    }
}

} // namespace tern::formats
