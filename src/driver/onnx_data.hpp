// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_ONNX_DATA_HPP
#define TERN_DRIVER_ONNX_DATA_HPP

/// \file
/// ONNX models on disk with the data that tests of them store, and such data made up.

#include <string>
#include <vector>

#include "driver/compare.hpp"
#include "driver/settings.hpp"
#include "formats/onnx/model.hpp"
#include "tern/session.hpp"

namespace tern::driver {

/// The cases below a path, sorted: a file is one; so is a folder with a model.onnx in it; of any
/// other folder, all that lies below, files *.onnx included.
std::vector<std::string> find_onnx_cases(const std::string &path);

/// The model's file of a case.
std::string model_file(const std::string &case_path);

/// One test_data_set_N of a case.
struct data_set {
    std::string folder;
    std::vector<value> inputs;
    std::vector<value> outputs;
};

/// In the order of N; none where the case is a bare model. Throws tern::error naming the file.
std::vector<data_set> read_data_sets(
        const std::string &case_path, const formats::onnx::graph &graph, const session &runs);

/// Inputs made up from the seed: small numbers, half of the conditions true. A dimension without a
/// size has that of `dims`, else 2. Errors: invalid_arguments for a name that no input has.
std::vector<value> make_up_inputs(
        const session &runs, const dim_sizes &dims, const run_settings &settings);

/// The same inputs with conditions drawn anew, each true with the density of the settings.
std::vector<value> with_conditions(const std::vector<value> &inputs, const run_settings &settings);

/// Compares two values of any form. `exact`: every bit of a number counts.
comparison compare_values(const value &expected, const value &found, bool exact,
        const std::string &label, int verbose);

} // namespace tern::driver

#endif
