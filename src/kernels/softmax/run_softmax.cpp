// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <hwy/cache_control.h>

#include "base/mutation.hpp"
#include "base/parallel.hpp"
#include "kernels/copy_plane.hpp"
#include "kernels/offset_walk.hpp"
#include "kernels/softmax/softmax.hpp"
#include "kernels/softmax/softmax_parts.hpp"

namespace tern::kernels {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
/// What sums of exp_of_negative are scaled by. Any row has one term that is exp(0), unless it is
/// all -infinity and that counts as zeros.
constexpr float sum_scale = 0x1p25F;

std::size_t index_of(data_type type) {
    return type == data_type::f32 ? 0 : type == data_type::bf16 ? 1 : 2;
}

constexpr std::size_t src_side = 0;
constexpr std::size_t dst_side = 1;

struct pointers {
    const std::uint8_t *src;
    std::uint8_t *dst;
    std::uint8_t *stats; ///< Null without stats.
};

/// Elements of a piece, where they are copied side by side.
constexpr std::int64_t packed_elements = 4096;

// ---- one block of rows -------------------------------------------------------------------------

/// A block of rows of one unit: `columns` of them, which on the path of rows are one below the
/// other, so that the processor can work on some at a time. Rows that do not fit the tile are
/// loaded piece by piece, and more than once. All of a piece is read before any of it is written,
/// so that dst may be src.
class block_run {
public:
    block_run(const softmax_loops &loops, bool is_far)
        : loops_(loops),
          parts_(*loops.parts),
          is_far_(is_far),
          type_{index_of(loops.types[src_side]), index_of(loops.types[dst_side])} {}

    void run(const pointers &at, std::int64_t columns) {
        at_ = at;
        columns_ = columns;
        width_ = tile_width(columns);
        row_floats_ = tile_width(std::min(loops_.n, tile_floats));
        const bool packs = is_packed(loops_.walks[0]) || is_packed(loops_.walks[1]);
        const std::int64_t most =
                (packs ? packed_elements : tile_floats) / (is_rows() ? columns : width_);
        if (most >= loops_.n)
            run_in_one_piece();
        else
            run_in_pieces(most);
    }

private:
    bool is_rows() const { return loops_.path == softmax_path::rows; }

    /// Elements of a row of the tile do not lie side by side.
    bool is_packed(const softmax_walk &walk) const {
        const std::int64_t step = is_rows() ? walk.axis_step : walk.lane_step;
        return (is_rows() ? loops_.n : columns_) > 1 && step != walk.element_bytes;
    }

    void run_in_one_piece() {
        begin();
        load(src_side, 0, loops_.n);
        find_subtrahends();
        exp(loops_.n);
        find_scales();
        store(0, loops_.n, scale_, is_far_);
    }

    void run_in_pieces(std::int64_t piece) {
        const auto each_piece = [&](auto work) {
            for (std::int64_t i = 0; i < loops_.n; i += piece)
                work(i, std::min(piece, loops_.n - i));
        };
        begin();
        each_piece([&](std::int64_t i, std::int64_t count) { load(src_side, i, count); });
        find_subtrahends();
        // dst keeps the results of exp where it can.
        const bool keeps = loops_.types[dst_side] == data_type::f32;
        std::fill_n(scale_, width_, 1.0F);
        each_piece([&](std::int64_t i, std::int64_t count) {
            load(src_side, i, count);
            exp(count);
            if (keeps) store(i, count, scale_);
        });
        find_scales();
        each_piece([&](std::int64_t i, std::int64_t count) {
            load(keeps ? dst_side : src_side, i, count);
            if (!keeps) exp(count);
            store(i, count, scale_);
        });
    }

    void begin() { parts_.reset(columns_, max_, sum_); }

    void find_subtrahends() {
        std::copy_n(max_, width_, sub_);
        if (loops_.inf_as_zero) std::replace(sub_, sub_ + width_, minus_infinity, 0.0F);
        if (is_mutated(mutation::maximum_not_subtracted)) std::fill_n(sub_, width_, 0.0F);
    }

    /// `count` steps of the axis from the i-th to the tile.
    void load(std::size_t side, std::int64_t i, std::int64_t count) {
        const softmax_walk &walk = loops_.walks[side];
        const std::uint8_t *from = (side == src_side ? at_.src : at_.dst) + i * walk.axis_step;
        std::int64_t step = walk.axis_step;
        if (is_packed(walk)) {
            step = columns_ * walk.element_bytes;
            copy_plane({from, walk.axis_step, walk.lane_step}, {packed_, step, walk.element_bytes},
                    count, columns_, walk.element_bytes);
            from = packed_;
        }
        const std::size_t type = type_[side];
        if (is_rows())
            for (std::int64_t row = 0; row < columns_; ++row)
                max_[row] = parts_.load_rows[type](
                        from + row * walk.lane_step, count, tile_ + row * row_floats_, max_[row]);
        else
            parts_.load_blocks[type](from, step, count, columns_, tile_, max_);
    }

    void exp(std::int64_t n) {
        if (is_rows())
            for (std::int64_t row = 0; row < columns_; ++row)
                sum_[row] += parts_.exp_one_row(tile_ + row * row_floats_, n, sub_[row]);
        else
            parts_.exp_block(tile_, n, columns_, sub_, sum_);
    }

    void find_scales() {
        parts_.find_scales(sum_, columns_, scale_);
        if (loops_.has_stats) store_stats();
    }

    void store_stats() {
        for (std::int64_t i = 0; i < columns_; ++i) {
            const bool is_zero = scale_[i] == 0; // no term, not even a NaN
            const double log_sum = std::log(static_cast<double>(sum_[i]) / double{sum_scale});
            const float stats =
                    is_zero ? 0.0F : static_cast<float>(static_cast<double>(max_[i]) + log_sum);
            std::memcpy(at_.stats + i * loops_.walks[2].lane_step, &stats, sizeof stats);
        }
    }

    void store(std::int64_t i, std::int64_t count, const float *scale, bool is_far = false) {
        const softmax_walk &walk = loops_.walks[dst_side];
        std::uint8_t *dst = at_.dst + i * walk.axis_step;
        const bool packs = is_packed(walk);
        std::uint8_t *to = packs ? packed_ : dst;
        const std::int64_t step = packs ? columns_ * walk.element_bytes : walk.axis_step;
        const std::size_t type = type_[dst_side];
        if (is_rows())
            for (std::int64_t row = 0; row < columns_; ++row)
                parts_.store_rows[type](
                        tile_ + row * row_floats_, count, scale[row], to + row * walk.lane_step);
        else if (is_far && !packs)
            parts_.stream_block(tile_, count, columns_, scale, to, step);
        else
            parts_.store_blocks[type](tile_, count, columns_, scale, to, step);
        if (packs)
            copy_plane({packed_, step, walk.element_bytes}, {dst, walk.axis_step, walk.lane_step},
                    count, columns_, walk.element_bytes);
    }

    const softmax_loops &loops_;
    const softmax_parts &parts_;
    bool is_far_;
    std::array<std::size_t, 2> type_;
    pointers at_{};
    std::int64_t columns_ = 1;
    std::int64_t width_ = 1;      ///< columns_, with those that are computed along.
    std::int64_t row_floats_ = 0; ///< Path of rows: of one row's place in the tile.
    // By row of the block. Nothing is set here: that would cost more than a short row.
    alignas(64) float max_[most_columns];
    alignas(64) float sub_[most_columns];
    alignas(64) float sum_[most_columns];
    alignas(64) float scale_[most_columns];
    alignas(64) float tile_[tile_floats + tile_multiple];
    alignas(64) std::uint8_t packed_[packed_elements * sizeof(float)];
};

void run_units(const softmax_loops &loops, const pointers &base, bool is_far, std::int64_t begin,
        std::int64_t end) noexcept {
    const auto &steps = loops.outer_steps;
    offset_walk<3> walk(loops.outer, {steps.data(), &steps[1], &steps[2]}, begin / loops.blocks);
    block_run run(loops, is_far);
    std::int64_t block = begin % loops.blocks;
    for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t first = block * loops.columns;
        pointers at = base;
        at.src += walk.at(0) + first * loops.walks[0].lane_step;
        at.dst += walk.at(1) + first * loops.walks[1].lane_step;
        if (loops.has_stats) at.stats += walk.at(2) + first * loops.walks[2].lane_step;
        run.run(at, std::min(loops.columns, loops.lanes - first));
        if (++block == loops.blocks) {
            block = 0;
            walk.next();
        }
    }
    if (is_far) hwy::FlushStream();
}

/// For mutation::flip_lane: the top bit of an exponent of the first row, which no tolerance covers.
void flip_middle_element(const softmax_loops &loops, std::uint8_t *dst) {
    const softmax_walk &walk = loops.walks[1];
    dst += loops.n / 2 * walk.axis_step + walk.element_bytes - 1;
    *dst = static_cast<std::uint8_t>(*dst ^ 0x40U);
}

} // namespace

void run_softmax(const softmax_loops &loops, const void *src, void *dst, void *stats) noexcept {
    const pointers base{static_cast<const std::uint8_t *>(src), static_cast<std::uint8_t *>(dst),
            loops.has_stats ? static_cast<std::uint8_t *>(stats) : nullptr};
    const bool begins_line = reinterpret_cast<std::uintptr_t>(dst) % softmax_line == 0;
    const bool is_far = loops.is_far && src != dst && begins_line;
    parallel_for(loops.units, loops.grain, [&](std::int64_t begin, std::int64_t end) noexcept {
        run_units(loops, base, is_far, begin, end);
    });
    if (is_mutated(mutation::flip_lane))
        flip_middle_element(loops, static_cast<std::uint8_t *>(dst));
}

} // namespace tern::kernels
