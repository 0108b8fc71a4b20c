// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TYPES_HPP
#define TERN_TYPES_HPP

/// \file
/// The vocabulary that every part of Tern shares: statuses, the error class, data types, layouts,
/// op kinds and attribute names. Includes nothing but the standard library.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "tern/export.hpp"

/// Rank of a logical tensor whose rank is not known yet.
#define TERN_GRAPH_UNKNOWN_NDIMS (-1)
/// Size of a dimension (or value of a stride) that is not known yet.
#define TERN_GRAPH_UNKNOWN_DIM INT64_MIN
/// The largest rank of a tensor.
#define TERN_MAX_NDIMS 12
/// Handle of a tensor that has no memory yet.
#define TERN_MEMORY_NONE (nullptr)
/// Handle that asks the library to allocate the tensor's memory (64-byte aligned).
#define TERN_MEMORY_ALLOCATE (reinterpret_cast<void *>(static_cast<std::uintptr_t>(-1)))

namespace tern {

/// What went wrong. The names are oneDNN Graph's; docs/api.md says which mistake gives which
/// status.
enum class status {
    success,
    out_of_memory,
    invalid_arguments,
    unimplemented,
    last_impl_reached,
    runtime_error,
    not_required,
    invalid_graph,
    invalid_graph_op,
    invalid_shape,
    invalid_data_type,
};

/// The only exception the library throws on purpose. The message names the op, port, tensor or axis
/// at fault, what was expected and what was found.
class TERN_API error : public std::exception {
public:
    error(tern::status code, const std::string &text);
    error(const error &) noexcept;
    error &operator=(const error &) noexcept;
    ~error() override;

    /// The text that was given; `message` is the same.
    const char *what() const noexcept override;

    tern::status status;
    const char *message; ///< Lives as long as this error or any copy of it.

private:
    std::shared_ptr<const std::string> text_;
};

/// Element types. One element of `boolean` is one byte; `c64` and `c128` are a real part followed
/// by an imaginary part; `s4` and `u4` can be described but no op takes them yet; one element of
/// `string` is a string_ref.
enum class data_type {
    undef,
#define TERN_DATA_TYPE(name, bits) name,
#include "tern/data_types.def"
#undef TERN_DATA_TYPE
};

/// One element of a tensor of type `string`: where its characters are. Ops copy this reference, and
/// so the elements of a result refer to the very characters that those of its inputs refer to:
/// whoever made the inputs keeps the characters as long as somebody reads the result. Any bytes,
/// zeros included; `data` may be null when `size` is 0.
struct string_ref {
    const char *data = nullptr;
    std::size_t size = 0;

    operator std::string_view() const noexcept { // NOLINT(google-explicit-constructor): a view
        return size == 0 ? std::string_view() : std::string_view(data, size);
    }
};
static_assert(sizeof(string_ref) == 16, "an element of a string tensor has 16 bytes");

/// How a tensor lies in memory. `any` lets the library choose (it chooses dense row-major);
/// `opaque` layouts are never made by Tern.
enum class layout_type { undef, any, strided, opaque };

/// What the library may assume of a tensor's content. `host_scalar`: rank 0, one value, held by the
/// tensor object itself.
enum class property_type { undef, variable, constant, host_scalar };

/// Precision that f32 computations may be lowered to. Tern computes in f32 whatever is allowed.
enum class fpmath_mode { strict, bf16, f16, any, tf32 };

/// Op kinds; see ops.def for which of them Tern runs.
enum class op_kind {
#define TERN_OP_IMPLEMENTED(kind, file) kind,
#define TERN_OP_NAMED(kind) kind,
#include "tern/ops.def"
#undef TERN_OP_IMPLEMENTED
#undef TERN_OP_NAMED
};

/// Op attributes; see attrs.def for the kind of value that each one takes.
enum class op_attr {
#define TERN_ATTR(name, kind) name,
#include "tern/attrs.def"
#undef TERN_ATTR
};

} // namespace tern

#endif
