// SPDX-License-Identifier: Apache-2.0
#include "compiler/plan_key.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

namespace tern::compiler {
namespace {

/// Every part has a fixed size or is preceded by its size, so that different lists of parts never
/// give the same bytes.
class key_writer {
public:
    explicit key_writer(std::size_t size_hint) { bytes_.reserve(size_hint); }

    template <typename T>
    void add(const T &value) {
        static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
        bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void add_address(const void *address) { add(reinterpret_cast<std::uintptr_t>(address)); }
    template <typename T>
    void add_list(const T *first, std::size_t n) {
        add(n);
        bytes_.append(reinterpret_cast<const char *>(first), n * sizeof(T));
    }
    void add(const dims &d) { add_list(d.begin(), static_cast<std::size_t>(d.rank())); }
    void add(const tensor_desc &desc) {
        add(desc.type);
        add(desc.layout);
        add(desc.property);
        add(desc.rank_known);
        add(desc.shape);
        add(desc.strides);
        add(desc.layout_id);
    }
    void add(const ir::attr_value &value) {
        add(value.index());
        std::visit([this](const auto &held) { add_held(held); }, value);
    }

    std::string take() { return std::move(bytes_); }

private:
    template <typename T>
    void add_held(const T &value) {
        if constexpr (std::is_scalar_v<T>)
            add(value);
        else
            add_list(value.data(), value.size());
    }

    std::string bytes_;
};

} // namespace

std::string make_plan_key(const partition &part, std::span<const tensor_desc *const> inputs,
        std::span<const tensor_desc *const> outputs, const runtime::engine_state &engine,
        std::string_view implementation) {
    constexpr std::size_t usual_op_bytes = 1024;
    key_writer key(part.ops.size() * usual_op_bytes);
    key.add_address(&engine);
    key.add(part.fpmath);
    key.add(part.fpmath_on_integers);
    key.add_list(implementation.data(), implementation.size());

    // A tensor's position is that of its first mention.
    std::vector<int> seen;
    auto add_value = [&](int index) {
        auto position =
                static_cast<std::size_t>(std::find(seen.begin(), seen.end(), index) - seen.begin());
        key.add(position);
        if (position < seen.size()) return;
        seen.push_back(index);
        key.add(part.value(index).desc);
    };
    key.add(part.ops.size());
    for (int index : part.ops) {
        const ir::op &op = part.op(index);
        key.add(op.kind);
        key.add_address(op.def);
        key.add(op.attrs.size());
        for (const auto &[attr, value] : op.attrs) {
            key.add(attr);
            key.add(value);
        }
        for (const std::vector<int> *values : {&op.inputs, &op.outputs}) {
            key.add(values->size());
            for (int value : *values)
                add_value(value);
        }
    }
    for (const std::vector<int> *ports : {&part.inputs, &part.outputs}) {
        key.add(ports->size());
        for (int value : *ports)
            add_value(value);
    }
    for (const tensor_desc *desc : inputs)
        key.add(*desc);
    for (const tensor_desc *desc : outputs)
        key.add(*desc);
    return key.take();
}

} // namespace tern::compiler
