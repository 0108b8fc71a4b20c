// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_LANES_RUN_LANES_HPP
#define TERN_KERNELS_LANES_RUN_LANES_HPP

/// \file
/// The interpreter of lane programs: parallel SIMD loops over whole tensors, or one tile on the
/// calling thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu.hpp"
#include "base/dims.hpp"
#include "kernels/lanes/lane_program.hpp"

namespace tern::kernels {

/// A program made ready to run: registers given places in a tile buffer, dispatch settled.
/// Immutable; any number of threads may run it at once.
class lane_code;

/// Throws std::bad_alloc only. Precondition: the program is well formed (kinds fit; see lane_op).
std::shared_ptr<const lane_code> make_lane_code(lane_program program);

/// Bytes of working memory that one thread needs for a tile of any size.
std::size_t lane_scratch_bytes(const lane_code &code);

/// One operand of a tile: `rows` x `columns` elements.
struct lane_place {
    void *data = nullptr;           ///< First element. Outputs: written. Inputs: read only.
    std::int64_t row_stride = 0;    ///< Elements.
    std::int64_t column_stride = 0; ///< Elements; 0 and 1 are fast, others are legal.
    std::int64_t index = 0;         ///< is_index inputs: the value of the first element.
};

/// Runs the program on one tile, on the calling thread. `places`: inputs, then outputs. An output
/// may be the very same view as an input of elements of its size. `scratch`: lane_scratch_bytes,
/// aligned to 64.
void run_lane_tile(const lane_code &code, std::int64_t rows, std::int64_t columns,
        const lane_place *places, void *scratch) noexcept;

/// Over whole tensors: everything that does not depend on the pointers.
struct lane_loops {
    std::shared_ptr<const lane_code> code;
    dims extents;              ///< Coalesced; the innermost two axes make tiles.
    std::vector<dims> strides; ///< By operand: inputs, then outputs.
    std::int64_t grain = 1;    ///< Units of work that are worth a thread.
    std::int64_t units = 1;
    std::int64_t rows = 1; ///< Of a tile.
    std::int64_t columns = 1;
    std::size_t thread_scratch = 0; ///< Bytes per thread.
    bool keeps_narrow = false; ///< Tiles go down the rows; those beside one another stay apart.
    memory_level level = memory_level::l2; ///< Where all operands together find room.
};

/// `shape` is that of every output; `strides` by operand (inputs, then outputs), in elements, 0 on
/// broadcast axes. The shape has at least one element; outputs' elements are distinct.
lane_loops make_lane_loops(
        std::shared_ptr<const lane_code> code, const dims &shape, std::span<const dims> strides);

/// Runs it, in the caller's TBB arena when it is large enough to split. Null for is_index inputs.
/// An output may be the very same view as an input of elements of its size. Same bits for any
/// number of threads. Allocates nothing: registers live on each thread's stack (they are small).
void run_lanes(const lane_loops &loops, const void *const *in, void *const *out) noexcept;

/// Lower-case name of the SIMD target in use: "avx2", ...
std::string_view lanes_target();

} // namespace tern::kernels

#endif
