// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_LANES_LANE_CODE_HPP
#define TERN_KERNELS_LANES_LANE_CODE_HPP

/// \file
/// What a lane program becomes: loops to call, and places of registers in a tile's memory.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/lanes/lane_chain.hpp"
#include "kernels/lanes/lane_table.hpp"
#include "kernels/lanes/run_lanes.hpp"

namespace tern::kernels {

/// Where the elements of a register are while a tile runs: one for each at the start of the
/// scratch.
struct register_place {
    const std::uint8_t *at;
    bool moves;
};

/// How an element in memory becomes one of a register. Null functions: nothing to do.
struct load_plan {
    lane_function load = nullptr;    ///< To the type's own kind.
    lane_function convert = nullptr; ///< From that to the register's.
    std::int64_t bytes = 0;          ///< Of an element in memory.
    bool is_plain = false;           ///< A register may be such memory.
    bool is_index = false;
    bool is_early = false; ///< Loaded before anything is written.
    lane_kind kind{};
    /// The instruction that reads it first; the instructions' count for outputs.
    int first_use = 0;
    int last_use = -1; ///< -1: never read.
};

/// A link of a chain; its operands are registers, -1 for none.
struct link_plan {
    link_op op = link_op::start;
    int operand = -1;
    int cond = -1;
    float x = 0;
    float y = 0;
};

/// One loop, or a chain.
struct step_plan {
    lane_function run = nullptr;  ///< Null for a chain.
    std::vector<link_plan> links; ///< Of a chain.
    std::vector<int> sources;     ///< Registers. A loop's: in order.
    int dst = 0;
    bool gives_0_or_1 = false;   ///< For masks.
    bool is_only_stored = false; ///< No step reads dst.
    float x = 0;
    float y = 0;
};

struct store_plan {
    lane_function convert = nullptr;             ///< To a kind of 4 bytes that `store` takes.
    lane_function store[2] = {nullptr, nullptr}; ///< [1]: past the caches.
    std::int64_t bytes = 0;                      ///< Of an element in memory.
    int reg = 0;
    bool is_direct = false; ///< The register may be the output's memory.
    int made = 0; ///< The instruction that writes the register, or before which it is loaded.
    bool is_input = false;
    bool is_alone = true; ///< No other output has the register.
};

/// Places in the working memory, in bytes from its begin.
struct tile_layout {
    std::int64_t elements = 0;
    std::vector<std::int64_t> slots; ///< By register; -1: none.
    std::int64_t staging = 0;        ///< For elements between strided memory and a conversion.
    std::int64_t middle = 0;         ///< For numbers between two conversions, of 4 bytes.
    std::int64_t bytes = 0;          ///< Of all.
};

struct tile_shape {
    std::int64_t rows;
    std::int64_t columns;
};

/// Rows in a cache line of an operand of `bytes` that lies column by column; not more than leave
/// rows of the other operands their length.
inline std::int64_t rows_in_line(std::int64_t bytes) {
    return bytes == 1 ? 32 : 64 / bytes;
}
/// A part of a tile that fits the registers, when some operand lies column by column: whole lines
/// of it, and of those that lie row by row.
tile_shape cut_for_transposition(
        const tile_layout &layout, std::int64_t rows, std::int64_t columns, std::int64_t line_rows);

class lane_code {
public:
    explicit lane_code(lane_program given);

    std::int64_t register_bytes(int reg) const; ///< Of an element.

    lane_program program;
    std::vector<load_plan> loads;
    std::vector<step_plan> steps;
    chain_function chain = nullptr;
    std::vector<store_plan> stores;
    std::vector<std::size_t> load_order; ///< Inputs that are read, by the step before which.
    std::vector<int> direct_store;       ///< By register: the output it may be written to; or -1.
    /// For tiles whose plain inputs and whose outputs need not be gathered: larger ones.
    tile_layout direct;
    tile_layout gathered;
    /// Registers first, then a vector for each input.
    std::int64_t splats = 0;
    std::size_t scratch_bytes = 0;

private:
    std::vector<lane_kind> kinds_; ///< By register.
    std::vector<int> last_use_;

    void plan_loads(const lane_table &table);
    void plan_steps(const lane_table &table);
    bool append_to_chain(const lane_instruction &instruction, const std::vector<int> &uses);
    void plan_stores(const lane_table &table);
    void find_uses();
    void lay_out_staging(bool is_direct, std::int64_t &staging, std::int64_t &middle) const;
    bool is_written_at_once(const step_plan &step) const;
    tile_layout lay_out(bool is_direct) const;
};

/// `level` is that of the whole run.
void run_lane_tile(const lane_code &code, std::int64_t rows, std::int64_t columns,
        const lane_place *places, void *scratch, memory_level level) noexcept;

int bytes_of(lane_kind kind);
inline bool is_bits(lane_kind kind) {
    return kind >= lane_kind::bits_8;
}
/// A loop that copies elements of that many bytes.
lane_function find_copy(const lane_table &table, int bytes);
lane_function find_convert(const lane_table &table, lane_kind from, lane_kind to);

} // namespace tern::kernels

#endif
