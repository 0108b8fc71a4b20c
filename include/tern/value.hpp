// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_VALUE_HPP
#define TERN_VALUE_HPP

/// \file
/// Values that are more than a tensor: sequences, optionals, nothing at all.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tern/value_type.hpp"

namespace tern {

/// A tensor, a sequence of tensors, an optional of either, or nothing. A handle: copies share what
/// they refer to, which never changes once it is made, so that any number of threads may read it.
///
/// Three states: absent (no value was given), an empty optional, and present. Tensors are dense and
/// row-major.
///
/// Errors: invalid_arguments for a function that does not fit what the value is, and where a
/// function below says so; out_of_memory.
/// Source: ONNX's types tensor, sequence and optional.
class TERN_API value {
public:
    using dims = std::vector<std::int64_t>;

    /// Absent.
    value() noexcept;

    /// A tensor with a copy of `data`; of strings the characters are copied, too. `data` may be
    /// null when the tensor is empty. Errors: invalid_arguments for a type without whole bytes
    /// (undef, s4, u4), more than 12 or negative dims, a size that does not fit 63 bits, missing
    /// data, a string without characters that has a size.
    static value tensor(data_type type, const dims &shape, const void *data);
    /// A tensor of strings with copies of `texts`, in row-major order.
    /// Errors: as tensor; invalid_arguments when there are more or fewer texts than elements.
    static value strings(const dims &shape, const std::vector<std::string> &texts);
    /// A tensor in memory that the caller owns, the characters of strings included: all of it must
    /// stay as it is as long as there is a copy of the value. `keeper`, when it is given, is
    /// released with the last copy. Errors: as tensor, less those of single strings.
    static value borrow(data_type type, const dims &shape, const void *data,
            std::shared_ptr<const void> keeper = nullptr);
    /// A tensor with memory of its own, aligned to 64 bytes, which `data` is set to (null when the
    /// tensor is empty). The maker writes it before anybody else gets the value. Strings start out
    /// empty; the characters that are put there are borrowed. Errors: as tensor.
    static value make_tensor(data_type type, const dims &shape, void *&data);

    /// A sequence of tensors of type `element`, in that order; it may be empty.
    /// Errors: invalid_arguments naming the item that is no such tensor; a type without whole
    /// bytes.
    static value sequence(data_type element, std::vector<value> items = {});

    /// An optional that holds a tensor or a sequence. Errors: invalid_arguments for anything else.
    static value optional(value held);
    /// An optional without element, of the form of `held`, which is a tensor's or a sequence's.
    /// Errors: invalid_arguments for the type of an optional and for a type without whole bytes.
    static value empty_optional(value_type held);

    bool is_absent() const noexcept { return state_ == nullptr; }
    bool is_tensor() const noexcept { return has(value_form::tensor); }
    bool is_sequence() const noexcept { return has(value_form::sequence); }
    bool is_optional() const noexcept {
        return has(value_form::optional_tensor) || has(value_form::optional_sequence);
    }
    /// False for an absent value and an empty optional, true for everything else: also for empty
    /// tensors and sequences.
    bool has_element() const noexcept;
    value_type type() const;

    /// Tensors: dims, first element (null when empty), number of elements and of bytes.
    const dims &shape() const;
    const void *data() const;
    std::size_t elements() const;
    std::size_t bytes() const;

    /// Sequences: number of tensors, and one of them. Errors: invalid_arguments beyond the end.
    std::size_t size() const;
    const value &at(std::size_t index) const;

    /// Optionals: what it holds. Errors: invalid_arguments when it is empty.
    const value &element() const;

private:
    struct state;
    explicit value(std::shared_ptr<const state> made) noexcept : state_(std::move(made)) {}
    bool has(value_form form) const noexcept;
    const state &checked(const char *what) const;
    const state &checked(const char *what, value_form form) const;

    std::shared_ptr<const state> state_;
};

} // namespace tern

#endif
