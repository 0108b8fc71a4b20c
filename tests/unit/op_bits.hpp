// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_OP_BITS_HPP
#define TERN_TESTS_UNIT_OP_BITS_HPP

/// \file
/// Runs the definition of an op over elements given by their bits, where doubles would not do:
/// 64-bit integers, boolean bytes, signs and payloads.

#include <cstring>
#include <initializer_list>

#include "op_case.hpp"

namespace tern::ops {

using bits = std::vector<std::uint64_t>;

struct row {
    data_type type;
    bits elements;
};

inline row row_of(data_type type, std::initializer_list<double> values) {
    row result = {type, {}};
    for (double value : values) {
        std::uint64_t element = 0;
        store_f64(type, value, &element);
        result.elements.push_back(element);
    }
    return result;
}

/// Of any integer type, or boolean bytes.
template <typename Integer>
row integers(data_type type, std::initializer_list<Integer> values) {
    row result = {type, {}};
    for (Integer value : values)
        result.elements.push_back(static_cast<std::uint64_t>(value));
    return result;
}

/// Elements of dst, dense and of src's length, from the lowest byte up.
inline bits run_bits(
        op_kind kind, const ir::attr_list &attrs, const std::vector<row> &sources, data_type type) {
    const auto n = static_cast<std::int64_t>(sources[0].elements.size());
    std::vector<std::pair<data_type, dims>> ports;
    std::vector<std::vector<unsigned char>> memory;
    std::vector<ir::const_view> in;
    for (const row &source : sources) {
        const std::size_t bytes = bytes_of(source.type);
        ports.emplace_back(source.type, dims{n});
        memory.emplace_back(source.elements.size() * bytes);
        for (std::size_t i = 0; i < source.elements.size(); ++i)
            std::memcpy(memory.back().data() + i * bytes, &source.elements[i], bytes);
    }
    for (std::size_t i = 0; i < sources.size(); ++i)
        in.push_back({memory[i].data(), sources[i].type, {n}, {1}});
    ir::op_spec spec = make_spec(kind, attrs, ports, {type});
    complete(spec);
    const std::size_t bytes = bytes_of(type);
    std::vector<unsigned char> result(static_cast<std::size_t>(n) * bytes, stored::filler);
    std::vector<ir::mutable_view> out = {{result.data(), type, {n}, {1}}};
    find(kind)->reference({spec.attrs, in, out}, 0, n);
    bits elements(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < elements.size(); ++i)
        std::memcpy(&elements[i], result.data() + i * bytes, bytes);
    return elements;
}

} // namespace tern::ops

#endif
