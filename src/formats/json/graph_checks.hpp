// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_JSON_GRAPH_CHECKS_HPP
#define TERN_FORMATS_JSON_GRAPH_CHECKS_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json/graph_file.hpp"

namespace tern::formats {

/// Offsets in the text of every op, and of every port in reading order (an op's inputs, then its
/// outputs).
struct graph_positions {
    std::vector<std::size_t> ops;
    std::vector<std::size_t> ports;
};

/// What no single op can show: an op id used twice, a tensor id described in two ways.
/// Throws tern::error (invalid_arguments) pointing at the second of the two.
void check_consistency(const graph_file &graph, const graph_positions &positions,
        std::string_view text, const std::string &name);

} // namespace tern::formats

#endif
