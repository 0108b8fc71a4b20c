// SPDX-License-Identifier: Apache-2.0
#include "api/dump.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/dot/graph_dot.hpp"
#include "formats/json/graph_file.hpp"
#include "ir/print.hpp"
#include "runtime/environment.hpp"
#include "runtime/verbose.hpp"

namespace tern::graph {
namespace {

constexpr unsigned all_modes =
        static_cast<unsigned>(graph_dump_mode::graph | graph_dump_mode::subgraph);
constexpr unsigned bit_known = 4; // the environment was looked at, or the API has spoken
static_assert((all_modes & bit_known) == 0);

std::atomic<unsigned> modes{0};

unsigned modes_of_environment() {
    const runtime::graph_dump &wanted = runtime::environment_graph_dump();
    graph_dump_mode mode = graph_dump_mode::none;
    if (wanted.graph) mode = mode | graph_dump_mode::graph;
    if (wanted.subgraph) mode = mode | graph_dump_mode::subgraph;
    return static_cast<unsigned>(mode) | bit_known;
}

/// An errno of 0 counts as an I/O error.
std::string reason_of(int code) {
    return std::system_category().message(code != 0 ? code : EIO);
}

void write_file(const std::string &name, const std::string &text) {
    const std::string &folder = runtime::environment_graph_dump_dir();
    std::string path = folder.empty() ? name : folder + "/" + name;
    // One at a time: threads that compile the same write the same file.
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    errno = 0;
    std::FILE *file = std::fopen(path.c_str(), "wb");
    bool good = file != nullptr;
    if (good) good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    int code = errno;
    if (file && std::fclose(file) != 0) {
        if (good) code = errno;
        good = false;
    }
    if (!good && runtime::verbose().any())
        runtime::write_verbose("graph,dump:failed,cpu,{}: {}", path, reason_of(code));
}

/// One graph or partition on its way to its files.
struct dump {
    formats::graph_file file;
    std::vector<formats::dot_cluster> clusters;

    void write(const std::string &name) const { write(name, formats::write_graph(as_read())); }

    /// With the JSON text made already.
    void write(const std::string &name, const std::string &json) const {
        write_file(name + ".json", json);
        const runtime::graph_dump &wanted = runtime::environment_graph_dump();
        if (wanted.dot) write_file(name + ".dot", formats::write_dot(name, file.ops, clusters));
        if (wanted.text) write_file(name + ".txt", ir::print(file.ops));
    }

    /// Readers take a layout that is not `any` as strided; written like that, a file that is read
    /// and written again stays as it is.
    formats::graph_file as_read() const {
        formats::graph_file result = file;
        auto settle = [](std::vector<ir::port> &ports) {
            for (ir::port &p : ports) {
                if (!p.desc.is_tensor() || p.desc.layout == layout_type::any
                        || p.desc.layout == layout_type::strided)
                    continue;
                p.desc.layout = layout_type::strided;
                p.desc.strides = dims(p.desc.shape.rank(), unknown_dim);
            }
        };
        for (ir::op_spec &op : result.ops) {
            settle(op.inputs);
            settle(op.outputs);
        }
        return result;
    }
};

dump make_dump(std::vector<ir::op_spec> ops, fpmath_mode fpmath, bool fpmath_on_integers) {
    dump result;
    result.file.version = TERN_VERSION_STRING;
    result.file.engine_kind = "cpu";
    result.file.fpmath = fpmath;
    result.file.fpmath_apply_to_int = fpmath_on_integers;
    result.file.ops = std::move(ops);
    return result;
}

dump whole_graph(const dumped_graph &g) {
    dump result = make_dump(ir::specs_of(g.graph), g.fpmath, g.fpmath_on_integers);
    std::vector<bool> is_read(g.graph.values().size());
    for (const ir::op &op : g.graph.ops())
        if (op.kind != op_kind::End) // it marks an output
            for (int v : op.inputs)
                is_read[static_cast<std::size_t>(v)] = true;
    for (std::size_t i = 0; i < is_read.size(); ++i) {
        const ir::value &value = g.graph.values()[i];
        if (value.producer < 0)
            result.file.input_ports.push_back(value.id);
        else if (!is_read[i])
            result.file.output_ports.push_back(value.id);
    }
    return result;
}

/// What was compiled, by tensor id.
std::unordered_map<std::size_t, const tensor_desc *> compiled_descs(
        const compiler::compiled &compiled) {
    const compiler::partition &part = *compiled.part;
    std::unordered_map<std::size_t, const tensor_desc *> descs;
    auto take = [&](const std::vector<int> &values, const std::vector<runtime::plan_port> &ports) {
        for (std::size_t i = 0; i < values.size() && i < ports.size(); ++i)
            descs[part.value(values[i]).id] = &ports[i].desc;
    };
    take(part.inputs, compiled.plan->parts().inputs);
    take(part.outputs, compiled.plan->parts().outputs);
    return descs;
}

/// FNV-1a: the same in every process, unlike std::hash.
std::uint64_t hash_of(const std::string &text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

} // namespace

std::size_t next_graph_id() {
    static std::atomic<std::size_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

bool dumps(graph_dump_mode what) {
    unsigned bits = modes.load(std::memory_order_relaxed);
    if (!(bits & bit_known)) {
        unsigned found = modes_of_environment();
        // When set_dump_mode was faster, that counts: the exchange then loads what it set.
        if (modes.compare_exchange_strong(bits, found, std::memory_order_relaxed)) bits = found;
    }
    return (bits & static_cast<unsigned>(what)) != 0;
}

void set_dump_mode(graph_dump_mode mode) {
    auto bits = static_cast<unsigned>(mode);
    if ((bits & ~all_modes) != 0)
        fail(status::invalid_arguments,
                "set_dump_mode: {:#x} given; expected none, subgraph, graph, or both", bits);
    modes.store(bits | bit_known, std::memory_order_relaxed);
}

void dump_graph(const dumped_graph &g) noexcept try {
    whole_graph(g).write(format_text("graph-{}", g.id));
} catch (...) {
    // Memory ran out: no dump.
}

void dump_partitioning(const dumped_graph &g,
        std::span<const std::shared_ptr<const compiler::partition>> parts) noexcept try {
    dump result = whole_graph(g);
    for (const auto &part : parts) {
        formats::dot_cluster cluster{
                format_text("partition {}{}", part->id, part->is_supported ? "" : " (unsupported)"),
                {}};
        for (int index : part->ops) {
            std::size_t id = part->op(index).id;
            cluster.ops.push_back(id);
            result.file.placements[id] = {static_cast<std::int64_t>(part->id),
                    part->is_supported ? "tern_backend" : "unsupported"};
        }
        result.clusters.push_back(std::move(cluster));
    }
    result.write(format_text("graph-{}-partitioning", g.id));
} catch (...) {
    // As in dump_graph.
}

void dump_compiled(const compiler::compiled &compiled) noexcept try {
    const compiler::partition &part = *compiled.part;
    dump result =
            make_dump(ir::specs_of(*part.graph, part.ops), part.fpmath, part.fpmath_on_integers);
    auto descs = compiled_descs(compiled);
    for (ir::op_spec &op : result.file.ops)
        for (std::vector<ir::port> *ports : {&op.inputs, &op.outputs})
            for (ir::port &p : *ports)
                if (auto found = descs.find(p.id); found != descs.end()) p.desc = *found->second;
    for (int v : part.inputs)
        result.file.input_ports.push_back(part.value(v).id);
    for (int v : part.outputs)
        result.file.output_ports.push_back(part.value(v).id);
    std::string json = formats::write_graph(result.as_read());
    result.write(format_text("graph-{}-{}", part.id, hash_of(json)), json);
} catch (...) {
    // As in dump_graph.
}

} // namespace tern::graph
