// SPDX-License-Identifier: Apache-2.0
#include "driver/case_text.hpp"

#include "base/data_type.hpp"
#include "base/text.hpp"
#include "formats/json/graph_file.hpp"

namespace tern::driver {
namespace {

std::string_view text_of(const std::string &value) {
    return value;
}

std::string text_of(std::int64_t value) {
    return std::to_string(value);
}

std::string_view text_of(data_type value) {
    return name_of(value);
}

template <typename Map>
void append_map(std::string &text, std::string_view option, const Map &values) {
    if (values.empty()) return;
    text += format_text("--{}=", option);
    std::string_view separator;
    for (const auto &[id, value] : values) {
        text += format_text("{}{}:{}", separator, id, text_of(value));
        separator = "+";
    }
    text += ' ';
}

char letter_of(run_mode mode) {
    switch (mode) {
        case run_mode::list: return 'L';
        case run_mode::initialize: return 'I';
        case run_mode::run: return 'R';
        case run_mode::bitwise: return 'B';
        case run_mode::performance: return 'P';
        case run_mode::fast_performance: return 'F';
        case run_mode::single_performance: return 'S';
        case run_mode::correctness: break;
    }
    return 'C';
}

} // namespace

std::string case_to_text(const case_options &options, const std::string &path) {
    std::string text;
    if (options.mb != 0) text += format_text("--mb={} ", options.mb);
    if (options.dt != data_type::undef) text += format_text("--dt={} ", name_of(options.dt));
    append_map(text, "dt", options.dt_map);
    append_map(text, "op-kind", options.op_kind);
    append_map(text, "tensor-property", options.tensor_property);
    append_map(text, "in-shapes", options.in_shapes);
    append_map(text, "op-attrs", options.op_attrs);
    if (options.fpmath)
        text += format_text("--attr-fpmath={}{} ", formats::name_of(options.fpmath->mode),
                options.fpmath->apply_to_int ? ":true" : "");
    if (options.expected_n_partitions != 1)
        text += format_text("--expected-n-partitions={} ", options.expected_n_partitions);
    return text + "--case=" + path;
}

std::string case_to_text(const dim_sizes &dims, const std::string &path) {
    std::string text;
    append_map(text, "dims", dims);
    return text + "--case=" + path;
}

std::string settings_to_text(const run_settings &settings) {
    const run_settings defaults;
    std::string text;
    if (settings.mode != defaults.mode) text += format_text("--mode={} ", letter_of(settings.mode));
    if (settings.parallel_creation) text += "--mode-modifier=P ";
    if (settings.no_host_memory) text += "--mode-modifier=M ";
    if (settings.mode != run_mode::fast_performance
            && settings.max_ms_per_prb != defaults.max_ms_per_prb)
        text += format_text("--max-ms-per-prb={} ", settings.max_ms_per_prb);
    if (settings.mode != run_mode::single_performance
            && settings.fix_times_per_prb != defaults.fix_times_per_prb)
        text += format_text("--fix-times-per-prb={} ", settings.fix_times_per_prb);
    if (!settings.implementation.empty())
        text += format_text("--impl={} ", settings.implementation);
    if (settings.seed != defaults.seed) text += format_text("--seed={} ", settings.seed);
    if (settings.cond_density != defaults.cond_density)
        text += format_text("--cond-density={} ", settings.cond_density);
    if (settings.masked_rows != defaults.masked_rows)
        text += format_text("--masked-rows={} ", settings.masked_rows);
    if (settings.in_place != defaults.in_place) text += "--in-place=true ";
    return text + (settings.onnx ? "--onnx " : "--graph ");
}

} // namespace tern::driver
