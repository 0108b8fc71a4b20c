// SPDX-License-Identifier: Apache-2.0
#include "driver/onnx_data.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/element.hpp"
#include "base/error.hpp"
#include "base/shape.hpp"
#include "driver/fill.hpp"
#include "driver/ram.hpp"
#include "driver/report.hpp"
#include "driver/result.hpp"
#include "formats/onnx/reader.hpp"

namespace tern::driver {
namespace {

namespace fs = std::filesystem;
namespace onnx = formats::onnx;

void collect(const fs::path &folder, std::vector<std::string> &found) {
    if (fs::exists(folder / "model.onnx")) {
        found.push_back(folder.string());
        return;
    }
    for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
        if (entry.is_directory())
            collect(entry.path(), found);
        else if (entry.path().extension() == ".onnx")
            found.push_back(entry.path().string());
    }
}

std::vector<std::byte> read_bytes(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) fail(status::invalid_arguments, "{}: cannot be read", path);
    std::vector<std::byte> bytes(text.size());
    std::copy_n(reinterpret_cast<const std::byte *>(text.data()), text.size(), bytes.data());
    return bytes;
}

value to_value(const onnx::tensor &source) {
    if (source.type == onnx::element_type::STRING)
        return value::strings(source.dims, source.strings);
    const data_type type = onnx::data_type_of(source.type);
    if (type == data_type::undef || !source.unreadable.empty())
        fail(status::unimplemented, "{}: elements of type {} are not supported", source.where,
                onnx::name_of(source.type));
    return value::borrow(type, source.dims, source.data.get(), source.data);
}

value to_value(const onnx::stored_value &stored, value_type declared) {
    if (stored.kind == onnx::value_kind::tensor) return to_value(stored.content);
    std::vector<value> items;
    for (const onnx::stored_value &element : stored.elements)
        items.push_back(to_value(element, {held_form(declared.form), declared.element}));
    if (stored.kind == onnx::value_kind::sequence) return value::sequence(declared.element, items);
    return items.empty() ? value::empty_optional({held_form(declared.form), declared.element})
                         : value::optional(items[0]);
}

/// The values of files such as input_0.pb; absent where there is no such file.
std::vector<value> read_values(const fs::path &folder, const char *what,
        const std::vector<onnx::value_info> &infos, const std::vector<session_port> &ports) {
    std::vector<value> values(ports.size());
    for (std::size_t i = 0; i < infos.size(); ++i) {
        const auto port = std::find_if(ports.begin(), ports.end(),
                [&](const session_port &p) { return p.name == infos[i].name; });
        const std::string path = (folder / format_text("{}_{}.pb", what, i)).string();
        if (port == ports.end() || !fs::exists(path)) continue;
        values[static_cast<std::size_t>(port - ports.begin())] =
                to_value(onnx::read_value(read_bytes(path), *infos[i].type, path), port->type);
    }
    return values;
}

buffer to_buffer(const value &tensor) {
    tensor_desc desc;
    desc.type = tensor.type().element;
    desc.rank_known = true;
    desc.layout = layout_type::strided;
    desc.shape.assign(tensor.shape().begin(), tensor.shape().end());
    desc.strides = dense_strides(desc.shape).value_or(dims());
    buffer memory(desc);
    if (memory.bytes() > 0) std::memcpy(memory.data(), tensor.data(), memory.bytes());
    return memory;
}

/// What two computations of one model may be apart: results of f32 and f64 agree to 1e-4 of the
/// element and 1e-5 of its row, others to some roundings.
acceptance accepted_for(data_type type, bool exact) {
    if (exact || !is_floating(type)) return compare_rule::exact_bits;
    acceptance accepted(compare_rule::close);
    const bool is_bf16 = type == data_type::bf16;
    const bool is_low = is_bf16 || type == data_type::f16;
    accepted.relative = is_bf16 ? 2e-2 : is_low ? 3e-3 : 1e-4;
    accepted.of_row = is_bf16 ? 1e-2 : is_low ? 2e-3 : 1e-5;
    accepted.floor = 1e-7;
    return accepted;
}

comparison one_error(const std::string &label, const std::string &text) {
    print_line(format_text("Error: {}: {}", label, text));
    comparison result;
    result.errors = result.total = 1;
    return result;
}

/// A name that no input has fails the case, as an id that is nowhere in a graph does.
void check_names(const session &runs, const dim_sizes &dims) {
    for (const auto &given : dims) {
        const auto is_given = [&](const session_dimension &dim) {
            return dim.size < 0 && dim.name == given.first;
        };
        const auto has_it = [&](const session_port &port) {
            return std::any_of(port.dims.begin(), port.dims.end(), is_given);
        };
        if (std::none_of(runs.inputs().begin(), runs.inputs().end(), has_it))
            fail(status::invalid_arguments,
                    "option --dims: no input of the model has a dimension named '{}'", given.first);
    }
}

/// What a model makes of its inputs is not known yet: the estimate is that results, and those of
/// the reference, take as much; and each input is made up in a copy.
void check_ram(const session_port &port, const value::dims &shape, ram_estimate &needed) {
    std::int64_t bytes = static_cast<std::int64_t>(bytes_of(port.type.element));
    for (std::int64_t size : shape)
        if (__builtin_mul_overflow(bytes, size, &bytes))
            fail(status::invalid_arguments, "input {}: its size does not fit 63 bits", port.name);
    for (int copy = 0; copy < 4; ++copy)
        needed.add(static_cast<std::uint64_t>(bytes));
    if (!needed.fits())
        throw verdict(outcome::skipped, reason::not_enough_ram,
                format_text("about {} bytes needed; there are {}, of which 75 % may be used",
                        needed.bytes(), usable_ram()));
}

} // namespace

std::vector<std::string> find_onnx_cases(const std::string &path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return {path};
    std::vector<std::string> found;
    collect(path, found);
    if (found.empty()) return {path}; // says itself that there is no model
    std::sort(found.begin(), found.end());
    return found;
}

std::string model_file(const std::string &case_path) {
    std::error_code ignored;
    if (!fs::is_directory(case_path, ignored)) return case_path;
    return (fs::path(case_path) / "model.onnx").string();
}

std::vector<data_set> read_data_sets(
        const std::string &case_path, const onnx::graph &graph, const session &runs) {
    std::vector<data_set> sets;
    for (int n = 0;; ++n) {
        const fs::path folder = fs::path(case_path) / format_text("test_data_set_{}", n);
        if (!fs::is_directory(folder)) return sets;
        sets.push_back({folder.string(), read_values(folder, "input", graph.inputs, runs.inputs()),
                read_values(folder, "output", graph.outputs, runs.outputs())});
    }
}

std::vector<value> make_up_inputs(
        const session &runs, const dim_sizes &dims, const run_settings &settings) {
    check_names(runs, dims);
    constexpr std::int64_t usual_size = 2;
    ram_estimate needed;
    std::vector<value> inputs;
    for (const session_port &port : runs.inputs()) {
        if (port.type.form != value_form::tensor) {
            inputs.emplace_back();
            continue;
        }
        value::dims shape;
        for (const session_dimension &dim : port.dims)
            if (dim.size >= 0) {
                shape.push_back(dim.size);
            } else {
                const auto given = dims.find(dim.name);
                shape.push_back(given == dims.end() ? usual_size : given->second);
            }
        check_ram(port, shape, needed);
        void *data = nullptr;
        value made = value::make_tensor(port.type.element, shape, data);
        buffer memory = to_buffer(made);
        input_role role;
        role.condition = port.type.element == data_type::boolean;
        role.kind = value_kind::numbers;
        role.port = static_cast<int>(inputs.size());
        role.most = 1;
        fill_for_comparison(memory, inputs.size(), role, settings.seed);
        if (memory.bytes() > 0) std::memcpy(data, memory.data(), memory.bytes());
        inputs.push_back(std::move(made));
    }
    return inputs;
}

std::vector<value> with_conditions(const std::vector<value> &inputs, const run_settings &settings) {
    std::vector<value> result = inputs;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!result[i].is_tensor() || result[i].type().element != data_type::boolean) continue;
        buffer memory = to_buffer(result[i]);
        input_role role;
        role.condition = true;
        fill_for_measuring(memory, i, role, settings.seed, settings.cond_density);
        result[i] = value::tensor(data_type::boolean, result[i].shape(), memory.data());
    }
    return result;
}

comparison compare_values(const value &expected, const value &found, bool exact,
        const std::string &label, int verbose) {
    if (expected.is_absent() || found.is_absent() || expected.type() != found.type())
        return one_error(
                label, format_text("{} was expected, found {}",
                               expected.is_absent() ? "nothing" : to_string(expected.type()),
                               found.is_absent() ? "nothing" : to_string(found.type())));
    if (expected.is_optional()) {
        if (expected.has_element() != found.has_element())
            return one_error(label,
                    expected.has_element() ? "an element was expected" : "no element was expected");
        if (!expected.has_element()) return {0, 1, false};
        return compare_values(expected.element(), found.element(), exact, label, verbose);
    }
    if (expected.is_sequence()) {
        if (expected.size() != found.size())
            return one_error(label, format_text("{} elements were expected, found {}",
                                            expected.size(), found.size()));
        comparison sum{0, 1, false};
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const comparison one = compare_values(
                    expected.at(i), found.at(i), exact, format_text("{}[{}]", label, i), verbose);
            sum.errors += one.errors;
            sum.total += one.total;
        }
        return sum;
    }
    const buffer want = to_buffer(expected);
    const buffer got = to_buffer(found);
    if (!(want.desc().shape == got.desc().shape))
        return one_error(label, format_text("shape {} was expected, found {}",
                                        to_string(want.desc().shape), to_string(got.desc().shape)));
    return compare(want, got, accepted_for(expected.type().element, exact), label, verbose);
}

} // namespace tern::driver
