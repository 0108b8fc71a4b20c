// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_CORRECTNESS_HPP
#define TERN_DRIVER_CORRECTNESS_HPP

#include <cstddef>
#include <string>

#include "driver/execution.hpp"

namespace tern::driver {

/// Where --dump puts the tensors of one case.
class tensor_dump {
public:
    /// An empty folder name: nothing is written.
    tensor_dump(const std::string &folder, std::size_t case_index)
        : folder_(folder),
          case_index_(case_index) {}

    /// Writes <case index>_<side>_<id>.npy. Throws std::runtime_error.
    void write(const char *side, std::size_t id, const buffer &memory) const;
    void write_inputs(const memory_map &inputs) const;

private:
    const std::string &folder_;
    std::size_t case_index_;
};

/// Mode R: executes every partition once.
void run_once(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, const tensor_dump &dump, case_result &result);

/// Mode C: executes every partition and compares its outputs with those of the reference loops,
/// which are given the same inputs (of a later partition: what the library computed before); then
/// once more for each input that may share memory with an output. Inputs and the bytes between
/// output elements must stay as they were. Counts what is wrong in `result`.
void run_and_compare(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, const tensor_dump &dump, case_result &result);

/// Mode B: executes every partition twice and compares the bits. Counts as above.
void run_twice(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, case_result &result);

} // namespace tern::driver

#endif
