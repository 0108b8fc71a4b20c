// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/copy_plane.hpp"
#include "kernels/select/select.hpp"
#include "kernels/select/select_rows.hpp"

namespace tern::kernels {
namespace {

// ---- element by element ------------------------------------------------------------------------

struct pair_of_64 {
    std::uint64_t low;
    std::uint64_t high;
};

template <typename Lane>
Lane load(const std::uint8_t *from) {
    Lane lane;
    std::memcpy(&lane, from, sizeof lane);
    return lane;
}

/// Without a branch: random conditions would mispredict half of them.
template <typename Lane>
Lane choose(bool cond, Lane a, Lane b) {
    const auto mask = static_cast<Lane>(Lane{0} - static_cast<Lane>(cond));
    return static_cast<Lane>(b ^ ((a ^ b) & mask));
}
pair_of_64 choose(bool cond, pair_of_64 a, pair_of_64 b) {
    return {choose(cond, a.low, b.low), choose(cond, a.high, b.high)};
}

template <typename Lane>
void choose_elements(const select_rows &block) {
    const per_operand<std::int64_t> stride = block.stride; // dst might alias block, it seems
    for (std::int64_t row = 0; row < block.rows; ++row) {
        const std::uint8_t *cond = block.cond + row * block.step[select_cond];
        const std::uint8_t *src_0 = block.src_0 + row * block.step[select_src_0];
        const std::uint8_t *src_1 = block.src_1 + row * block.step[select_src_1];
        std::uint8_t *dst = block.dst + row * block.step[select_dst];
        for (std::int64_t i = 0; i < block.n; ++i) {
            Lane value = choose(cond[i * stride[select_cond]] != 0,
                    load<Lane>(src_0 + i * stride[select_src_0]),
                    load<Lane>(src_1 + i * stride[select_src_1]));
            std::memcpy(dst + i * stride[select_dst], &value, sizeof value);
        }
    }
}

// ---- tiles -------------------------------------------------------------------------------------

constexpr std::int64_t tile_bytes = 8192;

/// Dense memory for one operand's part of a tile.
struct operand_tile {
    alignas(64) std::uint8_t bytes[tile_bytes];
};

/// One tile, all of whose operands fit operand_tile.
class tile_run {
public:
    tile_run(const select_rows &tile, int lane_bytes) : tile_(tile), lane_bytes_(lane_bytes) {}

    void run(rows_function vector) {
        select_rows dense = tile_;
        dense.cond = gather(dense, select_cond, tile_.cond);
        dense.src_0 = gather(dense, select_src_0, tile_.src_0);
        dense.src_1 = gather(dense, select_src_1, tile_.src_1);
        bool scatters = tile_.stride[select_dst] != lane_bytes_;
        if (scatters) {
            dense.dst = tiles_[select_dst].bytes;
            dense.step[select_dst] = tile_.n * lane_bytes_;
            dense.stride[select_dst] = lane_bytes_;
        }
        vector(dense);
        if (scatters)
            copy_plane({dense.dst, dense.step[select_dst], dense.stride[select_dst]},
                    {tile_.dst, tile_.step[select_dst], tile_.stride[select_dst]}, tile_.rows,
                    tile_.n, lane_bytes_);
    }

private:
    /// The operand itself when vectors can walk it, else a dense copy.
    const std::uint8_t *gather(select_rows &dense, std::size_t operand, const std::uint8_t *first) {
        int bytes = operand == select_cond ? 1 : lane_bytes_;
        std::int64_t &stride = dense.stride[operand];
        if (stride == 0 || stride == bytes) return first;
        std::uint8_t *copy = tiles_[operand].bytes;
        std::int64_t row_bytes = tile_.n * bytes;
        copy_plane({first, tile_.step[operand], stride}, {copy, row_bytes, bytes}, tile_.rows,
                tile_.n, bytes);
        dense.step[operand] = row_bytes;
        stride = bytes;
        return copy;
    }

    const select_rows &tile_;
    int lane_bytes_;
    per_operand<operand_tile> tiles_;
};

} // namespace

void run_elements(const select_rows &block, int lane_bytes) noexcept {
    switch (lane_bytes) {
        case 1: return choose_elements<std::uint8_t>(block);
        case 2: return choose_elements<std::uint16_t>(block);
        case 4: return choose_elements<std::uint32_t>(block);
        case 8: return choose_elements<std::uint64_t>(block);
        default: return choose_elements<pair_of_64>(block);
    }
}

void run_tiled(const select_rows &block, int lane_bytes, rows_function vector) noexcept {
    // As many rows as make up a cache line of an operand that is contiguous from row to row. The
    // next tile is the one below: it finds the lines' neighbours fetched, and their pages known.
    std::int64_t tile_rows = std::min<std::int64_t>(block.rows, std::max(64 / lane_bytes, 8));
    std::int64_t tile_n = tile_bytes / lane_bytes / tile_rows;
    for (std::int64_t i = 0; i < block.n; i += tile_n)
        for (std::int64_t row = 0; row < block.rows; row += tile_rows) {
            auto at = [&](std::size_t operand) {
                return row * block.step[operand] + i * block.stride[operand];
            };
            select_rows tile = block;
            tile.cond += at(select_cond);
            tile.src_0 += at(select_src_0);
            tile.src_1 += at(select_src_1);
            tile.dst += at(select_dst);
            tile.rows = std::min(tile_rows, block.rows - row);
            tile.n = std::min(tile_n, block.n - i);
            tile_run(tile, lane_bytes).run(vector);
        }
}

} // namespace tern::kernels
