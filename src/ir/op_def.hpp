// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_IR_OP_DEF_HPP
#define TERN_IR_OP_DEF_HPP

/// \file
/// What an op is: one literal of op_def per op kind, in src/ops/<name>.cpp.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/tensor_desc.hpp"
#include "tern/value.hpp"

namespace tern::ir {

using attr_value = std::variant<std::int64_t, float, bool, std::string, std::vector<std::int64_t>,
        std::vector<float>>;

/// The kinds of attribute values, in the order of attr_value's alternatives.
enum class attr_kind { s64, f32, boolean, string, s64s, f32s };

std::string_view name_of(op_kind kind);
std::string_view name_of(op_attr attr);
std::string_view name_of(attr_kind kind);
attr_kind kind_of(op_attr attr);

/// Attributes that were set, in the order of setting.
using attr_list = std::vector<std::pair<op_attr, attr_value>>;

/// The value of `attr`, or null.
const attr_value *find(const attr_list &attrs, op_attr attr) noexcept;

enum class port_use {
    required,
    optional, ///< May be left out; only other optional ports may follow.
    repeated, ///< Any number of them, none included; the last port.
};

/// A set of forms of values, as a bit mask.
class form_set {
public:
    template <typename... Forms>
    explicit constexpr form_set(Forms... forms) : bits_((bit(forms) | ...)) {}
    constexpr bool contains(value_form form) const { return (bits_ & bit(form)) != 0; }

private:
    static constexpr unsigned bit(value_form form) { return 1U << static_cast<unsigned>(form); }
    unsigned bits_;
};
inline constexpr form_set only_tensors(value_form::tensor);

/// One input or output. Ports with the same type variable ("T", or a variable of their own) must
/// have one data type, out of the variable's set.
struct port_def {
    std::string_view name;
    std::string_view type_variable;
    port_use use = port_use::required;
    form_set forms = only_tensors; ///< Of what goes in or out; the data type is its tensors'.
};

struct type_rule {
    std::string_view variable;
    type_set types;
    bool is_free = false; ///< True: each port has a type of its own, equal or not.
};

/// The default of an attribute that is a list: an empty one.
struct empty_list {};
/// What an attribute is when it is not set; monostate: it stays unset.
using attr_default =
        std::variant<std::monostate, std::int64_t, float, bool, std::string_view, empty_list>;

struct attr_def {
    op_attr attr;
    bool required = false;
    attr_default when_unset;                      ///< Of the attribute's kind.
    std::span<const std::string_view> candidates; ///< String attributes only; empty: any text.
};

/// Who an error message is about.
struct op_label {
    op_kind kind;
    std::size_t id;
};
/// "Select (op 7)"
std::string to_string(const op_label &label);

/// One operand of a reference loop: first element, and how to walk it in elements.
struct const_view {
    const void *data;
    data_type type;
    dims shape;
    dims strides;
};
struct mutable_view {
    void *data;
    data_type type;
    dims shape;
    dims strides;
};
struct reference_args {
    const attr_list &attrs;
    std::span<const const_view> in;
    std::span<const mutable_view> out;
};

/// A call of an op that works on values. The caller has checked them against the ports, and gives
/// an empty optional where an optional is absent.
struct value_args {
    const op_label &label;
    const attr_list &attrs;
    std::span<const value> in; ///< As many as are given: optional ports may be missing.
    std::span<value> out;
};

/// Everything Tern knows of an op kind.
struct op_def {
    op_kind kind;
    std::string_view doc; ///< One line.
    std::span<const port_def> inputs;
    std::span<const port_def> outputs;
    std::span<const type_rule> types;
    std::span<const attr_def> attrs;

    /// What ports, types and attributes must fulfil beyond their own rules, which hold already;
    /// shapes may be unknown. Throws tern::error (invalid_graph_op). Null: nothing.
    void (*check)(const op_label &label, const attr_list &attrs, std::span<const tensor_desc> in,
            std::span<const tensor_desc> out) = nullptr;

    /// Completes the shapes in `out` from `in` and `attrs`; what is unknown stays unknown. Types
    /// are settled before. Throws tern::error (invalid_shape) naming operand and axis.
    void (*infer)(const op_label &label, const attr_list &attrs, std::span<const tensor_desc> in,
            std::span<tensor_desc> out);

    /// The semantics: computes the elements [begin, end) of the first output (row-major numbering),
    /// and those of the other outputs that go with them. Ranges may run in parallel. Shapes are
    /// known and legal. Null: the op is never executed (Wildcard, End), or works on values only.
    void (*reference)(const reference_args &args, std::int64_t begin, std::int64_t end) noexcept;

    /// Of an op whose output shapes depend on what its inputs hold: completes `shapes`, one for
    /// each output, as infer left them (at least one dim of each is unknown). `args.out` is empty.
    /// Such an op is a partition of its own. Null: infer tells the shapes.
    void (*find_shapes)(const reference_args &args, std::span<dims> shapes) noexcept = nullptr;

    /// Inputs that output 0 may share memory with when type, shape and strides agree, best first.
    std::span<const int> in_place_inputs;

    /// Runs the op on whole values: where a port is no tensor, and for callers that have values.
    /// Throws tern::error before an output is written. Null: the op takes tensors in memory only.
    void (*evaluate)(const value_args &args) = nullptr;

    /// False: a graph may hold the op, but Tern never runs it, and its partition is unsupported.
    bool is_executable() const { return reference != nullptr || evaluate != nullptr; }
    /// True when only the inputs' contents tell the shapes of the outputs.
    bool has_open_shapes() const { return find_shapes != nullptr; }
};

} // namespace tern::ir

#endif
