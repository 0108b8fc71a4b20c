// SPDX-License-Identifier: Apache-2.0
#include "driver/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/number.hpp"
#include "driver/report.hpp"

namespace tern::driver {
namespace {

/// Position of an element, in row-major numbering, along each axis.
dims index_of(const dims &shape, std::int64_t element) {
    dims index(shape.rank(), 0);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        index[axis] = element % shape[axis];
        element /= shape[axis];
    }
    return index;
}

std::size_t offset_of(const dims &index, const dims &strides, std::size_t bytes) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < index.rank(); ++axis)
        offset += index[axis] * strides[axis];
    return static_cast<std::size_t>(offset) * bytes;
}

void print_element(std::string_view label, std::int64_t element, const dims &index, data_type type,
        const std::byte *expected, const std::byte *found) {
    std::string position;
    for (std::int64_t i : index)
        position += format_text("{}{}", position.empty() ? "" : ":", i);
    double want = load_f64(type, expected);
    double got = load_f64(type, found);
    double difference = std::abs(want - got);
    print_line(format_text("[{:4}][{}][{}] exp_f32:{:12g} exp:{:12g} got:{:12g} diff:{:8g} "
                           "rdiff:{:8g} exp_bits:{} got_bits:{}",
            element, label, position, static_cast<double>(static_cast<float>(want)), want, got,
            difference, want != 0 ? difference / std::abs(want) : difference,
            bits_to_text(type, expected), bits_to_text(type, found)));
}

/// First byte that differs though no element does; the buffers are known to differ.
std::size_t first_difference(const buffer &expected, const buffer &found) {
    std::size_t at = 0;
    while (expected.data()[at] == found.data()[at])
        ++at;
    return at;
}

constexpr std::int64_t most_printed = 10;
constexpr int print_all = 99;
/// Below that many elements nothing is said about their distribution.
constexpr std::int64_t least_for_uniform = 32;
constexpr std::int64_t least_for_share = 256;
constexpr double most_uniform = 0.9;
constexpr std::int64_t least_row = 8;

/// Walks over one comparison row by row and keeps count.
class comparer {
public:
    comparer(const buffer &expected, const buffer &found, const acceptance &accepted,
            std::string_view label, int verbose)
        : expected_(expected),
          found_(found),
          accepted_(accepted),
          label_(label),
          verbose_(verbose),
          type_(expected.desc().type),
          bytes_(bytes_of(type_)) {}

    comparison run() {
        const dims &shape = expected_.desc().shape;
        result_.total = *element_count(shape);
        if (const dims &its = found_.desc().shape; !(its == shape)) {
            result_.errors = std::max<std::int64_t>(result_.total, 1);
            print_line(format_text("Error: {}: the shape is {}, expected {}", label_,
                    to_string(its), to_string(shape)));
            return result_;
        }
        if (result_.total == 0) return result_;
        const bool exact = accepted_.rule == compare_rule::exact_bits;
        if (exact && std::memcmp(expected_.data(), found_.data(), expected_.bytes()) == 0)
            return result_;
        const std::int64_t length = shape.empty() ? 1 : shape[shape.rank() - 1];
        if (!exact) tensor_rms_ = length < least_row ? rms(0, result_.total) : 0;
        for (std::int64_t begin = 0; begin < result_.total; begin += length) {
            if (exact)
                compare_bits(begin, begin + length);
            else
                compare_values(begin, begin + length);
        }
        check_gaps();
        if (!exact) check_distribution();
        return result_;
    }

private:
    std::size_t offset_at(std::int64_t element) const {
        return offset_of(
                index_of(expected_.desc().shape, element), expected_.desc().strides, bytes_);
    }

    /// Bytes from an element of a row to the next.
    std::size_t step() const {
        const dims &strides = expected_.desc().strides;
        return strides.empty() ? 0 : static_cast<std::size_t>(strides[strides.rank() - 1]) * bytes_;
    }

    double rms(std::int64_t begin, std::int64_t end) const {
        double sum = 0;
        double count = 0;
        const std::int64_t length =
                expected_.desc().shape.empty()
                        ? 1
                        : expected_.desc().shape[expected_.desc().shape.rank() - 1];
        for (std::int64_t row = begin; row < end; row += length) {
            const std::byte *at = expected_.data() + offset_at(row);
            for (std::int64_t i = 0; i < length; ++i, at += step()) {
                double value = load_f64(type_, at);
                if (!std::isfinite(value)) continue;
                sum += value * value;
                ++count;
            }
        }
        return count > 0 ? std::sqrt(sum / count) : 0;
    }

    void add_error(std::int64_t element, const std::byte *want, const std::byte *got) {
        if (result_.errors++ < most_printed || verbose_ >= print_all)
            print_element(
                    label_, element, index_of(expected_.desc().shape, element), type_, want, got);
    }

    void compare_bits(std::int64_t begin, std::int64_t end) {
        std::size_t offset = offset_at(begin);
        for (std::int64_t element = begin; element < end; ++element, offset += step()) {
            const std::byte *want = expected_.data() + offset;
            const std::byte *got = found_.data() + offset;
            if (std::memcmp(want, got, bytes_) != 0) add_error(element, want, got);
        }
    }

    void compare_values(std::int64_t begin, std::int64_t end) {
        const bool short_rows = end - begin < least_row;
        const double row = accepted_.of_row == 0 ? 0 : short_rows ? tensor_rms_ : rms(begin, end);
        const double absolute = accepted_.of_row * row + accepted_.floor;
        std::size_t offset = offset_at(begin);
        if (begin == 0) first_ = load_f64(type_, expected_.data());
        for (std::int64_t element = begin; element < end; ++element, offset += step()) {
            const std::byte *want_at = expected_.data() + offset;
            const std::byte *got_at = found_.data() + offset;
            const double want = load_f64(type_, want_at);
            const double got = load_f64(type_, got_at);
            zeros_ += want == 0 ? 1 : 0;
            same_ += want == first_ ? 1 : 0;
            if (want == got || (std::isnan(want) && std::isnan(got))) continue;
            ++differing_;
            // An infinity has met its like above; written so that NaN is an error.
            const bool finite = std::isfinite(want) && std::isfinite(got);
            if (finite && std::abs(want - got) <= accepted_.relative * std::abs(want) + absolute)
                continue;
            add_error(element, want_at, got_at);
        }
    }

    void check_gaps() {
        if (result_.errors != 0) return;
        const bool exact = accepted_.rule == compare_rule::exact_bits;
        if (!exact && static_cast<std::size_t>(result_.total) * bytes_ == expected_.bytes()) return;
        buffer filled = expected_.copy();
        if (!exact) copy_elements(found_, filled);
        if (std::memcmp(filled.data(), found_.data(), filled.bytes()) == 0) return;
        result_.errors = 1;
        print_line(format_text("Error: {}: byte {} between the elements was written to", label_,
                first_difference(filled, found_)));
    }

    void check_distribution() {
        const auto total = static_cast<double>(result_.total);
        result_.uniform = result_.total >= least_for_uniform
                          && static_cast<double>(std::max(zeros_, same_)) > most_uniform * total;
        if (result_.errors != 0 || result_.total < least_for_share) return;
        if (static_cast<double>(differing_) <= accepted_.differing * total) return;
        result_.errors = differing_;
        print_line(format_text("Error: {}: {} of {} elements differ from the reference: each is "
                               "near it, but rounding alone makes {:g} differ at most",
                label_, differing_, result_.total, std::floor(accepted_.differing * total)));
    }

    const buffer &expected_;
    const buffer &found_;
    const acceptance &accepted_;
    std::string_view label_;
    int verbose_;
    data_type type_;
    std::size_t bytes_;
    comparison result_;
    double tensor_rms_ = 0;
    double first_ = 0;
    std::int64_t zeros_ = 0;
    std::int64_t same_ = 0;
    std::int64_t differing_ = 0;
};

} // namespace

comparison compare(const buffer &expected, const buffer &found, const acceptance &accepted,
        std::string_view label, int verbose) {
    return comparer(expected, found, accepted, label, verbose).run();
}

void copy_elements(const buffer &from, buffer &to) {
    const dims &shape = from.desc().shape;
    if (is_dense(shape, from.desc().strides)) {
        std::copy_n(from.data(), from.bytes(), to.data());
        return;
    }
    const std::size_t bytes = bytes_of(from.desc().type);
    const std::int64_t count = *element_count(shape);
    for (std::int64_t element = 0; element < count; ++element) {
        const std::size_t at = offset_of(index_of(shape, element), from.desc().strides, bytes);
        std::copy_n(from.data() + at, bytes, to.data() + at);
    }
}

} // namespace tern::driver
