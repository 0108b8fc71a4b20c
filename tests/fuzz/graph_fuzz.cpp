// SPDX-License-Identifier: Apache-2.0
/// Any bytes as a case file: reader, writer, graph, compiler. What is wrong must end in a
/// tern::error. With TERN_FUZZ libFuzzer drives it; otherwise replay_main.cpp runs it over the
/// files it is given.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compiler/compile.hpp"
#include "formats/json/graph_file.hpp"
#include "ops/registry.hpp"

using namespace tern;

namespace {

void compile_all(const formats::graph_file &file) {
    static const runtime::engine_state engine{
            engine::kind::cpu, 0, runtime::default_allocate, runtime::default_deallocate};
    auto graph = std::make_shared<ir::graph>(ops::find);
    for (const ir::op_spec &spec : file.ops)
        graph->add_op(spec);
    graph->finalize();
    for (const auto &part : compiler::make_partitions(
                 graph, compiler::partition_policy::fusion, fpmath_mode::strict, false)) {
        std::vector<ir::port> in;
        std::vector<ir::port> out;
        for (int v : part->inputs)
            in.push_back(ir::port{part->value(v).id, part->value(v).desc});
        for (int v : part->outputs)
            out.push_back(ir::port{part->value(v).id, part->value(v).desc});
        compiler::compile(part, in, out, engine, "");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    try {
        std::string_view text(reinterpret_cast<const char *>(data), size);
        formats::graph_file file = formats::parse_graph(text, "fuzz");
        std::string once = formats::write_graph(file);
        if (formats::write_graph(formats::parse_graph(once, "again")) != once) std::abort();
        compile_all(file);
    } catch (const tern::error &) {
        // the one way out that bad input may take
    }
    return 0;
}
