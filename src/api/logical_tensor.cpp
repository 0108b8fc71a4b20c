// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/states.hpp"
#include "base/shape.hpp"

namespace tern::graph {
namespace {

/// A mirror of the constructors' checks on one list of dims or strides.
void check_values(std::size_t id, const char *what, const logical_tensor::dims &values) {
    if (values.size() > static_cast<std::size_t>(max_rank))
        fail(status::invalid_arguments, "tensor {}: {} {} given; the largest rank is {}", id,
                values.size(), what, max_rank);
    for (std::size_t axis = 0; axis < values.size(); ++axis)
        if (values[axis] < 0 && values[axis] != unknown_dim)
            fail(status::invalid_arguments,
                    "tensor {}: axis {} has {} in its {}; expected 0 or more, or "
                    "TERN_GRAPH_UNKNOWN_DIM",
                    id, axis, values[axis], what);
}

void check_property(std::size_t id, property_type property, std::int32_t ndims, data_type type) {
    if (property != property_type::host_scalar) return;
    bool fits = type == data_type::f32 || type == data_type::s32 || type == data_type::s64;
    if (ndims != 0 || !fits)
        fail(status::invalid_arguments,
                "tensor {}: a host_scalar has rank 0 and type f32, s32 or s64; found rank {} and "
                "type {}",
                id, ndims, tern::name_of(type));
}

} // namespace

logical_tensor::logical_tensor() = default;

logical_tensor::logical_tensor(std::size_t tid, data_type dtype, std::int32_t ndims,
        layout_type ltype, property_type ptype)
    : id_(tid),
      ndims_(ndims),
      data_type_(dtype),
      layout_type_(ltype),
      property_type_(ptype) {
    if (ndims > max_rank || ndims < TERN_GRAPH_UNKNOWN_NDIMS)
        fail(status::invalid_arguments, "tensor {}: rank {} given; expected -1 (unknown) to {}",
                tid, ndims, max_rank);
    check_property(tid, ptype, ndims, dtype);
    std::fill_n(dims_, std::max(ndims, 0), unknown_dim);
    std::fill_n(strides_, std::max(ndims, 0), unknown_dim);
}

logical_tensor::logical_tensor(std::size_t tid, data_type dtype, layout_type ltype)
    : logical_tensor(tid, dtype, TERN_GRAPH_UNKNOWN_NDIMS, ltype) {}

logical_tensor::logical_tensor(
        std::size_t tid, data_type dtype, const dims &adims, layout_type ltype, property_type ptype)
    : id_(tid),
      ndims_(static_cast<std::int32_t>(adims.size())),
      data_type_(dtype),
      layout_type_(ltype),
      property_type_(ptype) {
    check_values(tid, "dims", adims);
    check_property(tid, ptype, ndims_, dtype);
    std::copy(adims.begin(), adims.end(), dims_);
    tern::dims shape;
    shape.assign(adims.begin(), adims.end());
    std::fill_n(strides_, ndims_, unknown_dim);
    if (ltype != layout_type::strided || has_unknown(shape)) return;
    std::optional<tern::dims> strides = dense_strides(shape);
    if (!strides)
        fail(status::invalid_arguments, "tensor {}: the strides of shape {} do not fit 63 bits",
                tid, to_string(shape));
    std::copy(strides->begin(), strides->end(), strides_);
}

logical_tensor::logical_tensor(std::size_t tid, data_type dtype, const dims &adims,
        const dims &strides, property_type ptype)
    : logical_tensor(tid, dtype, adims, layout_type::any, ptype) {
    check_values(tid, "strides", strides);
    if (adims.size() != strides.size())
        fail(status::invalid_arguments, "tensor {}: {} dims but {} strides", tid, adims.size(),
                strides.size());
    layout_type_ = layout_type::strided;
    std::copy(strides.begin(), strides.end(), strides_);
}

logical_tensor::logical_tensor(
        std::size_t tid, data_type dtype, const dims &adims, std::size_t lid, property_type ptype)
    : logical_tensor(tid, dtype, adims, layout_type::any, ptype) {
    layout_type_ = layout_type::opaque;
    layout_id_ = lid;
}

logical_tensor::dims logical_tensor::get_dims() const {
    if (ndims_ < 0) fail(status::invalid_arguments, "tensor {}: the rank is unknown", id_);
    return dims(dims_, dims_ + ndims_);
}

logical_tensor::dims logical_tensor::get_strides() const {
    if (ndims_ < 0 || layout_type_ != layout_type::strided)
        fail(status::invalid_arguments,
                "tensor {}: only a strided tensor of known rank has strides", id_);
    return dims(strides_, strides_ + ndims_);
}

std::size_t logical_tensor::get_layout_id() const {
    if (layout_type_ != layout_type::opaque)
        fail(status::invalid_arguments, "tensor {}: only an opaque tensor has a layout id", id_);
    return layout_id_;
}

std::size_t logical_tensor::get_mem_size() const {
    constexpr auto unknown = static_cast<std::size_t>(-1);
    if (layout_type_ != layout_type::strided) return unknown;
    tensor_desc desc = to_port(*this).desc;
    if (!desc.fully_known() || data_type_ == data_type::undef) return unknown;
    std::optional<std::int64_t> span = element_span(desc.shape, desc.strides);
    std::optional<std::int64_t> bytes;
    if (span) bytes = bytes_of_many(*span, data_type_);
    if (!bytes)
        fail(status::invalid_arguments,
                "tensor {}: the size of shape {} with strides {} does not fit 63 bits", id_,
                to_string(desc.shape), to_string(desc.strides));
    return static_cast<std::size_t>(*bytes);
}

bool logical_tensor::is_equal(const logical_tensor &other) const noexcept {
    auto same = [this](const dim *a, const dim *b) {
        return std::equal(a, a + std::max(ndims_, 0), b);
    };
    return id_ == other.id_ && ndims_ == other.ndims_ && data_type_ == other.data_type_
           && layout_type_ == other.layout_type_ && property_type_ == other.property_type_
           && same(dims_, other.dims_)
           && (layout_type_ != layout_type::strided || same(strides_, other.strides_))
           && (layout_type_ != layout_type::opaque || layout_id_ == other.layout_id_);
}

ir::port to_port(const logical_tensor &lt) {
    ir::port port;
    port.id = lt.get_id();
    tensor_desc &desc = port.desc;
    desc.type = lt.get_data_type();
    desc.layout = lt.get_layout_type();
    desc.property = lt.get_property_type();
    desc.rank_known = lt.get_ndims() >= 0;
    if (desc.layout == layout_type::opaque) desc.layout_id = lt.get_layout_id();
    if (!desc.rank_known) return port;
    auto values = lt.get_dims();
    desc.shape.assign(values.begin(), values.end());
    if (desc.layout != layout_type::strided) return port;
    values = lt.get_strides();
    desc.strides.assign(values.begin(), values.end());
    return port;
}

ir::port to_port(const logical_value &v) {
    ir::port port;
    port.id = v.id;
    port.desc.type = v.type.element;
    port.desc.form = v.type.form;
    return port;
}

std::vector<ir::port> to_ports(const std::vector<logical_tensor> &lts) {
    std::vector<ir::port> ports;
    ports.reserve(lts.size());
    for (const logical_tensor &lt : lts)
        ports.push_back(to_port(lt));
    return ports;
}

logical_tensor to_logical_tensor(const ir::port &port) {
    const tensor_desc &desc = port.desc;
    if (!desc.rank_known)
        return {port.id, desc.type, TERN_GRAPH_UNKNOWN_NDIMS, desc.layout, desc.property};
    logical_tensor::dims shape(desc.shape.begin(), desc.shape.end());
    if (desc.layout == layout_type::opaque)
        return {port.id, desc.type, shape, desc.layout_id, desc.property};
    if (desc.layout != layout_type::strided)
        return {port.id, desc.type, shape, desc.layout, desc.property};
    logical_tensor::dims strides(desc.strides.begin(), desc.strides.end());
    return {port.id, desc.type, shape, strides, desc.property};
}

} // namespace tern::graph
