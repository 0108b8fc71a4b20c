// SPDX-License-Identifier: Apache-2.0
// A graph in benchdnn's JSON format as the legs see it: its ops, the values that its inputs get,
// and the comparison of its results. No library's API is used here.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "leg.hpp"

namespace leg {

struct port {
    size_t id;
    std::string dtype;
    dims shape, strides; // in elements; a single INT64_MIN where unknown
    std::string property;

    bool is_known() const {
        for (const int64_t d : shape)
            if (d < 0) return false;
        return true;
    }
    bool has_strides() const {
        for (const int64_t s : strides)
            if (s < 0) return false;
        return is_known() && strides.size() == shape.size();
    }
    size_t element_size() const {
        const std::map<std::string, size_t> sizes{{"f32", 4}, {"s32", 4}, {"bf16", 2}, {"f16", 2},
                {"u8", 1}, {"s8", 1}, {"boolean", 1}, {"s64", 8}, {"f8_e5m2", 1}, {"f8_e4m3", 1}};
        const auto found = sizes.find(dtype);
        if (found == sizes.end()) throw unsupported(dtype);
        return found->second;
    }
    /// Elements from the first to the last one in memory, gaps included.
    int64_t span() const {
        int64_t last = 0;
        for (size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] == 0) return 0;
            last += (shape[i] - 1) * strides[i];
        }
        return last + 1;
    }
};

struct node {
    size_t id;
    std::string name, kind;
    nlohmann::json attrs;
    std::vector<port> inputs, outputs;
};

class graph_file {
public:
    std::vector<node> nodes;
    std::vector<port> inputs, outputs; // of the whole graph
    std::string fpmath;
    bool fpmath_for_integers = false;

    explicit graph_file(const std::string &name) {
        std::ifstream file(name);
        if (!file) throw std::runtime_error("cannot read " + name);
        const nlohmann::json all = nlohmann::json::parse(file);
        fpmath = all.value("fpmath_mode", "");
        fpmath_for_integers = all.value("fpmath_mode_apply_to_int", "") == "true";
        for (const auto &op : all.at("graph"))
            nodes.push_back({op.at("id"), op.at("name"), op.at("kind"), op.at("attrs"),
                    ports(op.at("inputs")), ports(op.at("outputs"))});
        std::set<size_t> wanted; // results that are read inside as well
        for (const auto &id : all.value("output_ports", nlohmann::json::array()))
            wanted.insert(id.get<size_t>());
        find_ends(wanted);
    }

    struct use {
        const node *reader;
        size_t position;
    };
    std::vector<use> uses(size_t id) const {
        std::vector<use> found;
        for (const node &n : nodes)
            for (size_t i = 0; i < n.inputs.size(); ++i)
                if (n.inputs[i].id == id) found.push_back({&n, i});
        return found;
    }

private:
    static std::vector<port> ports(const nlohmann::json &list) {
        std::vector<port> found;
        for (const auto &lt : list) {
            port p{lt.at("id"), lt.at("dtype"), lt.at("shape"), lt.value("stride", dims{}),
                    lt.value("property_type", "")};
            if (p.is_known() && !p.has_strides()) p.strides = dense_strides(p.shape);
            found.push_back(p);
        }
        return found;
    }

    void find_ends(const std::set<size_t> &wanted) {
        std::set<size_t> made, seen;
        for (const node &n : nodes)
            for (const port &p : n.outputs)
                made.insert(p.id);
        for (const node &n : nodes) {
            for (const port &p : n.inputs)
                if (made.count(p.id) == 0 && seen.insert(p.id).second) inputs.push_back(p);
            for (const port &p : n.outputs) {
                const auto readers = uses(p.id);
                bool ends = readers.empty() || wanted.count(p.id) != 0;
                for (const use &u : readers)
                    ends = ends || u.reader->kind == "End";
                if (ends) outputs.push_back(p);
            }
        }
    }
};

// ---- values of inputs --------------------------------------------------------------------------

/// What floating-point elements of an input are drawn from: [least, most), or just `least`.
struct range {
    float least = -1, most = 1;
};

/// Whether `id` becomes scores of a softmax, or of the exponential that a backward pass makes
/// again.
inline bool becomes_scores(const graph_file &g, size_t id) {
    for (const auto &u : g.uses(id)) {
        const std::string &kind = u.reader->kind;
        if (kind == "SoftMax" || kind == "Exp") return true;
        const bool passes = kind == "Divide" || kind == "Multiply" || kind == "Add"
                            || kind == "Subtract" || kind == "TypeCast";
        if (passes && becomes_scores(g, u.reader->outputs.at(0).id)) return true;
    }
    return false;
}

/// Values as such graphs have them: a mask's fill is -inf, scales are powers of two, and what a
/// logarithm or root reads is positive.
inline range range_of(const graph_file &g, const port &p) {
    const bool scalar = count(p.shape) == 1;
    for (const auto &u : g.uses(p.id)) {
        const std::string &kind = u.reader->kind;
        if (kind == "Select" && u.position > 0 && scalar
                && becomes_scores(g, u.reader->outputs.at(0).id)) {
            const float fill = -std::numeric_limits<float>::infinity();
            return {fill, fill};
        }
        if (kind == "Divide" && u.position == 1) return scalar ? range{8, 8} : range{0.5f, 1.5f};
        if (kind == "Multiply" && scalar) return {0.125f, 0.125f};
        if (kind == "Maximum" && scalar) return {-0.5f, -0.5f};
        if (kind == "Minimum" && scalar) return {0.5f, 0.5f};
        if (kind == "DynamicDequantize" && u.position == 1) return {1.0f / 128, 1.0f / 64};
        if (kind == "Log" || kind == "Sqrt" || kind == "Pow" || kind == "Reciprocal")
            return {0.5f, 1.5f};
    }
    return {};
}

/// s32 scalars are sequence lengths, added to and taken from row numbers: the columns and the rows
/// of what they meet, so that a mask ends in the bottom right corner.
inline int32_t integer_of(const graph_file &g, const port &p) {
    for (const auto &u : g.uses(p.id)) {
        const dims &other = u.reader->inputs.at(1 - u.position).shape;
        if (u.reader->inputs.size() != 2 || other.size() < 2) continue;
        return static_cast<int32_t>(
                u.reader->kind == "Subtract" ? other[other.size() - 2] : other[other.size() - 1]);
    }
    return 1;
}

inline uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// Of ordinary values and infinities, cut off instead of rounded: all legs get the same.
inline uint16_t to_bf16(float value) {
    return static_cast<uint16_t>(bits_of(value) >> 16);
}
inline uint16_t to_f16(float value) {
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000;
    if (std::isinf(value)) return static_cast<uint16_t>(sign | 0x7c00);
    const int32_t exponent = static_cast<int32_t>(bits >> 23 & 0xff) - 127 + 15;
    if (exponent <= 0) return static_cast<uint16_t>(sign);
    return static_cast<uint16_t>(
            sign | static_cast<uint32_t>(exponent) << 10 | (bits >> 13 & 0x3ff));
}

template <typename T>
void put(uint8_t *data, int64_t i, T value) {
    std::memcpy(data + i * static_cast<int64_t>(sizeof value), &value, sizeof value);
}

/// Fresh memory with the values of an input; they follow from its position in the graph and its
/// type.
inline uint8_t *fill(const graph_file &g, size_t position) {
    const port &p = g.inputs.at(position);
    if (!p.is_known()) throw unsupported("unknown shape of an input");
    const int64_t n = p.span();
    uint8_t *data = allocate(std::max<size_t>(1, static_cast<size_t>(n) * p.element_size()));
    const range r = range_of(g, p);
    const int32_t integer = p.dtype == "s32" ? integer_of(g, p) : 0;
    const auto draw = [&](auto make) {
        uint64_t state = 0x9e3779b97f4a7c15u * (position + 1);
        for (int64_t i = 0; i < n; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            put(data, i, make(static_cast<uint32_t>(state >> 40))); // 24 bits
        }
    };
    const auto real = [r](uint32_t drawn) {
        if (r.least == r.most) return r.least;
        return r.least + (r.most - r.least) * static_cast<float>(drawn) * 0x1p-24f;
    };
    if (p.dtype == "f32")
        draw(real);
    else if (p.dtype == "bf16")
        draw([&](uint32_t drawn) { return to_bf16(real(drawn)); });
    else if (p.dtype == "f16")
        draw([&](uint32_t drawn) { return to_f16(real(drawn)); });
    else if (p.dtype == "boolean")
        draw([](uint32_t drawn) { return static_cast<uint8_t>(drawn & 1); });
    else if (p.dtype == "s32")
        draw([&](uint32_t) { return integer; });
    else if (p.dtype == "s64")
        draw([](uint32_t) { return int64_t{1}; });
    else if (p.dtype == "s8")
        draw([](uint32_t drawn) { return static_cast<int8_t>(static_cast<int>(drawn & 15) - 8); });
    else
        draw([](uint32_t drawn) { return static_cast<uint8_t>(drawn & 15); });
    return data;
}

// ---- results -----------------------------------------------------------------------------------

inline float value_at(const std::string &dtype, const uint8_t *data, int64_t i) {
    const auto get = [&](auto value) {
        std::memcpy(&value, data + i * static_cast<int64_t>(sizeof value), sizeof value);
        return value;
    };
    const auto widen = [](uint32_t bits) {
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    };
    if (dtype == "f32") return get(0.0f);
    if (dtype == "bf16") return widen(static_cast<uint32_t>(get(uint16_t{})) << 16);
    if (dtype == "f16") {
        const uint16_t half = get(uint16_t{});
        const int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
        const float sign = half & 0x8000 ? -1.0f : 1.0f;
        if (exponent == 31)
            return mantissa ? std::numeric_limits<float>::quiet_NaN()
                            : sign * std::numeric_limits<float>::infinity();
        return sign
               * std::ldexp(static_cast<float>(exponent ? mantissa | 0x400 : mantissa),
                       (exponent ? exponent : 1) - 25);
    }
    if (dtype == "s32") return static_cast<float>(get(int32_t{}));
    if (dtype == "s64") return static_cast<float>(get(int64_t{}));
    if (dtype == "s8") return static_cast<float>(get(int8_t{}));
    return static_cast<float>(get(uint8_t{}));
}

/// Evenly spaced elements of a result, about 2^18 of them.
inline std::vector<float> sample(const port &p, const uint8_t *data) {
    const int64_t n = p.span(), step = n / (1 << 18) | 1;
    std::vector<float> found;
    for (int64_t i = 0; i < n; i += step)
        found.push_back(value_at(p.dtype, data, i));
    return found;
}

inline bool is_close(const std::vector<float> &a, const std::vector<float> &b, float allowed) {
    float largest = 0;
    for (const float x : a)
        if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
    for (size_t i = 0; i < a.size(); ++i) {
        const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
        if (!same && !(std::fabs(a[i] - b[i]) <= allowed * largest)) return false;
    }
    return true;
}

/// The first leg of a case that gets here writes what it found to `name`, the others compare theirs
/// with that. Roughly: this tells a wrong computation from a right one, and is no test of accuracy.
inline bool agrees(
        const graph_file &g, const std::vector<uint8_t *> &results, const std::string &name) {
    if (name.empty()) return true;
    std::ifstream before(name, std::ios::binary);
    std::ofstream file;
    if (!before) file.open(name, std::ios::binary);
    for (size_t i = 0; i < results.size(); ++i) {
        const std::vector<float> found = sample(g.outputs[i], results[i]);
        const auto bytes = static_cast<std::streamsize>(found.size() * sizeof(float));
        if (!before.is_open()) {
            file.write(reinterpret_cast<const char *>(found.data()), bytes);
            continue;
        }
        std::vector<float> expected(found.size());
        before.read(reinterpret_cast<char *>(expected.data()), bytes);
        const size_t size = g.outputs[i].element_size();
        const float allowed = size == 1 ? 1.0f / 64 : size == 2 ? 1.0f / 32 : 1e-3f;
        if (before.gcount() != bytes || !is_close(expected, found, allowed)) return false;
    }
    return before.is_open() || file.flush().good();
}

} // namespace leg
