// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_GRAPH_HPP
#define TERN_GRAPH_HPP

/// \file
/// Tern's graph API: build a graph of ops, ask for partitions, compile them, execute them. Names,
/// call order and semantics are those of oneDNN Graph (`dnnl::graph`); docs/api.md lists the
/// differences.
///
/// Threads: objects under construction (op, graph) belong to one thread at a time. Everything that
/// is finished (partition, compiled_partition, engine, stream) may be used by any number of threads
/// at once. Errors: everything that can fail throws tern::error.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tern/engine.hpp"
#include "tern/types.hpp"
#include "tern/value.hpp"
#include "tern/version.hpp"

namespace tern {
namespace graph {

using tern::allocator;
using tern::engine;
using tern::error;
using tern::fpmath_mode;
using tern::status;
using tern::stream;
using tern::value;
using tern::value_form;
using tern::value_type;

class op;
class partition;
class compiled_partition;

/// An engine whose library-made buffers come from `alloc`.
inline engine make_engine_with_allocator(
        engine::kind engine_kind, std::size_t index, const allocator &alloc) {
    return engine(engine_kind, index, alloc);
}

/// What is known of a tensor: id, element type, shape, layout, property. A plain value.
///
/// Dims and strides are in elements. A dimension or stride may be TERN_GRAPH_UNKNOWN_DIM, a rank
/// TERN_GRAPH_UNKNOWN_NDIMS; rank 0 is a scalar; a dimension of 0 makes the tensor empty.
/// Constructor errors (invalid_arguments): a rank above 12 or below what the form allows; a
/// dimension or stride that is negative and not the unknown mark; dims and strides of different
/// length; `host_scalar` unless rank 0 and f32, s32 or s64.
class TERN_API logical_tensor {
public:
    using dim = std::int64_t;
    using dims = std::vector<dim>;
    using data_type = tern::data_type;
    using layout_type = tern::layout_type;
    using property_type = tern::property_type;

    /// id 0, type undef, unknown rank, layout undef.
    logical_tensor();
    /// Rank known (or TERN_GRAPH_UNKNOWN_NDIMS), every dimension unknown.
    logical_tensor(std::size_t tid, data_type dtype, std::int32_t ndims, layout_type ltype,
            property_type ptype = property_type::undef);
    /// Rank unknown.
    logical_tensor(std::size_t tid, data_type dtype, layout_type ltype = layout_type::undef);
    /// Empty `adims` is a rank-0 scalar. With layout `strided` the strides are dense row-major (a
    /// dimension of 0 counted as 1), or unknown when a dimension is.
    logical_tensor(std::size_t tid, data_type dtype, const dims &adims, layout_type ltype,
            property_type ptype = property_type::undef);
    /// Layout `strided` with the given strides.
    logical_tensor(std::size_t tid, data_type dtype, const dims &adims, const dims &strides,
            property_type ptype = property_type::undef);
    /// Braced lists are always dims and strides: without these, `{4}` would be a rank and `{1}` a
    /// layout id.
    logical_tensor(std::size_t tid, data_type dtype, std::initializer_list<dim> adims,
            layout_type ltype, property_type ptype = property_type::undef)
        : logical_tensor(tid, dtype, dims(adims), ltype, ptype) {}
    logical_tensor(std::size_t tid, data_type dtype, const dims &adims,
            std::initializer_list<dim> strides, property_type ptype = property_type::undef)
        : logical_tensor(tid, dtype, adims, dims(strides), ptype) {}
    logical_tensor(std::size_t tid, data_type dtype, std::initializer_list<dim> adims,
            std::initializer_list<dim> strides, property_type ptype = property_type::undef)
        : logical_tensor(tid, dtype, dims(adims), dims(strides), ptype) {}
    /// Layout `opaque` with the given layout id.
    logical_tensor(std::size_t tid, data_type dtype, const dims &adims, std::size_t lid,
            property_type ptype = property_type::undef);

    std::size_t get_id() const noexcept { return id_; }
    data_type get_data_type() const noexcept { return data_type_; }
    layout_type get_layout_type() const noexcept { return layout_type_; }
    property_type get_property_type() const noexcept { return property_type_; }
    /// Rank, or TERN_GRAPH_UNKNOWN_NDIMS.
    std::int32_t get_ndims() const noexcept { return ndims_; }
    /// Errors: invalid_arguments when the rank is unknown.
    dims get_dims() const;
    /// Errors: invalid_arguments unless strided with a known rank.
    dims get_strides() const;
    /// Errors: invalid_arguments unless opaque.
    std::size_t get_layout_id() const;

    /// Bytes of memory from the first element to the last one, both included: element size times
    /// (1 + sum of (dim - 1) * stride), 0 for an empty tensor. (size_t)-1 when not strided or not
    /// fully known. Errors: invalid_arguments when the size does not fit.
    std::size_t get_mem_size() const;
    /// Same id, type, shape, property and layout.
    bool is_equal(const logical_tensor &other) const noexcept;

private:
    std::size_t id_ = 0;
    std::size_t layout_id_ = 0;
    std::int32_t ndims_ = TERN_GRAPH_UNKNOWN_NDIMS;
    data_type data_type_ = data_type::undef;
    layout_type layout_type_ = layout_type::undef;
    property_type property_type_ = property_type::undef;
    dim dims_[TERN_MAX_NDIMS] = {};
    dim strides_[TERN_MAX_NDIMS] = {};
};

/// What is known of a value that is a sequence or an optional: id and type. Stands where a logical
/// tensor stands at the ports of the ops that take such values (docs/ops.md). Ids are those of
/// logical tensors: one id is one value. With the form of a tensor it is a logical tensor of
/// unknown rank.
struct logical_value {
    std::size_t id = 0;
    value_type type;
};

/// A logical tensor together with its memory. A handle: copies share the memory pointer.
class TERN_API tensor {
public:
    /// An empty handle.
    tensor();
    /// `handle` is borrowed; TERN_MEMORY_NONE leaves it null, TERN_MEMORY_ALLOCATE allocates
    /// `lt.get_mem_size()` bytes from the engine's allocator, freed with the last copy.
    /// Errors: invalid_arguments for a host_scalar, an empty engine, or an unknown size to
    /// allocate; out_of_memory.
    tensor(const logical_tensor &lt, const engine &aengine, void *handle);
    /// Same as with TERN_MEMORY_ALLOCATE.
    tensor(const logical_tensor &lt, const engine &aengine);
    /// A tensor that holds a copy of one f32, s32 or s64 value.
    /// Errors: invalid_arguments unless `lt` is a host_scalar and `scalar` not null.
    static tensor make_scalar_tensor(const logical_tensor &lt, const void *scalar);
    /// A tensor that executions fill in as an output: each one takes memory from the engine's
    /// allocator (or the memory of the execution before, where that is large enough), after which
    /// the tensor has a data handle and reports the shape and strides that the output really has.
    /// `lt` may leave shape and layout open. The memory is freed with the last copy; one execution
    /// at a time may fill a tensor in. Errors: invalid_arguments for a host_scalar or an empty
    /// engine.
    static tensor make_library_allocated(const logical_tensor &lt, const engine &aengine);

    /// Null for an empty handle and for a host scalar, and before a library-allocated tensor is
    /// filled in.
    void *get_data_handle() const noexcept;
    /// A library-allocated tensor becomes one with borrowed memory.
    /// Errors: invalid_arguments for an empty handle and for a host scalar.
    void set_data_handle(void *handle);
    /// Empty for a host scalar.
    engine get_engine() const;
    /// As given; but once an execution has written an output whose shape depends on data to the
    /// tensor, or has allocated it, what that execution left there.
    /// Errors: invalid_arguments on an empty handle.
    logical_tensor get_logical_tensor() const;

    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    friend class compiled_partition;
    struct state;
    class places;
    std::shared_ptr<state> state_;
};

/// One operation: kind, attributes, input and output logical tensors. A handle.
class TERN_API op {
public:
    using kind = tern::op_kind;
    using attr = tern::op_attr;

    /// An empty name becomes `<kind>_<id>`.
    op(std::size_t id, kind akind, const std::string &verbose_name = "");
    op(std::size_t id, kind akind, const std::vector<logical_tensor> &inputs,
            const std::vector<logical_tensor> &outputs, const std::string &verbose_name = "");

    void add_input(const logical_tensor &t);
    void add_inputs(const std::vector<logical_tensor> &ts);
    void add_input(const logical_value &v);
    void add_output(const logical_tensor &t);
    void add_output(const logical_value &v);
    void add_outputs(const std::vector<logical_tensor> &ts);

    /// Type: s64 -> int64_t; s64s -> std::vector<int64_t>; f32 -> float; f32s ->
    /// std::vector<float>; boolean -> bool; string -> std::string (attrs.def says which attribute
    /// takes which). Whether the kind fits is checked at graph::add_op. Setting twice replaces.
    /// Errors: invalid_arguments for an empty string.
    template <typename Type,
            std::enable_if_t<
                    std::is_same_v<Type,
                            std::int64_t> || std::is_same_v<Type, float> || std::is_same_v<Type, bool> || std::is_same_v<Type, std::string> || std::is_same_v<Type, std::vector<std::int64_t>> || std::is_same_v<Type, std::vector<float>>,
                    bool> = true>
    op &set_attr(attr name, const Type &value) {
        store_attr(name, value);
        return *this;
    }
    op &set_attr(attr name, const char *value) { return set_attr(name, std::string(value)); }

    /// The name of a kind, such as "Select".
    static std::string kind2str(kind v);

private:
    friend class graph;
    friend class partition;
    struct state;
    void store_attr(attr name, std::int64_t value);
    void store_attr(attr name, float value);
    void store_attr(attr name, bool value);
    void store_attr(attr name, const std::string &value);
    void store_attr(attr name, const std::vector<std::int64_t> &value);
    void store_attr(attr name, const std::vector<float> &value);
    std::shared_ptr<state> state_;
};

/// Where execution gets memory for the outputs that come without: those whose shape depends on
/// data, and any other. A plain struct.
struct output_provider {
    void *user = nullptr;
    /// Returns memory for output number `output` (by port), which is a dense tensor of the shape
    /// `dims`, or, where the shape does not depend on data, one of the strides it was compiled
    /// with. Called on the thread that calls execute, once for each output that has no memory,
    /// empty ones included, in order of the ports, before any output is written. The memory may be
    /// freed once execute is through. Null for an output that is not empty: execute fails with
    /// out_of_memory. Null as a function: outputs without memory are errors. What it throws leaves
    /// execute.
    void *(*get)(
            void *user, std::size_t output, const std::int64_t *dims, std::size_t rank) = nullptr;
};

/// One implementation that was considered and not taken, and why.
struct refusal {
    std::string implementation;
    std::string reason;
};

/// What a caller may ask of compile beyond oneDNN's arguments.
struct compile_options {
    /// Name of the only implementation that may serve, such as "reference"; docs/ops.md lists those
    /// of each op. Ops then run one by one. Empty: the best one for each group of ops. Wins over
    /// the environment variable TERN_IMPL.
    std::string implementation;
};

/// A partition made ready for given shapes and layouts. A handle; immutable.
class TERN_API compiled_partition {
public:
    /// An empty handle.
    compiled_partition();

    /// The logical tensor of a port, shapes and layout resolved. Of an output whose shape depends
    /// on what the inputs hold (NonZero) the dims that do, and the strides, stay unknown.
    /// Errors: invalid_arguments when no port has that id.
    logical_tensor query_logical_tensor(std::size_t tid) const;
    /// Pairs (input id, output id) that may share memory; one pair per output at most. Execution
    /// accepts every legal sharing, also ones not listed.
    std::vector<std::pair<std::size_t, std::size_t>> get_inplace_ports() const;
    /// Scratch memory that execution needs: u8, rank 1, id SIZE_MAX; its dimension is the byte
    /// count.
    logical_tensor get_scratchpad_logical_tensor() const;

    /// Tensors in port order. Every one must have the type, shape and strides that were compiled.
    /// When the scratchpad is empty the library allocates what it needs for the call.
    /// Memory of an output must not overlap that of an input, nor another output, unless they are
    /// one and the same view and in place is legal. Interleaved views that share no element are
    /// fine. Errors (before a byte is written): invalid_arguments naming the port.
    ///
    /// An output whose shape depends on data is written densely, to one of
    /// - a library-allocated tensor;
    /// - a tensor with memory for at least as many elements along each axis: afterwards it reports
    ///   the shape and strides of what was written. Its memory counts in full whenever it is given
    ///   as an output again. Too small a one is invalid_arguments, naming what is needed and what
    ///   is given;
    /// - memory that a provider finds, see below.
    void execute(stream &astream, const std::vector<tensor> &inputs,
            const std::vector<tensor> &outputs, const tensor &scratchpad = tensor()) const;
    /// The same with bare pointers in port order: as many as there are ports, laid out as compiled.
    /// `scratchpad` may be null. A host scalar port takes a pointer to its value.
    /// Errors: as above, as far as pointers can show.
    void execute(const stream &astream, const void *const *inputs, void *const *outputs,
            void *scratchpad = nullptr) const;

    /// The same with memory from `provider` for the outputs that come without: whose tensor is an
    /// empty handle, or has no memory and is not library-allocated.
    /// Errors: as above; out_of_memory when the provider has none.
    void execute(stream &astream, const std::vector<tensor> &inputs,
            const std::vector<tensor> &outputs, const output_provider &provider,
            const tensor &scratchpad = tensor()) const;
    /// Here: whose pointer is null; `outputs` may be null if all are. An output whose shape depends
    /// on data must be among them, for a pointer does not tell how much memory there is.
    void execute(const stream &astream, const void *const *inputs, void *const *outputs,
            const output_provider &provider, void *scratchpad = nullptr) const;

    /// The same with values, in port order, which is the only form for a partition with a port that
    /// is no tensor. `outputs` is given as many values as there are ports. An input of an optional
    /// type may be absent, which is an empty optional, or be a tensor or a sequence, which becomes
    /// the optional of it. Ports that are tensors must have been compiled dense and row-major; a
    /// partition that can take sequences and optionals does not look at layouts. Results of ops
    /// that only hand on what they get share its memory; every other tensor is new, and strings in
    /// it own their characters. Errors, with `outputs` as before: invalid_arguments naming the port
    /// (type or shape differ, a value is absent), and those of the op (docs/ops.md).
    void execute(const stream &astream, const std::vector<value> &inputs,
            std::vector<value> &outputs) const;

    /// Full name of the implementation that runs, for example "loops:avx2" or "onednn:jit:uni".
    std::string get_implementation() const;
    /// The implementations that were passed over, in the order tried, with the reason for each.
    std::vector<refusal> get_refusals() const;

    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    friend class partition;
    struct state;
    void execute_tensors(const stream &astream, const std::vector<tensor> &inputs,
            const std::vector<tensor> &outputs, const output_provider *provider,
            const tensor &scratchpad) const;
    std::shared_ptr<const state> state_;
};

/// A part of a graph that runs as one piece. A handle; immutable.
class TERN_API partition {
public:
    /// fusion: as few and as large partitions as possible; debug: one op in each.
    enum class policy { fusion = 1, debug = 2 };

    /// An empty handle.
    partition();
    /// One op without a graph. Errors: as graph::add_op and graph::finalize.
    partition(const op &aop, engine::kind ekind);

    std::size_t get_ops_num() const;
    std::vector<std::size_t> get_ops() const;
    std::size_t get_id() const;
    /// False when it holds an op that Tern only knows by name, or never executes (Wildcard, End).
    bool is_supported() const;
    /// In port order; a tensor that an op reads twice is one port.
    std::vector<logical_tensor> get_input_ports() const;
    std::vector<logical_tensor> get_output_ports() const;
    /// Their types, for ports that are no tensors: get_input_ports shows those as logical tensors
    /// of their tensors' data type and unknown rank.
    std::vector<value_type> get_input_types() const;
    std::vector<value_type> get_output_types() const;
    engine::kind get_engine_kind() const;

    /// Logical tensors are looked up by id, in any order; ids that are no port are ignored. Inputs
    /// must be fully known and strided (any is taken as dense); outputs may have unknown dims and
    /// layout any. A size that is given along an axis that depends on data is taken as a bound and
    /// not held against what execution finds. A partition with a port that is no tensor needs none
    /// of them: its shapes are those of the values it is executed with. Errors: invalid_arguments,
    /// invalid_shape,
    /// invalid_data_type; unimplemented when the partition is unsupported or the implementation
    /// asked for cannot run it. See get_compiled_partition_cache_capacity for what is shared
    /// between calls.
    compiled_partition compile(const std::vector<logical_tensor> &inputs,
            const std::vector<logical_tensor> &outputs, const engine &e) const;
    compiled_partition compile(const std::vector<logical_tensor> &inputs,
            const std::vector<logical_tensor> &outputs, const engine &e,
            const compile_options &options) const;

    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    friend class graph;
    struct state;
    std::shared_ptr<const state> state_;
};

/// A graph of ops joined by logical tensor ids. A handle.
class TERN_API graph {
public:
    /// Errors: invalid_arguments when there is no engine of that kind.
    graph(engine::kind engine_kind); // NOLINT(google-explicit-constructor): as in oneDNN
    graph(engine::kind engine_kind, fpmath_mode mode);

    /// Errors: invalid_graph once finalized.
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false);
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const;

    /// Checks the op against its schema and takes it in. On an error the graph is unchanged.
    /// With `allow_exception` false the status is returned instead of thrown.
    /// Errors: invalid_graph (already finalized), invalid_graph_op (id taken, wrong number of
    /// inputs or outputs, data type, attribute).
    status add_op(const op &aop, bool allow_exception = true);
    /// Joins the ops, infers shapes, freezes the graph. A second call does nothing.
    /// Errors: invalid_graph (one id described in two ways, two producers, a cycle), invalid_shape.
    void finalize();
    bool is_finalized() const;
    /// In topological order; a call leaves the partitions of an earlier one valid.
    /// Errors: invalid_graph before finalize.
    std::vector<partition> get_partitions(
            partition::policy apolicy = partition::policy::fusion) const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

/// Compiling a partition that is like one compiled before (the same ops, attributes, shapes,
/// layouts and types at every position, fpmath mode, engine and implementation; ids and names do
/// not matter) takes the plan of that one from a cache. It keeps as many plans as its capacity
/// says, those used last. 1024 unless TERN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY says otherwise.
/// Thread-safe. Compiled partitions stay good whatever happens to the cache. Errors: none.
/// Source: oneDNN Graph's functions of these names.
TERN_API int get_compiled_partition_cache_capacity();
/// What is above the new capacity goes at once; 0: nothing is kept.
/// Errors: invalid_arguments when it is negative.
TERN_API void set_compiled_partition_cache_capacity(int capacity);

/// Which graphs the library writes to files. Values may be joined with |.
enum class graph_dump_mode : unsigned {
    none = 0,
    subgraph = 1, ///< Each partition when it is compiled, with its shapes.
    graph = 2,    ///< Each graph when get_partitions begins, and with its partitions when it ends.
};
constexpr graph_dump_mode operator|(graph_dump_mode a, graph_dump_mode b) {
    return static_cast<graph_dump_mode>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr graph_dump_mode operator&(graph_dump_mode a, graph_dump_mode b) {
    return static_cast<graph_dump_mode>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// Replaces what TERN_GRAPH_DUMP says of graph and subgraph, for the whole process. Files are JSON
/// in benchdnn's format, in the current folder or that of TERN_GRAPH_DUMP_DIR:
/// graph-<graph>.json, graph-<graph>-partitioning.json, graph-<partition>-<hash>.json. A file that
/// cannot be written is left out, with a verbose line when any are wanted. Thread-safe.
/// Errors: invalid_arguments when a bit is set that is none of the modes.
/// Source: oneDNN Graph's set_dump_mode.
TERN_API void set_dump_mode(graph_dump_mode mode);

/// How much the library reports about itself, as TERN_VERBOSE sets it: 0 nothing; 1 every
/// execution; 2 every compilation, too, with the implementations that were passed over. Lines go to
/// the callback when there is one, else to standard output.
TERN_API void set_verbose(int level);
/// `callback` gets each line (no newline at its end) on the thread that caused it, one line at a
/// time; null takes it away, and once this returns the old callback is not called any more. It must
/// not throw, and must not call into the library.
TERN_API void set_verbose_callback(void (*callback)(void *user, const char *line), void *user);

} // namespace graph
} // namespace tern

#endif
