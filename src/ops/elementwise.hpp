// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_OPS_ELEMENTWISE_HPP
#define TERN_OPS_ELEMENTWISE_HPP

/// \file
/// What the ops that compute each element of dst from one element of each source share: sets of
/// types, ports, shape rules, and the loops around what is done with an element.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

namespace tern::ops {

inline constexpr type_set floating_or_signed(data_type::f16, data_type::bf16, data_type::f32,
        data_type::f64, data_type::s8, data_type::s16, data_type::s32, data_type::s64);
/// What is calculated with.
inline constexpr type_set numeric(data_type::f16, data_type::bf16, data_type::f32, data_type::f64,
        data_type::s8, data_type::s16, data_type::s32, data_type::s64, data_type::u8,
        data_type::u16, data_type::u32, data_type::u64);
/// What has an order.
inline constexpr type_set real(data_type::f16, data_type::bf16, data_type::f32, data_type::f64,
        data_type::s8, data_type::s16, data_type::s32, data_type::s64, data_type::u8,
        data_type::u16, data_type::u32, data_type::u64, data_type::f8_e5m2, data_type::f8_e4m3);
inline constexpr type_set real_or_boolean(data_type::f16, data_type::bf16, data_type::f32,
        data_type::f64, data_type::s8, data_type::s16, data_type::s32, data_type::s64,
        data_type::u8, data_type::u16, data_type::u32, data_type::u64, data_type::f8_e5m2,
        data_type::f8_e4m3, data_type::boolean);

inline constexpr std::array<ir::port_def, 1> unary_inputs = {{{"src", "T"}}};
inline constexpr std::array<ir::port_def, 2> binary_inputs = {{{"src_0", "T"}, {"src_1", "T"}}};
inline constexpr std::array<ir::port_def, 1> one_output = {{{"dst", "T"}}};
/// Of the ops whose operands have types of their own.
inline constexpr std::array<ir::port_def, 2> mixed_inputs = {{{"src_0", "T1"}, {"src_1", "T2"}}};
inline constexpr std::array<ir::port_def, 1> mixed_output = {{{"dst", "T3"}}};
/// Of the ops that answer yes or no.
inline constexpr std::array<ir::port_def, 1> mask_output = {{{"dst", "B"}}};

inline constexpr std::array<int, 1> src_in_place = {0};
inline constexpr std::array<int, 2> either_in_place = {0, 1};

/// src_0 and src_1 broadcast both ways to dst, or all are equal, as auto_broadcast says.
void infer_binary(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out);

/// The value of an f32 attribute that is required or has a default.
double number_of(const ir::attr_list &attrs, op_attr attr) noexcept;

/// log(1 + exp(x)) without overflow.
double soft_plus_of(double x) noexcept;

/// Writes a calculated value. Floating point: to nearest, ties to even. Integers: the same, then
/// saturating; NaN becomes 0.
void store_result(data_type type, double value, void *element) noexcept;

/// Writes the low bits of `value` to an integer; its value to a floating-point type, rounded once,
/// to nearest. Boolean: 1 unless the value is 0. `is_unsigned`: value stands for a u64.
void store_integer(data_type type, std::int64_t value, bool is_unsigned, void *element) noexcept;

/// Compares two elements of one type, exactly. Booleans by their truth.
std::partial_ordering compare(data_type type, const void *a, const void *b) noexcept;

/// step(dst, sources...) with pointers to the elements [begin, end) of out[0] and to those of the
/// first `Sources` inputs that broadcast to them.
template <std::size_t Sources, typename Step>
void for_each_element(
        const ir::reference_args &args, std::int64_t begin, std::int64_t end, Step step) noexcept {
    if (begin >= end) return;
    const ir::mutable_view &dst = args.out[0];
    std::array<dims, Sources + 1> strides;
    std::array<std::int64_t, Sources> bytes{};
    for (std::size_t i = 0; i < Sources; ++i) {
        strides[i] = broadcast_strides(args.in[i].shape, args.in[i].strides, dst.shape);
        bytes[i] = static_cast<std::int64_t>(bytes_of(args.in[i].type));
    }
    strides[Sources] = dst.strides;
    const auto dst_bytes = static_cast<std::int64_t>(bytes_of(dst.type));
    element_walk<Sources + 1> walk(dst.shape, strides, begin);
    auto source = [&](std::size_t i) {
        return static_cast<const unsigned char *>(args.in[i].data) + walk.at(i) * bytes[i];
    };
    for (std::int64_t element = begin; element < end; ++element, walk.next()) {
        void *to = static_cast<unsigned char *>(dst.data) + walk.at(Sources) * dst_bytes;
        if constexpr (Sources == 1)
            step(to, source(0));
        else
            step(to, source(0), source(1));
    }
}

/// dst = f(src), in double.
template <typename OnNumber>
void map(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        OnNumber on_number) noexcept {
    const data_type type = args.in[0].type;
    const data_type to_type = args.out[0].type;
    for_each_element<1>(args, begin, end, [=](void *to, const void *from) {
        store_result(to_type, on_number(load_f64(type, from)), to);
    });
}

/// As above; integers go through on_integer(std::int64_t) instead, whose result's low bits are
/// stored. u64 comes and goes modulo 2^64.
template <typename OnNumber, typename OnInteger>
void map(const ir::reference_args &args, std::int64_t begin, std::int64_t end, OnNumber on_number,
        OnInteger on_integer) noexcept {
    const data_type type = args.in[0].type;
    if (!is_integer(type)) return map(args, begin, end, on_number);
    for_each_element<1>(args, begin, end, [=](void *to, const void *from) {
        store_s64(type, static_cast<std::int64_t>(on_integer(load_s64(type, from))), to);
    });
}

/// dst = f(src_0, src_1), in double.
template <typename OnNumbers>
void map_pairs(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        OnNumbers on_numbers) noexcept {
    const data_type type_0 = args.in[0].type;
    const data_type type_1 = args.in[1].type;
    const data_type to_type = args.out[0].type;
    for_each_element<2>(args, begin, end, [=](void *to, const void *a, const void *b) {
        store_result(to_type, on_numbers(load_f64(type_0, a), load_f64(type_1, b)), to);
    });
}

/// As above; when both sources are integers, on_integers(std::uint64_t, std::uint64_t) is asked
/// instead, modulo 2^64. For a floating-point dst its result stands for a u64 if a source is one,
/// else for an s64.
template <typename OnNumbers, typename OnIntegers>
void map_pairs(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        OnNumbers on_numbers, OnIntegers on_integers) noexcept {
    const data_type type_0 = args.in[0].type;
    const data_type type_1 = args.in[1].type;
    const data_type to_type = args.out[0].type;
    if (!is_integer(type_0) || !is_integer(type_1)) return map_pairs(args, begin, end, on_numbers);
    const bool is_unsigned = type_0 == data_type::u64 || type_1 == data_type::u64;
    for_each_element<2>(args, begin, end, [=](void *to, const void *a, const void *b) {
        std::uint64_t result = on_integers(static_cast<std::uint64_t>(load_s64(type_0, a)),
                static_cast<std::uint64_t>(load_s64(type_1, b)));
        store_integer(to_type, static_cast<std::int64_t>(result), is_unsigned, to);
    });
}

/// dst = answer(order of src_0 and src_1) ? 1 : 0
template <typename Answer>
void map_order(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        Answer answer) noexcept {
    const data_type type = args.in[0].type;
    for_each_element<2>(args, begin, end, [=](void *to, const void *a, const void *b) {
        *static_cast<unsigned char *>(to) = answer(compare(type, a, b)) ? 1 : 0;
    });
}

/// dst = answer(src_0, src_1) ? 1 : 0, for booleans.
template <typename Answer>
void map_truth(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        Answer answer) noexcept {
    for_each_element<2>(args, begin, end, [=](void *to, const void *a, const void *b) {
        bool is_a = *static_cast<const unsigned char *>(a) != 0;
        bool is_b = *static_cast<const unsigned char *>(b) != 0;
        *static_cast<unsigned char *>(to) = answer(is_a, is_b) ? 1 : 0;
    });
}

/// dst is the greater of src_0 and src_1, or the lesser: a copy of its bits; NaN when either is
/// NaN; +0 is above -0.
void choose_greater(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept;
void choose_lesser(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept;

} // namespace tern::ops

#endif
