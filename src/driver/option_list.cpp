// SPDX-License-Identifier: Apache-2.0
#include "driver/option_list.hpp"

#include <algorithm>
#include <array>
#include <climits>

#include "base/data_type.hpp"
#include "driver/option_values.hpp"
#include "formats/json/graph_file.hpp"

namespace tern::driver {
namespace {

void set_mode(std::string_view value, const option_target &target) {
    if (value.empty()) {
        target.settings.mode = run_mode::correctness;
        return;
    }
    if (value.size() > 1) fail_usage(1, "option --mode: expected one letter, found '{}'", value);
    switch (value[0]) {
        case 'l':
        case 'L': target.settings.mode = run_mode::list; return;
        case 'i':
        case 'I': target.settings.mode = run_mode::initialize; return;
        case 'r':
        case 'R': target.settings.mode = run_mode::run; return;
        case 'c':
        case 'C': target.settings.mode = run_mode::correctness; return;
        case 'p':
        case 'P': target.settings.mode = run_mode::performance; return;
        case 'f':
        case 'F': target.settings.mode = run_mode::fast_performance; return;
        case 's':
        case 'S': target.settings.mode = run_mode::single_performance; return;
        case 'b':
        case 'B': target.settings.mode = run_mode::bitwise; return;
        default:
            fail_usage(1, "option --mode: expected L, I, R, C, B, P, F or S, found '{}'", value);
    }
}

void set_mode_modifier(std::string_view value, const option_target &target) {
    run_settings &settings = target.settings;
    if (value.empty())
        settings.parallel_creation = settings.no_host_memory = false;
    else if (value == "P" || value == "p")
        settings.parallel_creation = true;
    else if (value == "M" || value == "m")
        settings.no_host_memory = true;
    else
        fail_usage(1, "option --mode-modifier: expected P, M or nothing, found '{}'", value);
}

void set_verbose(std::string_view value, const option_target &target) {
    target.settings.verbose = static_cast<int>(parse_integer("verbose", value, 0, INT_MAX));
}

void set_engine(std::string_view value, const option_target &) {
    if (value == "cpu" || value == "cpu:0") return;
    if (value.substr(0, 3) == "gpu")
        fail_usage(2, "option --engine: '{}': this release has no GPU engine; cpu is available",
                value);
    fail_usage(1, "option --engine: expected cpu or cpu:0, found '{}'", value);
}

void set_max_ms(std::string_view value, const option_target &target) {
    double wanted = parse_real("max-ms-per-prb", value, 0, 1e300);
    if (target.settings.mode == run_mode::fast_performance)
        fail_usage(2, "option --max-ms-per-prb: mode F sets the time; use mode P");
    target.settings.max_ms_per_prb = std::clamp(wanted, 10.0, 60000.0);
}

void set_fix_times(std::string_view value, const option_target &target) {
    if (target.settings.mode == run_mode::single_performance)
        fail_usage(2, "option --fix-times-per-prb: mode S executes once; use mode P");
    target.settings.fix_times_per_prb =
            static_cast<int>(parse_integer("fix-times-per-prb", value, 0, INT_MAX));
}

void set_summary(std::string_view value, const option_target &target) {
    if (value == "failures" || value == "no-failures")
        target.settings.list_failures = value == "failures";
    else if (value.size() >= 4 && value.find("impl") != std::string_view::npos)
        fail_usage(2, "option --summary: '{}' is not available in this release", value);
    else
        fail_usage(1, "option --summary: expected failures or no-failures, found '{}'", value);
}

void set_cond_density(std::string_view value, const option_target &target) {
    target.settings.cond_density = parse_real("cond-density", value, 0, 1);
}

void set_seed(std::string_view value, const option_target &target) {
    std::optional<std::size_t> seed = to_id(value);
    if (!seed) fail_usage(1, "option --seed: expected a number, found '{}'", value);
    target.settings.seed = *seed;
}

void set_in_place(std::string_view value, const option_target &target) {
    target.settings.in_place = parse_bool("in-place", value);
}

void set_start(std::string_view value, const option_target &target) {
    target.settings.start = static_cast<std::size_t>(parse_integer("start", value, 0, INT64_MAX));
}

void set_masked_rows(std::string_view value, const option_target &target) {
    target.settings.masked_rows = parse_real("masked-rows", value, 0, 1);
}

void set_impl(std::string_view value, const option_target &target) {
    target.settings.implementation = value;
}

void set_dump(std::string_view value, const option_target &target) {
    target.settings.dump = value;
}

// Where benchdnn does not look at an empty value of an ID:VALUE option at all, neither do these.

void set_in_shapes(std::string_view value, const option_target &target) {
    if (!value.empty()) target.alternatives.in_shapes = parse_id_values("in-shapes", value);
}

void set_op_attrs(std::string_view value, const option_target &target) {
    if (!value.empty()) target.alternatives.op_attrs = parse_id_values("op-attrs", value);
}

void set_op_kind(std::string_view value, const option_target &target) {
    if (value.find(':') == std::string_view::npos)
        fail_usage(1, "option --op-kind: expected OPID:KIND, found '{}'", value);
    target.alternatives.op_kind = parse_id_values("op-kind", value);
}

void set_tensor_property(std::string_view value, const option_target &target) {
    if (value.empty()) return;
    std::vector<id_values> cases = parse_id_values("tensor-property", value);
    for (const id_values &values : cases)
        for (const auto &[id, word] : values)
            if (!formats::property_from_name(word))
                fail_usage(1,
                        "option --tensor-property: expected undef, variable, constant or "
                        "host_scalar for id {}, found '{}'",
                        id, word);
    target.alternatives.tensor_property = std::move(cases);
}

data_type parse_type(std::string_view text) {
    std::optional<data_type> type = data_type_from_name(text);
    if (!type) fail_usage(1, "option --dt: expected a data type, found '{}'", text);
    return *type;
}

void set_dt(std::string_view value, const option_target &target) {
    case_alternatives &all = target.alternatives;
    const case_alternatives defaults;
    constexpr std::string_view both =
            "option --dt: '{}': a list of types and a map of ids to types cannot both be in force; "
            "put --reset between them";
    if (value.find(':') == std::string_view::npos) {
        if (all.dt_map != defaults.dt_map) fail_usage(1, both, value);
        all.dt.clear();
        for (const std::string &type : split(value, ','))
            all.dt.push_back(type.empty() ? data_type::undef : parse_type(type));
        return;
    }
    if (all.dt != defaults.dt) fail_usage(1, both, value);
    all.dt_map.clear();
    for (const id_values &values : parse_id_values("dt", value)) {
        id_types types;
        for (const auto &[id, type] : values)
            types[id] = parse_type(type);
        all.dt_map.push_back(std::move(types));
    }
}

void set_mb(std::string_view value, const option_target &target) {
    std::vector<std::int64_t> sizes;
    if (value.empty())
        sizes.push_back(0);
    else
        for (const std::string &size : split(value, ','))
            sizes.push_back(parse_integer("mb", size, 0, INT64_MAX));
    target.alternatives.mb = std::move(sizes);
}

void set_expected_n_partitions(std::string_view value, const option_target &target) {
    // As in benchdnn, the last number of a list is the one that counts.
    for (const std::string &number : split(value, ','))
        if (!number.empty())
            target.alternatives.expected_n_partitions = {static_cast<std::size_t>(
                    parse_integer("expected-n-partitions", number, 0, INT_MAX))};
}

void set_fpmath(std::string_view value, const option_target &target) {
    auto &all = target.alternatives.fpmath;
    for (const std::string &entry : split(value, ',')) {
        if (entry.empty()) continue;
        std::vector<std::string> parts = split(entry, ':');
        std::optional<fpmath_mode> mode = formats::fpmath_mode_from_name(parts[0]);
        if (!mode || parts.size() > 2)
            fail_usage(1,
                    "option --attr-fpmath: expected strict, bf16, f16, any or tf32, each with or "
                    "without :true or :false, found '{}'",
                    entry);
        fpmath_setting setting{*mode, false};
        if (parts.size() == 2) setting.apply_to_int = parse_bool("attr-fpmath", parts[1]);
        // As in benchdnn, modes add up over repeated options until --reset.
        if (all.size() == 1 && !all.front()) all.clear();
        all.emplace_back(setting);
    }
}

void set_dims(std::string_view value, const option_target &target) {
    target.alternatives.dims.clear();
    for (const std::string &one : split(value, ',')) {
        dim_sizes sizes;
        std::string entry; // names such as past+1 have a plus of their own
        for (const std::string &part : split(one, '+')) {
            entry += entry.empty() ? part : '+' + part;
            const std::size_t colon = entry.rfind(':');
            if (entry.empty() || colon == std::string::npos) continue;
            const std::string name = entry.substr(0, colon);
            if (name.empty()) fail_usage(1, "option --dims: expected NAME:SIZE, found '{}'", entry);
            const std::int64_t size =
                    parse_integer("dims", std::string_view(entry).substr(colon + 1), 0, INT64_MAX);
            if (!sizes.emplace(name, size).second)
                fail_usage(1, "option --dims: '{}' is given twice", name);
            entry.clear();
        }
        if (!entry.empty()) fail_usage(1, "option --dims: expected NAME:SIZE, found '{}'", entry);
        target.alternatives.dims.push_back(std::move(sizes));
    }
}

constexpr std::array<value_option, 14> globals = {{
        {"mode", true, set_mode, "L|I|R|C|B|P|F|S",
                "list; initialise; run; check results (default); check that two executions give "
                "the same bits; measure; measure for 10 ms; measure once"},
        {"mode-modifier", true, set_mode_modifier, "P|M", "benchdnn's; change nothing here"},
        {"verbose", true, set_verbose, "N", "how much to print; -vN for short (0)"},
        {"engine", true, set_engine, "cpu", "the only engine there is"},
        {"max-ms-per-prb", true, set_max_ms, "N",
                "mode P: milliseconds for each case, 10 to 60000 (3000)"},
        {"fix-times-per-prb", true, set_fix_times, "N",
                "mode P: executions of each case; 0: as time allows (0)"},
        {"summary", true, set_summary, "[no-]failures", "list failed cases at the end (failures)"},
        {"start", true, set_start, "N", "skip the cases before this one (0)"},
        {"impl", true, set_impl, "NAME",
                "the only implementation that may run, such as reference; ops then run one by one"},
        {"seed", true, set_seed, "N", "another set of input values (0)"},
        {"cond-density", true, set_cond_density, "P",
                "mode P: share of true condition bytes (0.5)"},
        {"masked-rows", true, set_masked_rows, "P",
                "modes C, R and B: share of softmax rows that are masked entirely (0)"},
        {"in-place", true, set_in_place, "BOOL",
                "mode P: share memory of inputs and outputs where possible (false)"},
        {"dump", true, set_dump, "DIR", "write inputs and outputs of each case as .npy files"},
}};

constexpr std::array<value_option, 8> per_graph = {{
        {"in-shapes", false, set_in_shapes, "ID:SHAPE[*TAG|*STRIDES][+...]",
                "shapes and layouts of inputs, layouts of outputs"},
        {"op-attrs", false, set_op_attrs, "OPID:NAME:VALUE[*NAME:VALUE...][+...]",
                "attributes of ops"},
        {"op-kind", false, set_op_kind, "OPID:KIND[+...]",
                "kinds of binary and unary ops; undef removes one"},
        {"tensor-property", false, set_tensor_property, "ID:PROPERTY[+...]",
                "undef, variable, constant or host_scalar"},
        {"dt", false, set_dt, "TYPE | ID:TYPE[+...]",
                "data types, of the whole graph or by tensor"},
        {"mb", false, set_mb, "N", "batch size; 0: as in the file"},
        {"expected-n-partitions", false, set_expected_n_partitions, "N",
                "fail with another number; 0: any (1)"},
        {"attr-fpmath", false, set_fpmath, "MODE[:BOOL]",
                "strict, bf16, f16, any or tf32; whether for integers, too"},
}};

constexpr std::array<value_option, 1> per_model = {{
        {"dims", false, set_dims, "NAME:SIZE[+...]",
                "sizes of dimensions that the model only names; inputs are made up then"},
}};

constexpr std::array<std::string_view, 23> not_here = {"repeats-per-prb", "cold-cache",
        "num-streams", "execution-mode", "allow-enum-tags-only", "canonical", "fast-ref",
        "mem-check", "attr-same-pd-check", "check-ref-impl", "global-impl", "global-skip-impl",
        "stream-kind", "memory-kind", "cpu-isa-hints", "buffer-prefix", "perf-template",
        "skip-impl", "match", "ctx-init", "ctx-exe", "inplace", "alg"};

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

} // namespace

std::span<const value_option> global_options() {
    return globals;
}

std::span<const value_option> graph_options() {
    return per_graph;
}

std::span<const value_option> onnx_options() {
    return per_model;
}

bool is_other_benchdnn_option(std::string_view name) {
    return name.substr(0, 5) == "attr-"
           || std::find(not_here.begin(), not_here.end(), name) != not_here.end();
}

std::vector<std::string_view> similar_options(std::string_view name) {
    constexpr std::size_t longest_looked_at = 100;
    // benchdnn's bound: at most six changes, and at least one letter in common.
    const std::size_t bound = std::min<std::size_t>(name.empty() ? 0 : name.size() - 1, 6);
    std::vector<std::pair<std::size_t, std::string_view>> found;
    auto consider = [&](std::string_view option) {
        std::size_t d = distance(name.substr(0, longest_looked_at), option);
        if (d <= bound) found.emplace_back(d, option);
    };
    for (const value_option &option : globals)
        consider(option.name);
    for (const value_option &option : per_graph)
        consider(option.name);
    for (const value_option &option : per_model)
        consider(option.name);
    for (std::string_view option : {"case", "batch", "reset", "help", "graph"})
        consider(option);
    std::sort(found.begin(), found.end());
    std::vector<std::string_view> names;
    for (const auto &[d, option] : found)
        names.push_back(option);
    return names;
}

} // namespace tern::driver
