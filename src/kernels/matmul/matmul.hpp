// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_MATMUL_MATMUL_HPP
#define TERN_KERNELS_MATMUL_MATMUL_HPP

/// \file
/// Batched matrix multiplication in f32, tile by tile, with work of the caller's on each tile while
/// it is in cache.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/data_type.hpp"
#include "base/dims.hpp"

namespace tern::kernels {

struct matmul_operand {
    data_type type = data_type::f32; ///< f32, bf16, f16 (s8, u8: values as f32).
    dims batch_strides;              ///< By batch axis, in elements; 0 where broadcast.
    std::int64_t row_stride = 0;     ///< Of a: along m; of b: along k.
    std::int64_t column_stride = 0;  ///< Of a: along k; of b: along n.
};

struct matmul_problem {
    dims batch; ///< Batch dims of the result.
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0; ///< May be 0: the result is zero.
    matmul_operand a;
    matmul_operand b;
};

/// A tile of the result, complete: sums over all of k, in f32.
struct matmul_tile {
    const float *values;
    std::int64_t stride; ///< Elements from row to row; columns are contiguous.
    std::int64_t batch;  ///< Row-major number among problem.batch.
    std::int64_t row;
    std::int64_t column;
    std::int64_t rows;
    std::int64_t columns;
    void *scratch; ///< sink_scratch bytes of this thread, aligned to 64.
};

/// What happens to tiles; called on any thread, for each tile once.
struct tile_sink {
    void (*call)(const void *context, const matmul_tile &tile) noexcept;
    const void *context;
};

/// How the elements of a tile are summed up.
enum class matmul_path : std::uint8_t {
    panels, ///< Register blocks of some rows by some vectors, from packed or well placed operands.
    stream, ///< Few rows: b's rows (contiguous along n) go by once, several at a time.
    dots,   ///< Few rows: dot products with b's columns (contiguous along k).
};

struct matmul_code; // What a SIMD target makes of tiles: see tile.hpp.

/// A problem made ready: blocking, packing, split. For the SIMD target that was chosen then.
struct matmul_loops {
    matmul_problem problem; ///< Transposed when `transposed`: a and b, m and n have changed places.
    bool transposed = false;
    matmul_path path = matmul_path::panels;
    const matmul_code *code = nullptr;
    std::int64_t batches = 1;
    std::int64_t tile_rows = 0;
    std::int64_t tile_columns = 0;
    std::int64_t tile_stride = 0; ///< Of the buffer of a tile, in elements.
    std::int64_t block_k = 0;
    bool direct_a = false; ///< a, b are f32 and read where they are, when aligned to 4 bytes.
    bool direct_b = false;
    std::int64_t units = 0;   ///< One tile each.
    std::int64_t grain = 1;   ///< Units that are worth a thread.
    std::int64_t slabs = 1;   ///< Most threads of a call: each has a part of scratch of its own.
    std::size_t packed_a = 0; ///< Bytes per thread, as are the following.
    std::size_t packed_b = 0;
    std::size_t tile_bytes = 0;
    std::size_t sink_scratch = 0;   ///< For the sink.
    std::size_t thread_scratch = 0; ///< In all: packed panels, tile, sink.
    std::size_t scratch_bytes = 0;  ///< Bytes of a call in all.
};

/// `sink_scratch`: bytes that the sink wants per thread. m, n and every batch dim are at least 1.
matmul_loops make_matmul_loops(const matmul_problem &problem, std::size_t sink_scratch);

/// Bytes of all of b in the order in which register blocks read it, in f32; for b that stays the
/// same from call to call. 0: b is best read as it lies.
std::size_t packed_b_bytes(const matmul_loops &loops);
/// Brings b into that order. `to`: packed_b_bytes, aligned to 64. Precondition: those are not 0.
void pack_b(const matmul_loops &loops, const void *b, void *to) noexcept;

/// Runs it, in the caller's TBB arena when it is large enough to split. `scratch`: scratch_bytes,
/// aligned to 64. `packed`: what pack_b made of b, or null; b is not read where there is such.
/// Sums are taken in an order that depends on the problem only: same bits for any number of
/// threads, and with `packed` as without.
void run_matmul(const matmul_loops &loops, const void *a, const void *b, const tile_sink &sink,
        void *scratch, const void *packed = nullptr) noexcept;

std::string_view matmul_target();

} // namespace tern::kernels

#endif
