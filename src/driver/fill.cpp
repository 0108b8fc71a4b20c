// SPDX-License-Identifier: Apache-2.0
#include "driver/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "driver/ranges.hpp"

namespace tern::driver {
namespace {

/// SplitMix64's output function: neighbouring inputs give unrelated outputs.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

std::uint64_t stream_of(std::size_t tensor_id, std::uint64_t seed) {
    return mix(mix(seed) ^ tensor_id);
}

/// Bit patterns that arithmetic likes to change, without their sign: zero, smallest and largest
/// denormal, infinity, a quiet and a signalling NaN, both with a payload.
std::array<std::uint64_t, 6> special_patterns(const float_format &format) {
    const std::uint64_t one = 1;
    const std::uint64_t top = ((one << format.exponent_bits) - 1) << format.mantissa_bits;
    const std::uint64_t quiet = one << (format.mantissa_bits - 1);
    return {0, 1, (one << format.mantissa_bits) - 1, top, top | quiet | 1, top | 1};
}

std::uint64_t special_or_random(const float_format &format,
        const std::array<std::uint64_t, 6> &specials, std::uint64_t random) {
    // Another 64 bits decide, for all of the first may be needed for the value.
    std::uint64_t choice = mix(random);
    if (choice % 4 != 0) return random;
    std::uint64_t sign = (random >> 63) << (format.bits() - 1);
    return specials[(choice / 4) % specials.size()] | sign;
}

/// The characters of every string that the driver makes.
constexpr std::string_view characters =
        "the quick brown fox jumps over the lazy dog, and then it was not heard of any more, but "
        "THE DOG DREAMT OF A FOX THAT JUMPED AND OF NOTHING ELSE FOR 0123456789 YEARS AND SOME "
        "DAYS.";
constexpr std::size_t longest_string = 24;
constexpr std::size_t half_of_characters = (characters.size() - longest_string) / 2;

/// A string of up to that length, every eighth of them empty. Those of the second half have other
/// addresses than those of the first, which is what decides whether elements are equal bit by bit.
void write_string(std::uint64_t random, bool second_half, std::byte *element) {
    string_ref made;
    made.data = characters.data() + (random >> 32) % half_of_characters
                + (second_half ? half_of_characters : 0);
    made.size = random % 8 == 0 ? 0 : 1 + (random / 8) % longest_string;
    std::memcpy(element, &made, sizeof(made));
}

/// One element of random bits, top bit given.
class bits_source {
public:
    bits_source(data_type type, bool top_bit)
        : bytes_(bytes_of(type)),
          format_(format_of(type)),
          is_string_(type == data_type::string),
          top_bit_(top_bit) {
        if (format_) specials_ = special_patterns(*format_);
    }

    void write(std::uint64_t random, std::byte *element) const {
        if (is_string_) return write_string(random, top_bit_, element);
        // Complex numbers are two reals.
        std::size_t part = format_ ? static_cast<std::size_t>(format_->bits()) / 8 : bytes_;
        for (std::size_t at = 0; at < bytes_; at += part) {
            std::uint64_t bits = format_ ? special_or_random(*format_, specials_, random) : random;
            std::memcpy(element + at, &bits, part);
            random = mix(random + 1);
        }
        std::byte &last = element[bytes_ - 1];
        last = (last & std::byte{0x7f}) | (top_bit_ ? std::byte{0x80} : std::byte{0});
    }

private:
    std::size_t bytes_;
    std::optional<float_format> format_;
    std::array<std::uint64_t, 6> specials_{};
    bool is_string_;
    bool top_bit_;
};

struct interval {
    double least;
    double most;
};

interval measuring_range(data_type type) {
    switch (type) {
        case data_type::bf16:
        case data_type::s8: return {-32, 32};
        case data_type::f16:
        case data_type::f8_e5m2:
        case data_type::f8_e4m3: return {-8, 8};
        case data_type::u8: return {0, 64};
        case data_type::boolean: return {0, 2};
        case data_type::u16:
        case data_type::u32:
        case data_type::u64: return {0, 1024};
        default: return {-1024, 1024};
    }
}

/// A number in [0, 1).
double unit(std::uint64_t random) {
    return static_cast<double>(random >> 11) * 0x1p-53;
}

/// Converting a number for each element of a large tensor takes longer than measuring it; so they
/// are drawn from that many converted ones.
constexpr std::size_t measuring_numbers = 4096;

std::vector<std::byte> numbers_for_measuring(data_type type) {
    const interval range = measuring_range(type);
    const std::size_t bytes = bytes_of(type);
    std::vector<std::byte> numbers(measuring_numbers * bytes);
    for (std::size_t i = 0; i < measuring_numbers; ++i) {
        if (type == data_type::string) {
            write_string(mix(i), false, numbers.data() + i * bytes);
            continue;
        }
        double number = range.least + (range.most - range.least) * unit(mix(i));
        if (!format_of(type)) number = std::floor(number); // evenly among the integers
        store_f64(type, number, numbers.data() + i * bytes);
    }
    return numbers;
}

/// Calls `write(random bits, element)` for every place that could hold an element, so that strides
/// do not matter.
template <typename Write>
void fill_span(buffer &memory, std::uint64_t stream, Write write) {
    const std::size_t bytes = bytes_of(memory.desc().type);
    std::byte *data = memory.data();
    in_ranges(static_cast<std::int64_t>(memory.bytes() / bytes),
            [=](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i)
                    write(mix(stream + static_cast<std::uint64_t>(i)),
                            data + static_cast<std::size_t>(i) * bytes);
            });
}

std::byte condition_byte(bool is_true, std::uint64_t random) {
    return static_cast<std::byte>(is_true ? 1 + (random >> 32) % 255 : 0);
}

/// Makes elements zero, or sees to it that they are not.
class zero_maker {
public:
    explicit zero_maker(data_type type)
        : bytes_(bytes_of(type)),
          format_(format_of(type)),
          part_(format_ ? static_cast<std::size_t>(format_->bits()) / 8 : bytes_),
          is_string_(type == data_type::string) {}

    /// Parts of floating-point numbers get either sign.
    void zero(std::uint64_t random, std::byte *element) const {
        for (std::size_t i = 0; i < bytes_; ++i) {
            const bool is_negative = format_ && i % part_ == part_ - 1 && (random >> i & 1) != 0;
            element[i] = std::byte{is_negative ? std::uint8_t{0x80} : std::uint8_t{0}};
        }
    }
    void make_other_than_zero(std::byte *element) const {
        if (is_string_) {
            string_ref text;
            std::memcpy(&text, element, sizeof text);
            if (text.size == 0) write_string(1, false, element);
            return;
        }
        if (std::all_of(element, element + bytes_, [](std::byte b) { return b == std::byte{0}; }))
            element[0] = std::byte{1};
    }

private:
    std::size_t bytes_;
    std::optional<float_format> format_;
    std::size_t part_;
    bool is_string_;
};

void fill_condition(buffer &memory, std::uint64_t stream) {
    fill_span(memory, stream, [](std::uint64_t random, std::byte *element) {
        *element = condition_byte((random & 1) != 0, random);
    });
}

/// One number of the mix that value_kind::numbers means.
double mixed_number(const input_role &role, std::uint64_t random) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::uint64_t choice = random % 64;
    random = mix(random);
    double number = 8 * unit(random) - 4;
    if (role.specials && choice == 63)
        number = random % 3 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : std::copysign(infinity, number);
    else if (choice < 3)
        number = 0;
    else if (choice < 7)
        number *= 0x1p-10;
    else if (choice < 11)
        number *= 16;
    else if (choice < 20)
        number = std::round(number);
    if (role.positive) number = std::abs(number) + 0x1p-6;
    if (std::abs(number) < role.least_magnitude)
        number = std::copysign(std::abs(number) + role.least_magnitude, number);
    return number;
}

double number_of(const input_role &role, std::uint64_t random, std::uint64_t stream) {
    switch (role.kind) {
        case value_kind::multiples:
        case value_kind::indices: {
            const auto count = static_cast<std::uint64_t>(role.most - role.least) + 1;
            return role.step * (role.least + static_cast<double>((random >> 16) % count));
        }
        case value_kind::one_of: return role.choices[mix(stream) % role.choices.size()];
        case value_kind::each_of: return role.choices[random % role.choices.size()];
        default: return mixed_number(role, random);
    }
}

/// A range of elements one after another along an axis.
struct row {
    std::byte *first;
    std::size_t step; ///< Bytes from one element to the next.
    std::int64_t length;
    std::int64_t number; ///< Of the rows, in row-major order.
    std::int64_t query;  ///< Position on the axis before the last.
};

/// Calls `visit(const row &)` for every row along an axis, counted from the end. A tensor without
/// that axis, or with one element on it, has as many rows as elements.
template <typename Visit>
void for_each_row(buffer &memory, int axis_from_end, Visit visit) {
    const dims &shape = memory.desc().shape;
    const dims &strides = memory.desc().strides;
    const std::size_t bytes = bytes_of(memory.desc().type);
    const int axis = shape.rank() + axis_from_end;
    const bool has_axis = axis >= 0 && axis < shape.rank();
    const std::int64_t length = has_axis ? shape[axis] : 1;
    if (memory.bytes() == 0) return;
    const std::int64_t rows = *element_count(shape) / length;
    std::byte *data = memory.data();
    in_ranges(rows, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t number = begin; number < end; ++number) {
            std::int64_t rest = number;
            std::int64_t offset = 0;
            std::int64_t query = 0;
            for (int i = shape.rank() - 1; i >= 0; --i) {
                if (has_axis && i == axis) continue;
                const std::int64_t at = rest % shape[i];
                if (i == shape.rank() - 2) query = at;
                offset += at * strides[i];
                rest /= shape[i];
            }
            visit(row{data + static_cast<std::size_t>(offset) * bytes,
                    (has_axis ? static_cast<std::size_t>(strides[axis]) : 0) * bytes, length,
                    number, query});
        }
    });
}

void settle_condition_rows(
        buffer &memory, const input_role &role, std::uint64_t stream, double masked_rows) {
    for_each_row(memory, role.row_axis, [=](const row &one) {
        const std::uint64_t random = mix(~stream + static_cast<std::uint64_t>(one.number));
        if (unit(random) < masked_rows) {
            for (std::int64_t i = 0; i < one.length; ++i)
                one.first[static_cast<std::size_t>(i) * one.step] =
                        condition_byte(!role.keeps, random);
            return;
        }
        const std::uint64_t kept =
                role.keeps_first ? 0 : mix(random) % static_cast<std::uint64_t>(one.length);
        one.first[kept * one.step] = condition_byte(role.keeps, random);
    });
}

/// Causal where there is an axis of queries, else the last quarter of the keys.
void fill_additive_mask(buffer &memory, std::uint64_t stream, double masked_rows) {
    const data_type type = memory.desc().type;
    const dims &shape = memory.desc().shape;
    const bool causal = shape.rank() > 1 && shape[shape.rank() - 2] > 1;
    for_each_row(memory, -1, [=](const row &one) {
        const std::uint64_t random = mix(~stream + static_cast<std::uint64_t>(one.number));
        const bool masked = unit(random) < masked_rows;
        for (std::int64_t key = 0; key < one.length; ++key) {
            const bool hidden = causal ? key > one.query : key >= one.length - one.length / 4;
            store_f64(type, masked || hidden ? -std::numeric_limits<double>::infinity() : 0.0,
                    one.first + static_cast<std::size_t>(key) * one.step);
        }
    });
}

void fill_statistics(buffer &memory, double keys) {
    const data_type type = memory.desc().type;
    for_each_row(memory, -1, [=](const row &one) {
        const double seen = std::min(static_cast<double>(one.query + 1), keys);
        for (std::int64_t i = 0; i < one.length; ++i)
            store_f64(
                    type, std::log(seen) + 0.5, one.first + static_cast<std::size_t>(i) * one.step);
    });
}

} // namespace

void fill_for_comparison(buffer &memory, std::size_t tensor_id, const input_role &role,
        std::uint64_t seed, double masked_rows) {
    const std::uint64_t stream = stream_of(tensor_id, seed);
    const data_type type = memory.desc().type;
    if (role.condition && type == data_type::boolean) {
        fill_condition(memory, stream);
        if (role.row_axis != 0) settle_condition_rows(memory, role, stream, masked_rows);
    } else if (role.kind == value_kind::bits) {
        bool top_bit = ((static_cast<std::uint64_t>(role.port) ^ seed) & 1) != 0;
        bits_source source(type, top_bit);
        const zero_maker zeros(type);
        const bool counted = role.counted;
        fill_span(memory, stream, [=](std::uint64_t random, std::byte *element) {
            source.write(random, element);
            const std::uint64_t choice = mix(~random);
            if (counted && (choice >> 63) != 0) zeros.zero(choice, element);
        });
    } else {
        fill_span(memory, stream, [&role, type, stream](std::uint64_t random, std::byte *element) {
            store_f64(type, number_of(role, random, stream), element);
        });
        if (role.kind == value_kind::additive_mask)
            fill_additive_mask(memory, stream, masked_rows);
        else if (role.kind == value_kind::statistics)
            fill_statistics(memory, role.most);
    }
}

void fill_for_measuring(buffer &memory, std::size_t tensor_id, const input_role &role,
        std::uint64_t seed, double density) {
    std::uint64_t stream = stream_of(tensor_id, seed);
    if (role.condition) {
        fill_span(memory, stream, [=](std::uint64_t random, std::byte *element) {
            *element = std::byte{unit(random) < density};
        });
        return;
    }
    if (role.kind == value_kind::indices) return fill_for_comparison(memory, tensor_id, role, seed);
    const std::vector<std::byte> numbers = numbers_for_measuring(memory.desc().type);
    const std::size_t bytes = bytes_of(memory.desc().type);
    const zero_maker zeros(memory.desc().type);
    fill_span(memory, stream, [&](std::uint64_t random, std::byte *element) {
        const std::byte *number = numbers.data() + random % measuring_numbers * bytes;
        std::copy_n(number, bytes, element);
        if (!role.counted) return;
        if (unit(mix(random)) < density)
            zeros.make_other_than_zero(element);
        else
            zeros.zero(0, element);
    });
}

void fill_with_pattern(buffer &memory) {
    // Neither zero, nor one, nor a byte that an untouched output could share with a right result by
    // chance everywhere.
    if (memory.bytes() != 0) std::memset(memory.data(), 0xa5, memory.bytes());
}

} // namespace tern::driver
