// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_SELECT_CASE_HPP
#define TERN_TESTS_UNIT_SELECT_CASE_HPP

/// \file
/// What the tests of select's kernels share: operands in memory, the expected result by the
/// reference loop, and the comparison of every byte.

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/shape.hpp"
#include "ir/op_def.hpp"
#include "kernels/select/select.hpp"
#include "ops/registry.hpp"

namespace tern::tests {

inline constexpr std::array<int, 5> all_lane_bytes = {1, 2, 4, 8, 16};

inline data_type type_of_lane(int lane_bytes) {
    switch (lane_bytes) {
        case 1: return data_type::u8;
        case 2: return data_type::bf16;
        case 4: return data_type::f32;
        case 8: return data_type::f64;
        default: return data_type::c128;
    }
}

/// Where a region of memory begins.
struct placement {
    enum kind { anywhere, ends_at_guard, begins_at_guard } where = anywhere;
    std::size_t misalignment = 0; ///< Bytes after a 64-byte boundary; `anywhere` only.
};

/// Memory that one or several operands lie in.
class region {
public:
    region(std::size_t bytes, placement place) : bytes_(bytes) {
        auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        if (place.where == placement::anywhere) {
            heap_.resize(bytes + 128);
            std::size_t past = reinterpret_cast<std::uintptr_t>(heap_.data()) % 64;
            first_ = heap_.data() + (64 - past) + place.misalignment;
            return;
        }
        std::size_t inside = (bytes + page - 1) / page * page;
        mapped_bytes_ = inside + 2 * page;
        void *mapped = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        mapped_ = static_cast<std::uint8_t *>(mapped);
        mprotect(mapped_ + page, inside, PROT_READ | PROT_WRITE);
        first_ = mapped_ + page
                 + (place.where == placement::ends_at_guard ? inside - bytes : std::size_t{0});
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;
    ~region() {
        if (mapped_) munmap(mapped_, mapped_bytes_);
    }

    std::uint8_t *first() const { return first_; }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    std::vector<std::uint8_t> heap_;
    std::uint8_t *mapped_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    std::uint8_t *first_ = nullptr;
};

/// Shape and strides of a select; strides by select_operand.
struct select_form {
    dims shape;
    std::array<dims, 4> strides;
    int lane_bytes;

    std::size_t bytes_of(std::size_t operand) const {
        return operand == kernels::select_cond ? 1 : static_cast<std::size_t>(lane_bytes);
    }
    std::size_t span(std::size_t operand) const {
        return static_cast<std::size_t>(*byte_span(shape, strides[operand], bytes_of(operand)));
    }
};

/// Dense operands; `axes[operand]` has a bit for every axis (bit 0: axis 0) that it moves along.
inline select_form dense_form(const dims &shape, std::array<unsigned, 3> axes, int lane_bytes) {
    select_form form = {shape, {}, lane_bytes};
    for (std::size_t operand = 0; operand < 3; ++operand) {
        dims reduced = shape;
        for (int axis = 0; axis < shape.rank(); ++axis)
            if ((axes[operand] >> axis & 1) == 0) reduced[axis] = 1;
        form.strides[operand] = broadcast_strides(reduced, *dense_strides(reduced), shape);
    }
    form.strides[kernels::select_dst] = *dense_strides(shape);
    return form;
}

/// Which of the first three operands move along the only or the last axis.
inline constexpr unsigned motions = 8;

inline std::array<unsigned, 3> axes_of(unsigned motion, unsigned axis_bit, unsigned others = 0) {
    std::array<unsigned, 3> axes{};
    for (unsigned operand = 0; operand < 3; ++operand)
        axes[operand] = others | ((motion >> operand & 1) != 0 ? axis_bit : 0);
    return axes;
}

/// A select with memory.
class select_case {
public:
    explicit select_case(const select_form &form, unsigned seed = 1) : form_(form), random_(seed) {}

    /// A region of its own for every operand that has none yet.
    void place(placement place = {}) {
        for (std::size_t operand = 0; operand < 4; ++operand)
            if (!homes_[operand]) put(operand, add_region(form_.span(operand), place), 0);
    }
    region *add_region(std::size_t bytes, placement place = {}) {
        regions_.push_back(std::make_unique<region>(bytes, place));
        region *added = regions_.back().get();
        for (std::size_t i = 0; i < bytes; ++i)
            added->first()[i] = random_byte();
        return added;
    }
    void put(std::size_t operand, region *home, std::size_t offset) {
        homes_[operand] = home;
        offsets_[operand] = offset;
        if (operand != kernels::select_cond) return;
        for (std::size_t i = 0; i < form_.span(operand); ++i)
            at(operand)[i] = random_() % 2 == 0 ? std::uint8_t{0} : random_byte();
    }
    /// `operand` lies where `with` does.
    void share(std::size_t operand, std::size_t with) {
        put(operand, homes_[with], offsets_[with]);
    }
    void share_with_dst(std::size_t operand) { share(kernels::select_dst, operand); }

    std::uint8_t *at(std::size_t operand) const {
        return homes_[operand]->first() + offsets_[operand];
    }
    region *home(std::size_t operand) const { return homes_[operand]; }

    /// What all regions hold after the reference loop.
    std::vector<std::vector<std::uint8_t>> expected() const {
        auto before = contents();
        auto after = before;
        const data_type type = type_of_lane(form_.lane_bytes);
        std::vector<ir::const_view> in;
        for (std::size_t operand = 0; operand < 3; ++operand) {
            dims shape = form_.shape;
            for (int axis = 0; axis < shape.rank(); ++axis)
                if (form_.strides[operand][axis] == 0) shape[axis] = 1;
            in.push_back({before[index(operand)].data() + offsets_[operand],
                    operand == 0 ? data_type::boolean : type, shape, form_.strides[operand]});
        }
        ir::mutable_view out = {
                after[index(kernels::select_dst)].data() + offsets_[kernels::select_dst], type,
                form_.shape, form_.strides[kernels::select_dst]};
        ir::attr_list attrs;
        ops::find(op_kind::Select)
                ->reference({attrs, in, {&out, 1}}, 0, *element_count(form_.shape));
        return after;
    }

    std::vector<std::vector<std::uint8_t>> contents() const {
        std::vector<std::vector<std::uint8_t>> all;
        for (const auto &home : regions_)
            all.emplace_back(home->first(), home->first() + home->bytes());
        return all;
    }

    kernels::select_loops loops() const {
        return kernels::make_select_loops(form_.shape, form_.strides, form_.lane_bytes);
    }

    void run(const kernels::select_loops &loops) const {
        using namespace kernels;
        run_select(loops, at(select_cond), at(select_src_0), at(select_src_1), at(select_dst));
    }

    /// Runs the loops and compares every byte of every region.
    void expect_reference_result(const kernels::select_loops &loops) const {
        auto wanted = expected();
        run(loops);
        for (std::size_t i = 0; i < regions_.size(); ++i)
            if (std::memcmp(wanted[i].data(), regions_[i]->first(), wanted[i].size()) != 0) {
                std::size_t byte = 0;
                while (wanted[i][byte] == regions_[i]->first()[byte])
                    ++byte;
                FAIL() << to_string(form_.shape) << " lanes of " << form_.lane_bytes << " strides "
                       << to_string(form_.strides[0]) << " " << to_string(form_.strides[1]) << " "
                       << to_string(form_.strides[2]) << " " << to_string(form_.strides[3])
                       << ": region " << i << " differs at byte " << byte << " of "
                       << wanted[i].size();
            }
    }
    void expect_reference_result() const { expect_reference_result(loops()); }

private:
    std::uint8_t random_byte() { return static_cast<std::uint8_t>(random_() >> 8); }
    std::size_t index(std::size_t operand) const {
        std::size_t found = 0;
        while (regions_[found].get() != homes_[operand])
            ++found;
        return found;
    }

    select_form form_;
    std::minstd_rand random_;
    std::vector<std::unique_ptr<region>> regions_;
    std::array<region *, 4> homes_{};
    std::array<std::size_t, 4> offsets_{};
};

} // namespace tern::tests

#endif
