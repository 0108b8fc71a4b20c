// SPDX-License-Identifier: Apache-2.0
#include "driver/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "driver/number.hpp"
#include "driver/ranges.hpp"
#include "ops/registry.hpp"

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

bool takes_only_boolean(const ir::op_def &def, std::size_t port) {
    if (port >= def.inputs.size()) return false;
    for (const ir::type_rule &rule : def.types) {
        if (rule.variable != def.inputs[port].type_variable) continue;
        for (int i = 0; i < data_type_count; ++i) {
            auto type = static_cast<data_type>(i);
            if (rule.types.contains(type) != (type == data_type::boolean)) return false;
        }
        return true;
    }
    return false;
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

/// One element of random bits, top bit given.
class bits_source {
public:
    bits_source(data_type type, bool top_bit)
        : bytes_(bytes_of(type)),
          format_(format_of(type)),
          top_bit_(top_bit) {
        if (format_) specials_ = special_patterns(*format_);
    }

    void write(std::uint64_t random, std::byte *element) const {
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

} // namespace

std::map<std::size_t, input_role> input_roles(const std::vector<ir::op_spec> &ops) {
    std::map<std::size_t, input_role> roles;
    for (const ir::op_spec &op : ops) {
        const ir::op_def *def = ops::find(op.kind);
        for (std::size_t port = 0; port < op.inputs.size(); ++port) {
            auto [at, fresh] =
                    roles.emplace(op.inputs[port].id, input_role{false, static_cast<int>(port)});
            if (def != nullptr && takes_only_boolean(*def, port)) at->second.condition = true;
        }
    }
    for (const ir::op_spec &op : ops)
        for (const ir::port &port : op.outputs)
            roles.erase(port.id);
    return roles;
}

void fill_for_comparison(
        buffer &memory, std::size_t tensor_id, const input_role &role, std::uint64_t seed) {
    std::uint64_t stream = stream_of(tensor_id, seed);
    if (role.condition) {
        fill_span(memory, stream, [](std::uint64_t random, std::byte *element) {
            bool is_true = (random & 1) != 0;
            *element = static_cast<std::byte>(is_true ? 1 + (random >> 32) % 255 : 0);
        });
        return;
    }
    bool top_bit = ((static_cast<std::uint64_t>(role.port) ^ seed) & 1) != 0;
    bits_source source(memory.desc().type, top_bit);
    fill_span(memory, stream,
            [=](std::uint64_t random, std::byte *element) { source.write(random, element); });
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
    const std::vector<std::byte> numbers = numbers_for_measuring(memory.desc().type);
    const std::size_t bytes = bytes_of(memory.desc().type);
    fill_span(memory, stream, [&numbers, bytes](std::uint64_t random, std::byte *element) {
        const std::byte *number = numbers.data() + random % measuring_numbers * bytes;
        std::copy_n(number, bytes, element);
    });
}

void fill_with_pattern(buffer &memory) {
    // Neither zero, nor one, nor a byte that an untouched output could share with a right result by
    // chance everywhere.
    if (memory.bytes() != 0) std::memset(memory.data(), 0xa5, memory.bytes());
}

} // namespace tern::driver
