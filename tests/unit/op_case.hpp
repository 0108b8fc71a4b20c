// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_OP_CASE_HPP
#define TERN_TESTS_UNIT_OP_CASE_HPP

/// \file
/// Runs the definition of one op: schema, check, shape rule and reference loop.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "ir/graph.hpp"
#include "ops/registry.hpp"

namespace tern::ops {

/// A tensor by its values, in row-major order.
struct operand {
    data_type type = data_type::f32;
    dims shape;
    std::vector<double> values;
    dims strides; ///< Of `shape`'s rank; empty: dense.
};

inline dims strides_of(const operand &o) {
    return o.strides.empty() ? *dense_strides(o.shape) : o.strides;
}

inline ir::port make_port(std::size_t id, data_type type, const dims &shape) {
    ir::port port{id, {}};
    port.desc.type = type;
    port.desc.layout = layout_type::any;
    port.desc.rank_known = true;
    port.desc.shape = shape;
    return port;
}

inline ir::port of_unknown_rank(std::size_t id, data_type type) {
    ir::port port = make_port(id, type, {});
    port.desc.rank_known = false;
    return port;
}

/// Op 7 over tensors 0, 1, ...; outputs have unknown ranks.
inline ir::op_spec make_spec(op_kind kind, const ir::attr_list &attrs,
        const std::vector<std::pair<data_type, dims>> &inputs,
        const std::vector<data_type> &outputs) {
    ir::op_spec spec;
    spec.id = 7;
    spec.kind = kind;
    spec.attrs = attrs;
    for (const auto &[type, shape] : inputs)
        spec.inputs.push_back(make_port(spec.inputs.size(), type, shape));
    for (data_type type : outputs)
        spec.outputs.push_back(of_unknown_rank(100 + spec.outputs.size(), type));
    return spec;
}

/// What a graph does with an op: verifies it and completes the shapes of its outputs.
inline void complete(ir::op_spec &spec) {
    const ir::op_def &def = *find(spec.kind);
    ir::verify_schema(spec, def);
    std::vector<tensor_desc> in;
    std::vector<tensor_desc> out;
    for (const ir::port &port : spec.inputs)
        in.push_back(port.desc);
    for (const ir::port &port : spec.outputs)
        out.push_back(port.desc);
    def.infer(spec.label(), spec.attrs, in, out);
    for (std::size_t i = 0; i < out.size(); ++i)
        spec.outputs[i].desc = out[i];
}

/// Shape of output 0, by name; "unknown rank".
inline std::string inferred_shape(ir::op_spec spec) {
    complete(spec);
    return shape_to_string(spec.outputs[0].desc);
}

/// `words`: a piece of the message, which names the op as well.
inline void expect_error(status code, const ir::op_spec &spec, const std::string &words) {
    try {
        ir::op_spec copy = spec;
        complete(copy);
        ADD_FAILURE() << "expected an error with: " << words;
    } catch (const error &e) {
        EXPECT_EQ(e.status, code) << e.message;
        EXPECT_THAT(std::string(e.message), testing::StartsWith(ir::to_string(spec.label())));
        EXPECT_THAT(std::string(e.message), testing::HasSubstr(words));
    }
}

/// A strided tensor in memory of exactly its size.
struct stored {
    static constexpr unsigned char filler = 0xA5;

    data_type type;
    dims shape;
    dims strides;
    std::vector<unsigned char> bytes;

    stored(data_type t, const dims &sh, const dims &st)
        : type(t),
          shape(sh),
          strides(st),
          bytes(static_cast<std::size_t>(*byte_span(sh, st, bytes_of(t))), filler) {}

    std::size_t at(std::int64_t number) const {
        std::int64_t offset = 0;
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            offset += number % shape[axis] * strides[axis];
            number /= shape[axis];
        }
        return static_cast<std::size_t>(offset) * bytes_of(type);
    }
    std::int64_t count() const { return *element_count(shape); }
    void fill(const std::vector<double> &values) {
        ASSERT_EQ(static_cast<std::int64_t>(values.size()), count());
        for (std::int64_t i = 0; i < count(); ++i)
            store_f64(type, values[static_cast<std::size_t>(i)], bytes.data() + at(i));
    }
    std::vector<double> values() const {
        std::vector<double> result;
        for (std::int64_t i = 0; i < count(); ++i)
            result.push_back(load_f64(type, bytes.data() + at(i)));
        return result;
    }
    /// Bytes between the elements, which nobody may touch.
    bool gaps_are_intact() const {
        std::vector<bool> is_element(bytes.size(), false);
        for (std::int64_t i = 0; i < count(); ++i)
            for (std::size_t b = 0; b < bytes_of(type); ++b)
                is_element[at(i) + b] = true;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            if (!is_element[i] && bytes[i] != filler) return false;
        return true;
    }
};

struct output {
    data_type type = data_type::f32;
    dims strides; ///< Empty: dense.
};

/// Outputs of an op: `run` with one range of all elements, compared byte by byte with runs in small
/// ranges, the last ones first.
inline std::vector<operand> run(op_kind kind, const ir::attr_list &attrs,
        const std::vector<operand> &inputs, const std::vector<output> &outputs) {
    std::vector<std::pair<data_type, dims>> in_ports;
    std::vector<stored> in;
    std::vector<ir::const_view> in_views;
    for (const operand &o : inputs) {
        in_ports.emplace_back(o.type, o.shape);
        in.emplace_back(o.type, o.shape, strides_of(o));
        in.back().fill(o.values);
    }
    for (const stored &s : in)
        in_views.push_back({s.bytes.data(), s.type, s.shape, s.strides});
    std::vector<data_type> out_types;
    for (const output &o : outputs)
        out_types.push_back(o.type);
    ir::op_spec spec = make_spec(kind, attrs, in_ports, out_types);
    complete(spec);

    auto run_in = [&](std::int64_t step) {
        std::vector<stored> out;
        std::vector<ir::mutable_view> views;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const dims &shape = spec.outputs[i].desc.shape;
            out.emplace_back(outputs[i].type, shape,
                    outputs[i].strides.empty() ? *dense_strides(shape) : outputs[i].strides);
        }
        for (stored &s : out)
            views.push_back({s.bytes.data(), s.type, s.shape, s.strides});
        const std::int64_t count = out[0].count();
        for (std::int64_t last = count; last > 0; last -= step)
            find(kind)->reference(
                    {spec.attrs, in_views, views}, std::max(last - step, std::int64_t{0}), last);
        if (count == 0) find(kind)->reference({spec.attrs, in_views, views}, 0, 0);
        return out;
    };
    const std::vector<stored> whole = run_in(1 << 20);
    for (std::int64_t step : {1, 3, 7}) {
        const std::vector<stored> parts = run_in(step);
        for (std::size_t i = 0; i < whole.size(); ++i)
            EXPECT_EQ(whole[i].bytes, parts[i].bytes) << "in ranges of " << step;
    }
    std::vector<operand> results;
    for (const stored &s : whole) {
        EXPECT_TRUE(s.gaps_are_intact());
        results.push_back({s.type, s.shape, s.values(), s.strides});
    }
    return results;
}

/// The only output, of type `type`.
inline operand run_one(op_kind kind, const ir::attr_list &attrs, const std::vector<operand> &inputs,
        const output &out = {}) {
    return run(kind, attrs, inputs, {out})[0];
}

/// 0, 1, 2, ... (count of them), times `scale`.
inline std::vector<double> iota(std::int64_t count, double scale = 1) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(scale * static_cast<double>(i));
    return values;
}

} // namespace tern::ops

#endif
