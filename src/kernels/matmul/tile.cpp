// SPDX-License-Identifier: Apache-2.0

// Newer x86 targets than AVX3 bring nothing for f32, nor does SSSE3 where there is SSE4. Register
// blocks are arrays of vectors, which targets with vectors of unknown length do not have.
#define HWY_DISABLED_TARGETS                                                                       \
    (HWY_SSSE3 | (HWY_AVX3 - 1) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul/tile.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/matmul/micro-inl.hpp"
#include "kernels/matmul/pack-inl.hpp"
#include "kernels/matmul/thin-inl.hpp"
#include "kernels/matmul/tile.hpp"
#include "kernels/target_name.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

const float *as_floats(const std::uint8_t *bytes) {
    return reinterpret_cast<const float *>(bytes);
}

matrix_view view_of(const matmul_operand &operand, const std::uint8_t *from) {
    const auto bytes = static_cast<std::int64_t>(bytes_of(operand.type));
    return {from, operand.row_stride * bytes, operand.column_stride * bytes};
}

template <data_type Type>
packed_view pack_a(const matmul_loops &loops, const tile_work &work, std::int64_t first_k,
        std::int64_t k, bool by_rows) {
    matrix_view a = view_of(loops.problem.a, work.a);
    a.from += first_k * a.column_bytes;
    if (!by_rows && a.row_bytes == element_bytes<Type> && a.column_bytes != element_bytes<Type>)
        return pack_columns<Type>(a, work.rows, k, work.packed_a);
    return pack_rows<Type>(a, work.rows, k, packed_row(loops.block_k), work.packed_a);
}

packed_view pack_a_of_any_type(const matmul_loops &loops, const tile_work &work,
        std::int64_t first_k, std::int64_t k, bool by_rows) {
    switch (loops.problem.a.type) {
        case data_type::bf16: return pack_a<data_type::bf16>(loops, work, first_k, k, by_rows);
        case data_type::f16: return pack_a<data_type::f16>(loops, work, first_k, k, by_rows);
        case data_type::s8: return pack_a<data_type::s8>(loops, work, first_k, k, by_rows);
        case data_type::u8: return pack_a<data_type::u8>(loops, work, first_k, k, by_rows);
        default: return pack_a<data_type::f32>(loops, work, first_k, k, by_rows);
    }
}

void pack_b_of_any_type(const matmul_loops &loops, const matrix_view &b, std::int64_t k,
        std::int64_t columns, float *to) {
    const std::int64_t to_panel = packed_panel(loops.block_k, micro_columns);
    switch (loops.problem.b.type) {
        case data_type::bf16: return pack_panels<data_type::bf16>(b, k, columns, to_panel, to);
        case data_type::f16: return pack_panels<data_type::f16>(b, k, columns, to_panel, to);
        case data_type::s8: return pack_panels<data_type::s8>(b, k, columns, to_panel, to);
        case data_type::u8: return pack_panels<data_type::u8>(b, k, columns, to_panel, to);
        default: return pack_panels<data_type::f32>(b, k, columns, to_panel, to);
    }
}

/// Packs what of b is read packed: all of it, or, where b is read in place, the columns after the
/// last whole vector, of which a register block would read more than there is.
void prepare_b(const matmul_loops &loops, tile_work &work, std::int64_t first_k, std::int64_t k) {
    matrix_view b = view_of(loops.problem.b, work.b);
    b.from += first_k * b.row_bytes;
    std::int64_t columns = work.columns;
    if (work.direct_b) {
        const std::int64_t whole = columns / micro_columns * micro_columns;
        if (columns % float_lanes == 0) return;
        b.from += whole * b.column_bytes;
        columns -= whole;
    }
    if (loops.block_k >= loops.problem.k) {
        if (work.held_b == b.from && work.held_columns == columns) return;
        work.held_b = b.from;
        work.held_columns = columns;
    }
    pack_b_of_any_type(loops, b, k, columns, work.packed_b);
}

void multiply_panels(const matmul_loops &loops, const tile_work &work, const packed_view &a,
        std::int64_t first_k, std::int64_t k) {
    const std::int64_t to_panel = packed_panel(loops.block_k, micro_columns);
    const float *packed = work.kept_b ? work.kept_b + first_k / loops.block_k * work.kept_elements
                                      : work.packed_b;
    micro_block at = {};
    at.a_row = a.row;
    at.a_k = a.k;
    at.c_row = loops.tile_stride;
    at.k = k;
    at.add = first_k > 0;
    for (std::int64_t j = 0; j < work.columns; j += micro_columns) {
        const std::int64_t columns = std::min(work.columns - j, micro_columns);
        if (work.direct_b && columns % float_lanes == 0) {
            at.b_k = loops.problem.b.row_stride;
            at.b = as_floats(work.b) + first_k * at.b_k + j;
        } else {
            at.b_k = micro_columns;
            at.b = packed + (work.direct_b ? 0 : j / micro_columns * to_panel);
        }
        const auto &functions = micro_table[columns > float_lanes ? 1 : 0];
        for (std::int64_t i = 0; i < work.rows; i += std::int64_t{micro_rows}) {
            const std::int64_t rows = std::min(work.rows - i, std::int64_t{micro_rows});
            at.a = a.values + i / std::int64_t{micro_rows} * a.block;
            at.c = work.tile + i * at.c_row + j;
            functions[static_cast<std::size_t>(rows - 1)](at);
        }
    }
}

void run_panels(const matmul_loops &loops, tile_work &work, std::int64_t first_k, std::int64_t k) {
    packed_view a = {};
    if (work.direct_a) {
        a.row = loops.problem.a.row_stride;
        a.k = loops.problem.a.column_stride;
        a.block = a.row * std::int64_t{micro_rows};
        a.values = as_floats(work.a) + first_k * a.k;
    } else {
        a = pack_a_of_any_type(loops, work, first_k, k, false);
    }
    if (!work.kept_b) prepare_b(loops, work, first_k, k);
    multiply_panels(loops, work, a, first_k, k);
}

void run_thin(const matmul_loops &loops, tile_work &work, std::int64_t first_k, std::int64_t k) {
    if (first_k == 0) std::fill(work.tile, work.tile + work.rows * loops.tile_stride, 0.0F);
    const packed_view a = pack_a_of_any_type(loops, work, first_k, k, true);
    const matrix_view b = view_of(loops.problem.b, work.b);
    const thin_block at = {a.values, a.row, b.from + first_k * b.row_bytes,
            loops.path == matmul_path::stream ? b.row_bytes : b.column_bytes, work.tile,
            loops.tile_stride, work.columns, k};
    switch (loops.problem.b.type) {
        case data_type::bf16: return multiply_thin<data_type::bf16>(loops.path, work.rows, at);
        case data_type::f16: return multiply_thin<data_type::f16>(loops.path, work.rows, at);
        default: return multiply_thin<data_type::f32>(loops.path, work.rows, at);
    }
}

void run_tile(const matmul_loops &loops, tile_work &work) noexcept {
    const std::int64_t all_k = loops.problem.k;
    if (all_k == 0) std::fill(work.tile, work.tile + work.rows * loops.tile_stride, 0.0F);
    for (std::int64_t first = 0; first < all_k; first += loops.block_k) {
        const std::int64_t k = std::min(loops.block_k, all_k - first);
        if (loops.path == matmul_path::panels)
            run_panels(loops, work, first, k);
        else
            run_thin(loops, work, first, k);
    }
}

void pack_block(const matmul_loops &loops, const std::uint8_t *b, std::int64_t k,
        std::int64_t columns, float *to) noexcept {
    pack_b_of_any_type(loops, view_of(loops.problem.b, b), k, columns, to);
}

constexpr auto target_name = make_target_name(HWY_STR(HWY_NAMESPACE));

constexpr matmul_code target_code = {target_name.data(), std::int64_t{micro_rows}, micro_columns,
        std::int64_t{thin_rows}, run_tile, pack_block};

} // namespace

const matmul_code &get_matmul_code() {
    return target_code;
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(get_matmul_code);

const matmul_code &find_matmul_code() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_matmul_code)();
}

} // namespace tern::kernels
#endif
