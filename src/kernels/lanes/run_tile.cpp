// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/lanes/gather.hpp"
#include "kernels/lanes/lane_code.hpp"

namespace tern::kernels {
namespace {

/// Rows of fewer elements are put together, which costs a copy of operands that are not dense.
constexpr std::int64_t long_row = 256;
/// Rows of fewer elements are computed together and then copied to where they belong.
constexpr std::int64_t least_row = 64;

/// A part of the tile that fits the registers.
struct chunk {
    std::int64_t row;
    std::int64_t column;
    std::int64_t rows;
    std::int64_t columns;

    std::int64_t elements() const { return rows * columns; }
};

/// What a place is within a chunk.
bool is_one_value(const lane_place &place, const chunk &part) {
    return (place.column_stride == 0 || part.columns == 1)
           && (place.row_stride == 0 || part.rows == 1);
}
bool is_dense(const lane_place &place, const chunk &part) {
    return (place.column_stride == 1 || part.columns == 1)
           && (part.rows == 1 || place.row_stride == part.columns);
}
strided_block block_of(const lane_place &place, const chunk &part, std::int64_t bytes) {
    return {part.rows, part.columns, place.row_stride, place.column_stride, bytes};
}
std::int64_t offset_of(const lane_place &place, const chunk &part) {
    return part.row * place.row_stride + part.column * place.column_stride;
}

void call(lane_function run, const std::uint8_t *from, bool moves, std::uint8_t *dst,
        std::int64_t n) {
    run({{from, nullptr, nullptr}, {moves, false, false}, dst, n, 0, 0});
}

/// A link with an operand that is one value. Maximum and minimum have to look at both operands for
/// NaN and for the sign of zeros, unless one of them is known.
link_op with_one_value(link_op op, const std::uint8_t *operand) {
    if (op != link_op::maximum && op != link_op::minimum) return op;
    float value = 0;
    std::memcpy(&value, operand, sizeof value);
    if (std::isnan(value) || value == 0) return op;
    return op == link_op::maximum ? link_op::raise : link_op::cap;
}

class tile_run {
public:
    tile_run(const lane_code &code, const lane_place *places, const tile_layout &layout,
            void *scratch, memory_level level, bool is_transposed)
        : code_(code),
          places_(places),
          layout_(layout),
          base_(static_cast<std::uint8_t *>(scratch)),
          registers_(static_cast<register_place *>(scratch)),
          outputs_(places + code.loads.size()),
          level_(level),
          is_transposed_(is_transposed) {}

    void run(const chunk &part) {
        part_ = part;
        next_load_ = 0;
        for (std::size_t i = 0; i < code_.loads.size(); ++i)
            if (code_.loads[i].is_early) load(i, nullptr);
        const int end = static_cast<int>(code_.steps.size());
        for (int time = 0; time < end; ++time) {
            load_for(time);
            run_step(time);
        }
        load_for(end);
        for (std::size_t i = 0; i < code_.stores.size(); ++i)
            store(i);
        is_first_ = false;
    }

private:
    std::uint8_t *slot(std::size_t reg) const { return base_ + layout_.slots[reg]; }
    std::uint8_t *staging() const { return base_ + layout_.staging; }
    std::uint8_t *middle() const { return base_ + layout_.middle; }

    void load_for(int time) {
        for (; next_load_ < code_.load_order.size(); ++next_load_) {
            const std::size_t i = code_.load_order[next_load_];
            if (code_.loads[i].first_use != time) return;
            load(i, output_memory(static_cast<int>(i)));
        }
    }

    void run_step(int time) {
        const step_plan &step = code_.steps[static_cast<std::size_t>(time)];
        if (is_transposed_ && run_rows(step)) return;
        std::uint8_t *dst = output_memory(step.dst);
        // What has been transposed is near.
        memory_level level =
                is_transposed_ ? memory_level::l2 : std::min(level_, memory_level::last_cache);
        if (is_far() && step.run == nullptr && step.is_only_stored) {
            dst = direct_memory(step.dst);
            if (dst != nullptr) level = memory_level::main;
        }
        if (dst == nullptr) dst = slot(static_cast<std::size_t>(step.dst));
        if (step.run == nullptr)
            run_chain(step, {dst, 0, 1, part_.elements()}, level);
        else
            run_loop(step, {dst, 0, 1, part_.elements()});
        registers_[step.dst] = {dst, true};
    }

    /// Writes long rows of an output at once to where they belong, if nothing else reads them.
    bool run_rows(const step_plan &step) {
        const int store = code_.direct_store[static_cast<std::size_t>(step.dst)];
        if (store < 0 || !step.is_only_stored || (is_far() && step.run != nullptr)) return false;
        const store_plan &plan = code_.stores[static_cast<std::size_t>(store)];
        const lane_place &place = outputs_[store];
        if (place.column_stride != 1 || part_.columns < least_row || is_dense(place, part_)
                || !plan.is_alone || is_read_later(plan, place.data))
            return false;
        std::uint8_t *first = memory_of(plan, place);
        const row_range all{first, place.row_stride * plan.bytes, part_.rows, part_.columns};
        if (step.run == nullptr)
            run_chain(step, all, is_far() ? memory_level::main : memory_level::l2);
        else
            run_loop(step, all);
        registers_[step.dst] = {first, true};
        return true;
    }

    /// Registers' elements as rows, and where results go.
    struct row_range {
        std::uint8_t *dst;
        std::int64_t dst_step; ///< Bytes from row to row.
        std::int64_t rows;
        std::int64_t columns;
    };

    void run_loop(const step_plan &step, const row_range &part) {
        lane_args args{};
        std::int64_t row_bytes[3] = {};
        for (std::size_t k = 0; k < step.sources.size(); ++k) {
            const register_place &source = registers_[step.sources[k]];
            args.source[k] = source.at;
            args.moves[k] = source.moves;
            if (source.moves && part.rows > 1)
                row_bytes[k] = part.columns * code_.register_bytes(step.sources[k]);
        }
        args.dst = part.dst;
        args.n = part.columns;
        args.x = step.x;
        args.y = step.y;
        step.run(args);
        for (std::int64_t row = 1; row < part.rows; ++row) {
            for (std::size_t k = 0; k < step.sources.size(); ++k)
                args.source[k] += row_bytes[k];
            args.dst += part.dst_step;
            step.run(args);
        }
    }

    void run_chain(const step_plan &step, const row_range &part, memory_level level) {
        chain_link links[longest_chain];
        std::size_t count = 0;
        for (const link_plan &plan : step.links) {
            chain_link link{plan.op, nullptr, false, nullptr, plan.x, plan.y};
            if (plan.operand >= 0) {
                link.operand = registers_[plan.operand].at;
                link.moves = registers_[plan.operand].moves;
                if (!link.moves) link.op = with_one_value(link.op, link.operand);
            }
            if (plan.cond >= 0) {
                const register_place &cond = registers_[plan.cond];
                if (cond.moves) {
                    link.cond = cond.at;
                } else {
                    const bool keeps = (*cond.at != 0) == (link.op == link_op::select_value);
                    if (keeps) continue;
                    link.op = link_op::start;
                }
            }
            links[count++] = link;
        }
        std::uint8_t *dst = part.dst;
        code_.chain({links, count, dst, part.columns, level});
        const auto columns = static_cast<std::size_t>(part.columns);
        for (std::int64_t row = 1; row < part.rows; ++row) {
            for (std::size_t i = 0; i < count; ++i) {
                if (links[i].moves) links[i].operand += columns * sizeof(float);
                if (links[i].cond != nullptr) links[i].cond += columns;
            }
            dst += part.dst_step;
            code_.chain({links, count, dst, part.columns, level});
        }
    }

    bool is_far() const { return level_ == memory_level::main; }

    /// The memory of the output that a register is, when it can be written there at once.
    std::uint8_t *output_memory(int reg) const { return is_far() ? nullptr : direct_memory(reg); }

    std::uint8_t *direct_memory(int reg) const {
        const int store = code_.direct_store[static_cast<std::size_t>(reg)];
        if (store < 0) return nullptr;
        const store_plan &plan = code_.stores[static_cast<std::size_t>(store)];
        const lane_place &place = outputs_[store];
        if (!is_dense(place, part_) || is_read_later(plan, place.data)) return nullptr;
        return memory_of(plan, place);
    }

    std::uint8_t *memory_of(const store_plan &plan, const lane_place &place) const {
        return static_cast<std::uint8_t *>(place.data) + offset_of(place, part_) * plan.bytes;
    }

    /// Whether the output's memory is an input that is still wanted once the register is made.
    bool is_read_later(const store_plan &plan, const void *memory) const {
        for (std::size_t i = 0; i < code_.loads.size(); ++i) {
            const load_plan &input = code_.loads[i];
            if (input.is_early || input.is_index || places_[i].data != memory) continue;
            if (plan.is_input ? static_cast<int>(i) != plan.reg && input.last_use >= plan.made
                              : input.last_use > plan.made)
                return true;
        }
        return false;
    }

    /// `to`: where it should be; null for a place of the register's own.
    void load(std::size_t i, std::uint8_t *to) {
        const load_plan &plan = code_.loads[i];
        const lane_place &place = places_[i];
        const std::uint8_t *from = nullptr;
        if (!plan.is_index)
            from = static_cast<const std::uint8_t *>(place.data)
                   + offset_of(place, part_) * plan.bytes;
        if (is_one_value(place, part_)) return load_value(i, from);
        if (plan.is_index) {
            if (to == nullptr) to = slot(i);
            count_up(block_of(place, part_, bytes_of(plan.kind)),
                    place.index + offset_of(place, part_), plan.kind == lane_kind::f32, to);
        } else if (plan.is_plain) {
            if (is_dense(place, part_) && !plan.is_early) {
                registers_[i] = {from, true};
                return;
            }
            if (to == nullptr) to = slot(i);
            gather(block_of(place, part_, plan.bytes), from, to);
        } else {
            if (to == nullptr) to = slot(i);
            if (!is_dense(place, part_)) {
                gather(block_of(place, part_, plan.bytes), from, staging());
                from = staging();
            }
            convert(plan, from, to, bytes_of(plan.kind) == 4 ? to : nullptr, part_.elements());
        }
        registers_[i] = {to, true};
    }

    void convert(const load_plan &plan, const std::uint8_t *from, std::uint8_t *to,
            std::uint8_t *between, std::int64_t n) {
        if (plan.load != nullptr && plan.convert != nullptr) {
            if (between == nullptr) between = middle();
            call(plan.load, from, true, between, n);
            call(plan.convert, between, true, to, n);
        } else {
            call(plan.load != nullptr ? plan.load : plan.convert, from, true, to, n);
        }
    }

    void load_value(std::size_t i, const std::uint8_t *from) {
        const load_plan &plan = code_.loads[i];
        const lane_place &place = places_[i];
        std::uint8_t *vector = base_ + code_.splats + i * widest_vector;
        registers_[i] = {vector, false};
        const bool is_same = place.row_stride == 0 && place.column_stride == 0;
        if (is_same && !is_first_) return;
        const std::int64_t bytes = bytes_of(plan.kind);
        alignas(8) std::uint8_t element[8] = {};
        alignas(8) std::uint8_t between[8] = {};
        if (plan.is_index)
            count_up({1, 1, 0, 0, bytes}, place.index + offset_of(place, part_),
                    plan.kind == lane_kind::f32, element);
        else if (plan.is_plain)
            std::memcpy(element, from, static_cast<std::size_t>(bytes));
        else
            convert(plan, from, element, between, 1);
        repeat(element, bytes, widest_vector, vector);
    }

    void store(std::size_t i) {
        const store_plan &plan = code_.stores[i];
        const lane_place &place = outputs_[i];
        register_place source = registers_[plan.reg];
        const std::int64_t n = part_.elements();
        std::uint8_t *to = memory_of(plan, place);
        const bool whole = is_dense(place, part_);
        if (plan.is_direct && source.moves && source.at == to) return;
        if (plan.convert != nullptr) {
            call(plan.convert, source.at, source.moves, middle(), n);
            source = {middle(), true};
        }
        if (whole) return call(plan.store[is_far() ? 1 : 0], source.at, source.moves, to, n);
        if (is_far() && place.column_stride == 1 && part_.columns >= least_row && source.moves) {
            const std::int64_t row_bytes =
                    part_.columns * (plan.convert != nullptr ? 4 : code_.register_bytes(plan.reg));
            for (std::int64_t row = 0; row < part_.rows; ++row)
                call(plan.store[1], source.at + row * row_bytes, true,
                        to + row * place.row_stride * plan.bytes, part_.columns);
            return;
        }
        if (!plan.is_direct || !source.moves) {
            call(plan.store[0], source.at, source.moves, staging(), n);
            source.at = staging();
        }
        scatter(block_of(place, part_, plan.bytes), source.at, to);
    }

    const lane_code &code_;
    const lane_place *places_;
    const tile_layout &layout_;
    std::uint8_t *base_;
    register_place *registers_;
    const lane_place *outputs_;
    memory_level level_;
    bool is_transposed_;
    bool is_first_ = true;
    chunk part_{};
    std::size_t next_load_ = 0;
};

/// Whether all places can be walked as one row.
bool is_one_run(const lane_place *places, std::size_t count, std::int64_t columns) {
    return std::all_of(places, places + count, [&](const lane_place &place) {
        std::int64_t reach = 0;
        return !__builtin_mul_overflow(place.column_stride, columns, &reach)
               && reach == place.row_stride;
    });
}

/// 0 when no operand lies column by column.
std::int64_t find_line_rows(
        const lane_code &code, const lane_place *places, std::int64_t rows, std::int64_t columns) {
    std::int64_t found = 0;
    const std::size_t inputs = code.loads.size();
    for (std::size_t i = 0; i < inputs + code.stores.size() && rows > 1 && columns > 1; ++i) {
        const lane_place &place = places[i];
        if (i < inputs && code.loads[i].is_index) continue;
        if (place.row_stride <= 0 || place.column_stride <= place.row_stride) continue;
        const std::int64_t bytes = i < inputs ? code.loads[i].bytes : code.stores[i - inputs].bytes;
        found = std::max(found, rows_in_line(bytes));
    }
    return found;
}

/// Whether rows are long and nothing but what has to be converted needs a register: then memory is
/// read and written without gathering.
bool is_direct(
        const lane_code &code, const lane_place *places, std::int64_t rows, std::int64_t columns) {
    if (rows > 1 && columns < long_row) return false;
    const std::size_t inputs = code.loads.size();
    for (std::size_t i = 0; i < inputs; ++i)
        if (!code.loads[i].is_index && places[i].column_stride > 1 && columns > 1) return false;
    for (std::size_t i = 0; i < code.stores.size(); ++i)
        if (places[inputs + i].column_stride != 1 && columns > 1) return false;
    return true;
}

} // namespace

void run_lane_tile(const lane_code &code, std::int64_t rows, std::int64_t columns,
        const lane_place *places, void *scratch, memory_level level) noexcept {
    const std::size_t count = code.loads.size() + code.stores.size();
    // A tile that is one run is cut without regard to its rows.
    if (rows > 1 && is_one_run(places, count, columns)) {
        columns *= rows;
        rows = 1;
    }
    const tile_layout &layout =
            is_direct(code, places, rows, columns) ? code.direct : code.gathered;
    const std::int64_t line_rows = find_line_rows(code, places, rows, columns);
    tile_run run(code, places, layout, scratch, level, line_rows > 0);
    const std::int64_t most = layout.elements;
    if (line_rows > 0) {
        const tile_shape part = cut_for_transposition(layout, rows, columns, line_rows);
        for (std::int64_t c = 0; c < columns; c += part.columns)
            for (std::int64_t r = 0; r < rows; r += part.rows)
                run.run({r, c, std::min(part.rows, rows - r), std::min(part.columns, columns - c)});
        return;
    }
    const std::int64_t part_rows =
            rows > 1 && columns < long_row ? std::max<std::int64_t>(most / columns, 1) : 1;
    for (std::int64_t r = 0; r < rows; r += part_rows)
        for (std::int64_t c = 0; c < columns; c += most)
            run.run({r, c, std::min(part_rows, rows - r), std::min(most, columns - c)});
}

void run_lane_tile(const lane_code &code, std::int64_t rows, std::int64_t columns,
        const lane_place *places, void *scratch) noexcept {
    run_lane_tile(code, rows, columns, places, scratch, memory_level::l2);
}

} // namespace tern::kernels
