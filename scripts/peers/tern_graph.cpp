// SPDX-License-Identifier: Apache-2.0
// Tern's leg for whole graphs, see leg.hpp and whole_graph.hpp.
#include <tern/graph.hpp>

namespace api = tern::graph;
using api_fpmath = tern::fpmath_mode;

#include "whole_graph.hpp"

int main(int argc, char **argv) {
    return leg::run_bare(argc, argv, [](const leg::arguments &given) {
        return leg::prepare_graph<tern::error>(given, TERN_VERSION_STRING);
    });
}
