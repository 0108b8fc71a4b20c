// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/select/select.hpp"
#include "kernels/select/select_rows.hpp"

namespace tern::kernels {
namespace {

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
void run_row(const select_rows &block, std::int64_t row, std::int64_t begin, std::int64_t end) {
    const per_operand<std::int64_t> stride = block.stride; // dst could alias block, for all we know
    auto at = [&](std::size_t operand) {
        return row * block.step[operand] + begin * stride[operand];
    };
    const std::uint8_t *cond = block.cond + at(select_cond);
    const std::uint8_t *src_0 = block.src_0 + at(select_src_0);
    const std::uint8_t *src_1 = block.src_1 + at(select_src_1);
    std::uint8_t *dst = block.dst + at(select_dst);
    for (std::int64_t i = 0; i < end - begin; ++i) {
        Lane value = choose(cond[i * stride[select_cond]] != 0,
                load<Lane>(src_0 + i * stride[select_src_0]),
                load<Lane>(src_1 + i * stride[select_src_1]));
        std::memcpy(dst + i * stride[select_dst], &value, sizeof value);
    }
}

/// In tiles: an operand that is contiguous from row to row then uses up the cache lines that a tile
/// brings in, instead of fetching them again for every row.
template <typename Lane>
void run_rows(const select_rows &block) noexcept {
    constexpr std::int64_t tile_rows = std::max<std::int64_t>(64 / sizeof(Lane), 8);
    constexpr std::int64_t tile_n = 64;
    for (std::int64_t first = 0; first < block.rows; first += tile_rows)
        for (std::int64_t begin = 0; begin < block.n; begin += tile_n)
            for (std::int64_t row = first; row < std::min(first + tile_rows, block.rows); ++row)
                run_row<Lane>(block, row, begin, std::min(begin + tile_n, block.n));
}

} // namespace

rows_function find_strided_loop(int lane_bytes) noexcept {
    static constexpr rows_function loops[lane_sizes] = {run_rows<std::uint8_t>,
            run_rows<std::uint16_t>, run_rows<std::uint32_t>, run_rows<std::uint64_t>,
            run_rows<pair_of_64>};
    return loops[lane_index(lane_bytes)];
}

} // namespace tern::kernels
