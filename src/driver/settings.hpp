// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_SETTINGS_HPP
#define TERN_DRIVER_SETTINGS_HPP

/// \file
/// What the command line says. Names of members follow the options.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tern/types.hpp"

namespace tern::driver {

enum class run_mode {
    list,
    initialize,
    run,
    correctness,
    bitwise, ///< Two executions must give the same bits.
    performance,
    fast_performance,  ///< As performance, for 10 ms.
    single_performance ///< As performance, one execution.
};

/// True for the modes that end in a performance line.
inline bool measures(run_mode mode) {
    return mode == run_mode::performance || mode == run_mode::fast_performance
           || mode == run_mode::single_performance;
}

/// Global options: they stay in force until changed; --reset leaves them alone.
struct run_settings {
    bool onnx = false; ///< The driver: cases are ONNX models instead of graph files.
    run_mode mode = run_mode::correctness;
    int verbose = 0;
    double max_ms_per_prb = 3000;
    int fix_times_per_prb = 0;      ///< 0: as many as fit the time.
    bool parallel_creation = false; ///< --mode-modifier=P; changes nothing.
    bool no_host_memory = false;    ///< --mode-modifier=M; changes nothing.
    std::size_t start = 0;          ///< Cases before this one are skipped.
    bool list_failures = true;
    std::uint64_t seed = 0;
    double cond_density = 0.5; ///< Share of true condition bytes in performance mode.
    bool in_place = false;  ///< Performance mode: outputs share memory where the library offers it.
    double masked_rows = 0; ///< Share of softmax rows that the masks of a case mask entirely.
    std::string implementation; ///< The only one that may run; empty: the library chooses.
    std::string dump;           ///< Folder for .npy files; empty: none.
};

/// By tensor id or op id; the text of the value as given.
using id_values = std::map<std::size_t, std::string>;
using id_types = std::map<std::size_t, data_type>;
/// Of a model's dimensions, by name.
using dim_sizes = std::map<std::string, std::int64_t>;

struct fpmath_setting {
    fpmath_mode mode = fpmath_mode::strict;
    bool apply_to_int = false;
};

/// The options of one case. Default values mean: as the file says.
struct case_options {
    id_values in_shapes;
    id_values op_attrs;
    std::size_t expected_n_partitions = 1; ///< 0: any number.
    std::optional<fpmath_setting> fpmath;
    id_values op_kind;
    id_values tensor_property;
    data_type dt = data_type::undef;
    id_types dt_map;
    std::int64_t mb = 0;
};

/// The alternatives of every option; their product is what a --case token runs.
struct case_alternatives {
    std::vector<id_values> in_shapes = std::vector<id_values>(1);
    std::vector<id_values> op_attrs = std::vector<id_values>(1);
    std::vector<std::size_t> expected_n_partitions = {1};
    std::vector<std::optional<fpmath_setting>> fpmath = {std::nullopt};
    std::vector<id_values> op_kind = std::vector<id_values>(1);
    std::vector<id_values> tensor_property = std::vector<id_values>(1);
    std::vector<data_type> dt = {data_type::undef};
    std::vector<id_types> dt_map = std::vector<id_types>(1);
    std::vector<std::int64_t> mb = {0};
    std::vector<dim_sizes> dims = std::vector<dim_sizes>(1); ///< Of models.
};

/// One --case token with everything that was in force when it was read.
struct planned_case {
    std::string path; ///< Opens as it is, and is what __REPRO shows.
    case_alternatives alternatives;
    run_settings settings;
};

/// Calls `visit(const case_options &)` for every combination, in benchdnn's order: in-shapes
/// outermost, mb innermost.
template <typename Visit>
void for_each_combination(const case_alternatives &all, Visit visit) {
    for (const auto &in_shapes : all.in_shapes)
        for (const auto &op_attrs : all.op_attrs)
            for (auto partitions : all.expected_n_partitions)
                for (const auto &fpmath : all.fpmath)
                    for (const auto &op_kind : all.op_kind)
                        for (const auto &property : all.tensor_property)
                            for (auto dt : all.dt)
                                for (const auto &dt_map : all.dt_map)
                                    for (auto mb : all.mb)
                                        visit(case_options{in_shapes, op_attrs, partitions, fpmath,
                                                op_kind, property, dt, dt_map, mb});
}

} // namespace tern::driver

#endif
