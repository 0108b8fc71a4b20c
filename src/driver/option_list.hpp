// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_OPTION_LIST_HPP
#define TERN_DRIVER_OPTION_LIST_HPP

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/settings.hpp"

namespace tern::driver {

/// What an option's value changes. Only one of the two is looked at.
struct option_target {
    run_settings &settings;
    case_alternatives &alternatives;
};

/// An option that takes a value and leaves a mark in the settings. --case, --batch, --graph,
/// --reset and --help do something else and are not among them.
struct value_option {
    std::string_view name;
    bool global; ///< May stand before --graph, too.
    void (*set)(std::string_view value, const option_target &target);
    std::string_view value_name;
    std::string_view help;
};

std::span<const value_option> global_options();
std::span<const value_option> graph_options();
std::span<const value_option> onnx_options();

/// True for an option that benchdnn has and this driver does not.
bool is_other_benchdnn_option(std::string_view name);

/// Names of this driver's options that look like `name`, best first.
std::vector<std::string_view> similar_options(std::string_view name);

} // namespace tern::driver

#endif
