// SPDX-License-Identifier: Apache-2.0
/// Any bytes as an ONNX file: as a model and as each kind of value that test data holds. What is
/// wrong must end in a tern::error, and what is read must be what the reader promises. With
/// TERN_FUZZ libFuzzer drives it; otherwise replay_main.cpp runs it over the files it is given.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "base/data_type.hpp"
#include "base/shape.hpp"
#include "formats/onnx/reader.hpp"

using namespace tern;
using namespace tern::formats::onnx;

namespace {

void demand(bool condition) {
    if (!condition) std::abort();
}

void check(const tensor &t) {
    demand(!t.where.empty());
    if (!t.unreadable.empty()) return;
    dims shape;
    shape.assign(t.dims.begin(), t.dims.end());
    const std::optional<std::int64_t> count = element_count(shape);
    demand(count.has_value());
    if (t.type == element_type::STRING) {
        demand(t.strings.size() == static_cast<std::size_t>(*count));
        return;
    }
    demand(t.bytes == static_cast<std::size_t>(*count) * tern::bytes_of(data_type_of(t.type)));
    demand((t.data != nullptr) == (t.bytes > 0));
    // Every byte is there.
    demand(std::string(reinterpret_cast<const char *>(t.data.get()), t.bytes).size() == t.bytes);
}

void check(const graph &g) {
    for (const tensor &t : g.initializers)
        check(t);
    for (const node &n : g.nodes)
        for (const attribute &a : n.attributes) {
            demand(a.kind != attribute_kind::UNDEFINED || !a.reference.empty());
            for (const tensor &t : a.tensors)
                check(t);
            for (const graph &inner : a.graphs)
                check(inner);
        }
}

void check(const stored_value &value) {
    if (value.kind == value_kind::tensor) check(value.content);
    demand(value.kind != value_kind::optional || value.elements.size() <= 1);
    for (const stored_value &element : value.elements)
        check(element);
}

void attempt(const std::function<void()> &reading) {
    try {
        reading();
    } catch (const tern::error &) {
        // What a reader says of such bytes.
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    value_type sequence;
    sequence.kind = value_kind::sequence;
    value_type optional;
    optional.kind = value_kind::optional;
    attempt([&] { check(read_model(bytes, "fuzz", "no such folder").main_graph); });
    attempt([&] { check(read_tensor(bytes, "fuzz")); });
    attempt([&] { check(read_value(bytes, sequence, "fuzz")); });
    attempt([&] { check(read_value(bytes, optional, "fuzz")); });
    return 0;
}
