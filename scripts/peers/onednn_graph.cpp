// SPDX-License-Identifier: Apache-2.0
// oneDNN Graph's leg for whole graphs, see leg.hpp and whole_graph.hpp.
#include <string>

#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_graph.hpp>

namespace api = dnnl::graph;
using api_fpmath = dnnl::fpmath_mode;

#include "whole_graph.hpp"

int main(int argc, char **argv) {
    const dnnl_version_t *v = dnnl_version();
    const std::string version = std::to_string(v->major) + "." + std::to_string(v->minor) + "."
                                + std::to_string(v->patch);
    return leg::run_bare(argc, argv, [&](const leg::arguments &given) {
        return leg::prepare_graph<dnnl::error>(given, version);
    });
}
