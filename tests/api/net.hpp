// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_API_NET_HPP
#define TERN_TESTS_API_NET_HPP

/// \file
/// Graphs of many ops with their values, as short to write down as in a framework.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tern/graph.hpp"

namespace tern::graph::tests {

using memory_by_id = std::map<std::size_t, std::vector<std::uint8_t>>;

/// Compiles the partitions and executes them one after the other; `values` has the graph's inputs
/// and is given the rest. Returns how many partitions there are.
inline std::size_t run_partitions(const std::vector<partition> &all, memory_by_id &values) {
    engine where(engine::kind::cpu, 0);
    stream queue(where);
    for (const partition &part : all) {
        auto compiled = part.compile(part.get_input_ports(), part.get_output_ports(), where);
        std::vector<const void *> in;
        std::vector<void *> out;
        for (const logical_tensor &port : part.get_input_ports())
            in.push_back(values.at(port.get_id()).data());
        for (const logical_tensor &port : part.get_output_ports()) {
            std::vector<std::uint8_t> &held = values[port.get_id()];
            held.assign(compiled.query_logical_tensor(port.get_id()).get_mem_size(), 0xA5);
            out.push_back(held.data());
        }
        compiled.execute(queue, in.data(), out.data());
    }
    return all.size();
}

/// A tensor of a net.
struct node {
    std::size_t id;
    data_type type;
    logical_tensor::dims shape;

    logical_tensor described() const { return {id, type, shape, layout_type::strided}; }
};

using attr_value = std::variant<std::int64_t, float, bool, const char *>;
using attr_list = std::vector<std::pair<op::attr, attr_value>>;

class net {
public:
    /// `T` fits the type; the values repeat until the shape is full.
    template <typename T>
    node input(data_type type, const logical_tensor::dims &shape, const std::vector<T> &values) {
        node made{next_id_++, type, shape};
        std::size_t count = 1;
        for (std::int64_t dim : shape)
            count *= static_cast<std::size_t>(dim);
        std::vector<std::uint8_t> &held = values_[made.id];
        held.resize(count * sizeof(T));
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(held.data() + i * sizeof(T), &values[i % values.size()], sizeof(T));
        return made;
    }
    node input(const logical_tensor::dims &shape, const std::vector<float> &values) {
        return input(data_type::f32, shape, values);
    }
    /// 't' and 'f' by element, repeated.
    node condition(const logical_tensor::dims &shape, const char *values) {
        std::vector<std::uint8_t> bytes;
        for (const char *at = values; *at != 0; ++at)
            bytes.push_back(*at == 't' ? 1 : 0);
        return input(data_type::boolean, shape, bytes);
    }

    node add(op::kind kind, const std::vector<node> &in, data_type type,
            const logical_tensor::dims &shape, const attr_list &attrs = {}) {
        node made{next_id_++, type, shape};
        std::vector<logical_tensor> sources;
        sources.reserve(in.size());
        for (const node &one : in)
            sources.push_back(one.described());
        op added(next_op_++, kind, sources, {made.described()});
        for (const auto &[name, value] : attrs)
            std::visit(
                    [&, attr = name](auto v) {
                        if constexpr (std::is_same_v<decltype(v), const char *>)
                            added.set_attr<std::string>(attr, v);
                        else
                            added.set_attr(attr, v);
                    },
                    value);
        graph_.add_op(added);
        return made;
    }
    /// f32, shaped like its first operand.
    node add(op::kind kind, const std::vector<node> &in, const attr_list &attrs = {}) {
        return add(kind, in, data_type::f32, in[0].shape, attrs);
    }

    /// Runs the graph as it is fused, and op by op. Call once, after the last op.
    void run() {
        graph_.finalize();
        fused_ = values_;
        partitions_ = run_partitions(graph_.get_partitions(partition::policy::fusion), fused_);
        run_partitions(graph_.get_partitions(partition::policy::debug), values_);
    }
    std::size_t partitions() const { return partitions_; }

    template <typename T = float>
    std::vector<T> fused(const node &of) const {
        return read<T>(fused_.at(of.id));
    }
    template <typename T = float>
    std::vector<T> unfused(const node &of) const {
        return read<T>(values_.at(of.id));
    }

private:
    template <typename T>
    static std::vector<T> read(const std::vector<std::uint8_t> &bytes) {
        std::vector<T> result(bytes.size() / sizeof(T));
        if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
        return result;
    }

    graph graph_{engine::kind::cpu};
    std::size_t next_id_ = 0;
    std::size_t next_op_ = 0;
    std::size_t partitions_ = 0;
    memory_by_id values_;
    memory_by_id fused_;
};

} // namespace tern::graph::tests

#endif
