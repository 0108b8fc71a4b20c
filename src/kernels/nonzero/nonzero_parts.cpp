// SPDX-License-Identifier: Apache-2.0

// Better targets have lower bits; nothing here gains from what comes after AVX3, nor from SSSE3
// where there is SSE4. Loops are unrolled by the number of lanes, which those with vectors of
// unknown length do not tell.
#define HWY_DISABLED_TARGETS                                                                       \
    (HWY_SSSE3 | (HWY_AVX3 - 1) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
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

#if HWY_TARGET == HWY_SCALAR
/// Bit i says whether lane i of 64 lanes has a bit in common with the mask.
template <std::size_t LaneBytes>
class lane_marker {
public:
    explicit lane_marker(const std::uint8_t *mask) { std::memcpy(mask_, mask, sizeof mask_); }

    HWY_INLINE std::uint64_t mark_64(const std::uint8_t *x) const {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < 64; ++i) {
            lane_of<LaneBytes> value;
            std::memcpy(&value, x + i * sizeof value, sizeof value);
            const bool is_set = (value & mask_[i % lanes_of_element<LaneBytes>]) != 0;
            word |= std::uint64_t{is_set} << i;
        }
        return word;
    }

private:
    lane_of<LaneBytes> mask_[lanes_of_element<LaneBytes>];
};
#else
/// Bit i of lane i of a vector of at most 64.
template <class D>
HWY_INLINE std::uint64_t bits_of(D d, hn::Mask<D> mask) {
    // No wider than what is stored: it stays in a register then.
    using stored = lane_of<(MaxLanes(d) < 8 ? 8 : MaxLanes(d)) / 8>;
    stored bits = 0;
    hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t *>(&bits));
    return bits;
}

/// Bit i says whether lane i of 64 lanes has a bit in common with the mask.
template <std::size_t LaneBytes>
class lane_marker {
public:
    explicit HWY_INLINE lane_marker(const std::uint8_t *mask) {
        alignas(16) std::uint8_t repeated[16];
        for (std::size_t i = 0; i < 16; i += LaneBytes)
            std::memcpy(repeated + i, mask, LaneBytes);
        mask_ = hn::LoadDup128(tag(), reinterpret_cast<const lane_of<LaneBytes> *>(repeated));
    }

    HWY_INLINE std::uint64_t mark_64(const std::uint8_t *x) const { return ~zeros_from<0>(x); }

private:
    using tag = hn::CappedTag<lane_of<LaneBytes>, 64>;

    template <std::size_t First>
    HWY_INLINE std::uint64_t zeros_from(const std::uint8_t *x) const {
        if constexpr (First >= 64) {
            return 0;
        } else {
            const tag d;
            const auto value = load(d, x + First * sizeof(lane_of<LaneBytes>));
            const auto is_zero = hn::Eq(hn::And(value, mask_), hn::Zero(d));
            return bits_of(d, is_zero) << First | zeros_from<First + MaxLanes(d)>(x);
        }
    }

    hn::Vec<tag> mask_;
};
#endif

/// Bits 0, 2, 4 ... as bits 0 to 31.
HWY_INLINE std::uint64_t even_bits(std::uint64_t word) {
    word &= 0x5555555555555555;
    word = (word | (word >> 1)) & 0x3333333333333333;
    word = (word | (word >> 2)) & 0x0f0f0f0f0f0f0f0f;
    word = (word | (word >> 4)) & 0x00ff00ff00ff00ff;
    word = (word | (word >> 8)) & 0x0000ffff0000ffff;
    return (word | (word >> 16)) & 0x00000000ffffffff;
}

constexpr std::int64_t page = 4096; // bytes

template <std::size_t LaneBytes>
std::int64_t mark(const std::uint8_t *x, std::int64_t words, const std::uint8_t *mask,
        std::uint64_t *bits) noexcept {
    const lane_marker<LaneBytes> marker(mask);
    std::int64_t count = 0;
    for (std::int64_t w = 0; w < words; ++w, x += 64 * LaneBytes) {
        // The hardware sees pages one by one, and nothing while a list is made.
        for (std::int64_t at = 0; at < std::int64_t{64 * LaneBytes}; at += line)
            prefetch_at(x, page + at);
        std::uint64_t marked = marker.mark_64(x);
        if constexpr (LaneBytes == 16) { // an element is marked when one of its lanes is
            const std::uint64_t upper = marker.mark_64(x + 512);
            marked = even_bits(marked | marked >> 1) | even_bits(upper | upper >> 1) << 32;
        }
        bits[w] = marked;
        count += ones(marked);
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

// Unrolled by hand: at the usual level of optimisation gcc leaves short loops as they are.

/// The first `Count` set bits, plus `base`; then anything. Returns the bits that are left.
template <int Count>
HWY_INLINE std::uint64_t list_first(std::uint64_t word, std::uint16_t base, std::uint16_t *list) {
    if constexpr (Count == 0) {
        return word;
    } else {
        // Of a word without bits anything will do, but not a branch that nobody can predict.
        constexpr std::uint64_t top = std::uint64_t{1} << 63;
        *list = static_cast<std::uint16_t>(base + std::countr_zero(word | top));
        return list_first<Count - 1>(word & (word - 1), base, list + 1);
    }
}

/// Without a branch for words that have at most `Few` bits.
template <int Few>
HWY_INLINE std::uint16_t *list_word(std::uint64_t word, std::uint16_t base, std::uint16_t *list) {
    std::uint16_t *const end = list + ones(word);
    word = list_first<Few>(word, base, list);
    for (list += Few; word != 0; ++list)
        word = list_first<1>(word, base, list);
    return end;
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE std::uint16_t *list_dense_word(
        std::uint64_t word, std::uint16_t base, std::uint16_t *list) {
    for (std::size_t byte = 0; byte < 8; ++byte, word >>= 8) {
        for (std::size_t i = 0; i < 8; ++i)
            list[i] = static_cast<std::uint16_t>(base + 8 * byte + bit_lists[word & 0xff][i]);
        list += ones(word & 0xff);
    }
    return list;
}
#else
/// The set bits of byte number `Byte` and of those after it; `base` is that of the byte.
template <int Byte, class D>
HWY_INLINE std::uint16_t *list_bytes(
        D d, std::uint64_t word, hn::Vec<D> base, std::uint16_t *list) {
    if constexpr (Byte == 8) {
        return list;
    } else {
        const std::size_t bits = word >> (8 * Byte) & 0xff;
        const hn::Rebind<std::uint8_t, D> narrow;
        const auto numbers = hn::PromoteTo(d, hn::LoadU(narrow, bit_lists[bits].data()));
        hn::StoreU(hn::Add(numbers, base), d, list);
        return list_bytes<Byte + 1>(
                d, word, hn::Add(base, hn::Set(d, std::uint16_t{8})), list + ones(bits));
    }
}

HWY_INLINE std::uint16_t *list_dense_word(
        std::uint64_t word, std::uint16_t base, std::uint16_t *list) {
    const hn::CappedTag<std::uint16_t, 8> d;
    return list_bytes<0>(d, word, hn::Set(d, base), list);
}
#endif

template <bit_density Density>
HWY_INLINE std::uint16_t *list_bits(std::uint64_t word, std::uint16_t base, std::uint16_t *list) {
    switch (Density) {
        case bit_density::two: return list_word<2>(word, base, list);
        case bit_density::four: return list_word<4>(word, base, list);
        case bit_density::eight: return list_word<8>(word, base, list);
        case bit_density::many: break;
    }
    return list_dense_word(word, base, list);
}

/// Bit i says whether words[i] has a bit; n is at most 64.
HWY_INLINE std::uint64_t words_with_bits(const std::uint64_t *words, std::size_t n) {
    std::uint64_t found = 0;
    std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<std::uint64_t, 8> d;
    for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
        found |= bits_of(d, hn::Ne(hn::LoadU(d, words + i), hn::Zero(d))) << i;
#endif
    for (; i < n; ++i)
        found |= std::uint64_t{words[i] != 0} << i;
    return found;
}

/// The set bits of whole words, of which many have none.
HWY_INLINE std::uint16_t *list_sparse_words(
        const std::uint64_t *words, std::int64_t n, std::uint16_t base, std::uint16_t *list) {
    for (std::int64_t first = 0; first < n; first += 64) {
        std::uint64_t found = words_with_bits(
                words + first, static_cast<std::size_t>(n - first < 64 ? n - first : 64));
        for (; found != 0; found &= found - 1) {
            const std::int64_t w = first + std::countr_zero(found);
            list = list_word<2>(words[w], static_cast<std::uint16_t>(base + 64 * w), list);
        }
    }
    return list;
}

template <bit_density Density>
std::int64_t expand(const std::uint64_t *bits, std::int64_t begin, std::int64_t end,
        std::int64_t base, std::uint16_t *list) noexcept {
    if (begin >= end) return 0;
    std::int64_t w = begin / 64;
    const std::int64_t last = (end - 1) / 64;
    const std::uint64_t until_end = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    // Modulo 65536 until the bits below `begin` are skipped.
    auto at = static_cast<std::uint16_t>(base - begin % 64);
    std::uint64_t word = bits[w] & ~std::uint64_t{0} << (begin % 64);
    std::uint16_t *to = list;
    if (Density == bit_density::two && w < last) {
        to = list_bits<Density>(word, at, to);
        at = static_cast<std::uint16_t>(at + 64);
        to = list_sparse_words(bits + w + 1, last - w - 1, at, to);
        at = static_cast<std::uint16_t>(at + 64 * (last - w - 1));
        w = last;
        word = bits[w];
    }
    while (w < last) {
        to = list_bits<Density>(word, at, to);
        at = static_cast<std::uint16_t>(at + 64);
        word = bits[++w];
    }
    return list_bits<Density>(word & until_end, at, to) - list;
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
        {expand<bit_density::two>, expand<bit_density::four>, expand<bit_density::eight>,
                expand<bit_density::many>},
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
