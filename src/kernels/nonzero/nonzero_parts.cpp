// SPDX-License-Identifier: Apache-2.0

// Better targets have lower bits; nothing here gains from what comes after AVX3, nor from SSSE3
// where there is SSE4.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/nonzero/nonzero_parts.cpp"
#include <hwy/foreach_target.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/nonzero/nonzero_parts.hpp"
#include "kernels/select/row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

// ---- marking -----------------------------------------------------------------------------------

HWY_INLINE std::int64_t ones(std::uint64_t word) {
    return static_cast<std::int64_t>(hwy::PopCount(word));
}

/// Bit i says whether lane i of 64 lanes has no bit in common with the mask.
template <std::size_t LaneBytes>
HWY_INLINE std::uint64_t zeros_of_64(const std::uint8_t *x, const std::uint8_t *mask) {
    using lane = lane_of<LaneBytes>;
    std::uint64_t word = 0;
#if HWY_TARGET == HWY_SCALAR
    lane wanted[lanes_of_element<LaneBytes>];
    std::memcpy(wanted, mask, sizeof wanted);
    for (std::size_t i = 0; i < 64; ++i) {
        lane value;
        std::memcpy(&value, x + i * sizeof value, sizeof value);
        const bool is_zero = (value & wanted[i % lanes_of_element<LaneBytes>]) == 0;
        word |= std::uint64_t{is_zero} << i;
    }
#else
    const hn::CappedTag<lane, 64> d;
    const std::size_t step = hn::Lanes(d);
    alignas(16) lane wanted[16 / sizeof(lane)];
    for (std::size_t i = 0; i < 16; i += LaneBytes)
        std::memcpy(reinterpret_cast<std::uint8_t *>(wanted) + i, mask, LaneBytes);
    const auto wanted_bits = hn::LoadDup128(d, wanted);
    for (std::size_t i = 0; i < 64; i += step) {
        const auto is_zero =
                hn::Eq(hn::And(load(d, x + i * sizeof(lane)), wanted_bits), hn::Zero(d));
        std::uint8_t bytes[8] = {};
        hn::StoreMaskBits(d, is_zero, bytes);
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes, sizeof bits);
        word |= bits << i;
    }
#endif
    return word;
}

/// Bits 0, 2, 4 ... as bits 0 to 31.
HWY_INLINE std::uint64_t even_bits(std::uint64_t word) {
    word &= 0x5555555555555555;
    word = (word | (word >> 1)) & 0x3333333333333333;
    word = (word | (word >> 2)) & 0x0f0f0f0f0f0f0f0f;
    word = (word | (word >> 4)) & 0x00ff00ff00ff00ff;
    word = (word | (word >> 8)) & 0x0000ffff0000ffff;
    return (word | (word >> 16)) & 0x00000000ffffffff;
}

template <std::size_t LaneBytes>
std::int64_t mark(const std::uint8_t *x, std::int64_t words, const std::uint8_t *mask,
        std::uint64_t *bits) noexcept {
    std::int64_t count = 0;
    for (std::int64_t w = 0; w < words; ++w, x += 64 * LaneBytes) {
        std::uint64_t zeros = zeros_of_64<LaneBytes>(x, mask);
        if constexpr (LaneBytes == 16) { // an element is zero when both its lanes are
            const std::uint64_t upper = zeros_of_64<LaneBytes>(x + 512, mask);
            zeros = even_bits(zeros & (zeros >> 1)) | even_bits(upper & (upper >> 1)) << 32;
        }
        bits[w] = ~zeros;
        count += ones(~zeros);
    }
    return count;
}

// ---- expanding ---------------------------------------------------------------------------------

/// For each byte: the numbers of its set bits, ascending.
constexpr std::array<std::array<std::uint8_t, 8>, 256> make_bit_lists() {
    std::array<std::array<std::uint8_t, 8>, 256> lists{};
    for (std::size_t byte = 0; byte < lists.size(); ++byte)
        for (std::size_t bit = 0, n = 0; bit < 8; ++bit)
            if ((byte >> bit & 1) != 0) lists[byte][n++] = static_cast<std::uint8_t>(bit);
    return lists;
}
alignas(64) constexpr std::array<std::array<std::uint8_t, 8>, 256> bit_lists = make_bit_lists();

/// list[i] = the bits of `byte`, plus `base`; the rest of 8 entries is anything.
HWY_INLINE void list_byte(std::size_t byte, std::uint16_t base, std::uint16_t *list) {
#if HWY_TARGET == HWY_SCALAR
    for (std::size_t i = 0; i < 8; ++i)
        list[i] = static_cast<std::uint16_t>(base + bit_lists[byte][i]);
#else
    const hn::CappedTag<std::uint16_t, 8> d;
    const hn::Rebind<std::uint8_t, decltype(d)> narrow;
    hn::StoreU(
            hn::Add(hn::PromoteTo(d, hn::LoadU(narrow, bit_lists[byte].data())), hn::Set(d, base)),
            d, list);
#endif
}

/// The first `Unrolled` set bits without a branch, for words that seldom have more.
template <int Unrolled>
HWY_INLINE std::uint16_t *list_word(std::uint64_t word, std::uint16_t base, std::uint16_t *list) {
    const std::int64_t count = ones(word);
    for (int i = 0; i < Unrolled; ++i) {
        list[i] = static_cast<std::uint16_t>(base + std::countr_zero(word));
        word &= word - 1;
    }
    for (std::uint16_t *rest = list + Unrolled; word != 0; word &= word - 1)
        *rest++ = static_cast<std::uint16_t>(base + std::countr_zero(word));
    return list + count;
}

HWY_INLINE std::uint16_t *list_dense_word(
        std::uint64_t word, std::uint16_t base, std::uint16_t *list) {
    for (int i = 0; i < 8; ++i) {
        const std::size_t byte = word & 0xff;
        list_byte(byte, base, list);
        list += ones(byte);
        base = static_cast<std::uint16_t>(base + 8);
        word >>= 8;
    }
    return list;
}

template <bit_density Density>
std::int64_t expand(const std::uint64_t *bits, std::int64_t begin, std::int64_t end,
        std::int64_t base, std::uint16_t *list) noexcept {
    if (begin >= end) return 0;
    const std::int64_t first = begin / 64;
    const std::int64_t last = (end - 1) / 64;
    std::uint16_t *to = list;
    // Modulo 65536 until the bits below `begin` are skipped.
    auto at = static_cast<std::uint16_t>(base - begin % 64);
    for (std::int64_t w = first; w <= last; ++w, at = static_cast<std::uint16_t>(at + 64)) {
        std::uint64_t word = bits[w];
        if (w == first) word &= ~std::uint64_t{0} << (begin % 64);
        if (w == last) word &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
        if constexpr (Density == bit_density::many)
            to = list_dense_word(word, at, to);
        else
            to = list_word < Density == bit_density::few ? 4 : 8 > (word, at, to);
    }
    return to - list;
}

// ---- writing -----------------------------------------------------------------------------------

constexpr std::size_t index_bytes = sizeof(std::int64_t);

HWY_INLINE void store_one(std::int64_t value, std::uint8_t *to) {
    std::memcpy(to, &value, sizeof value);
}

/// n indices to dst. `source.get(d, i)` gives a vector of them, `source.one(i)` a single one.
template <bool Stream, class Source>
HWY_INLINE void write_indices(const Source &source, std::int64_t count, std::uint8_t *dst) {
    const hn::CappedTag<std::uint64_t, 8> d;
    const std::size_t step = hn::Lanes(d);
    const auto n = static_cast<std::size_t>(count);
    std::size_t i = 0;
    if constexpr (Stream) {
        constexpr std::size_t line_n = line / index_bytes;
        std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(dst)) % line / index_bytes;
        if (n >= head + line_n) {
            for (; i < head; ++i)
                store_one(source.one(i), dst + i * index_bytes);
            for (; i + line_n <= n; i += line_n)
                for (std::size_t j = 0; j < line_n; j += step)
                    stream(d, source.get(d, i + j), dst + (i + j) * index_bytes);
        }
    } else {
        for (; i + step <= n; i += step)
            store(d, source.get(d, i), dst + i * index_bytes);
    }
    for (; i < n; ++i)
        store_one(source.one(i), dst + i * index_bytes);
}

struct listed_indices {
    const std::uint16_t *list;
    std::int64_t base;

    template <class D>
    HWY_INLINE hn::Vec<D> get(D d, std::size_t i) const {
        const hn::Rebind<std::uint32_t, D> half;
        const hn::Rebind<std::uint16_t, D> quarter;
        return hn::Add(hn::PromoteTo(d, hn::PromoteTo(half, hn::LoadU(quarter, list + i))),
                hn::Set(d, static_cast<std::uint64_t>(base)));
    }
    HWY_INLINE std::int64_t one(std::size_t i) const { return base + list[i]; }
};

struct same_index {
    std::int64_t value;

    template <class D>
    HWY_INLINE hn::Vec<D> get(D d, std::size_t) const {
        return hn::Set(d, static_cast<std::uint64_t>(value));
    }
    HWY_INLINE std::int64_t one(std::size_t) const { return value; }
};

template <bool Stream>
void put(const std::uint16_t *list, std::int64_t n, std::int64_t base, std::uint8_t *dst) noexcept {
    write_indices<Stream>(listed_indices{list, base}, n, dst);
}

template <bool Stream>
void fill(std::int64_t value, std::int64_t n, std::uint8_t *dst) noexcept {
    write_indices<Stream>(same_index{value}, n, dst);
}

constexpr nonzero_parts target_parts = {
        {mark<1>, mark<2>, mark<4>, mark<8>, mark<16>},
        {expand<bit_density::few>, expand<bit_density::some>, expand<bit_density::many>},
        {put<false>, put<true>},
        {fill<false>, fill<true>},
};

} // namespace

const nonzero_parts &get_nonzero_parts() {
    return target_parts;
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(get_nonzero_parts);

const nonzero_parts &find_nonzero_parts() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_nonzero_parts)();
}

} // namespace tern::kernels
#endif
