// SPDX-License-Identifier: Apache-2.0
#include "driver/npy.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/shape.hpp"
#include "base/text.hpp"

namespace tern::driver {
namespace {

std::string_view npy_type(data_type type) {
    switch (type) {
        case data_type::f16: return "<f2";
        case data_type::f32: return "<f4";
        case data_type::f64: return "<f8";
        case data_type::bf16:
        case data_type::u16: return "<u2";
        case data_type::u32: return "<u4";
        case data_type::u64: return "<u8";
        case data_type::s8: return "|i1";
        case data_type::s16: return "<i2";
        case data_type::s32: return "<i4";
        case data_type::s64: return "<i8";
        case data_type::c64: return "<c8";
        case data_type::c128: return "<c16";
        default: return "|u1";
    }
}

} // namespace

std::string npy_header(const tensor_desc &desc) {
    std::string shape;
    for (std::int64_t dim : desc.shape)
        shape += format_text("{},", dim);
    if (desc.shape.rank() > 1) shape.pop_back();
    std::string text = format_text("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
            npy_type(desc.type), shape);
    // Magic, version and length take ten bytes; data begin at a multiple of 64.
    constexpr std::size_t fixed = 10;
    std::size_t padded = (fixed + text.size() + 1 + 63) / 64 * 64 - fixed;
    text.resize(padded - 1, ' ');
    text += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(padded & 0xff);
    header += static_cast<char>(padded >> 8);
    return header + text;
}

void write_npy(const std::string &path, const buffer &memory) {
    const tensor_desc &desc = memory.desc();
    const std::size_t bytes = bytes_of(desc.type);
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    file << npy_header(desc);
    if (is_dense(desc.shape, desc.strides)) {
        file.write(reinterpret_cast<const char *>(memory.data()),
                static_cast<std::streamsize>(memory.bytes()));
    } else {
        const std::int64_t count = *element_count(desc.shape);
        for (std::int64_t element = 0; element < count && file; ++element) {
            std::int64_t rest = element;
            std::int64_t offset = 0;
            for (int axis = desc.shape.rank() - 1; axis >= 0; --axis) {
                offset += rest % desc.shape[axis] * desc.strides[axis];
                rest /= desc.shape[axis];
            }
            const std::byte *at = memory.data() + static_cast<std::size_t>(offset) * bytes;
            file.write(reinterpret_cast<const char *>(at), static_cast<std::streamsize>(bytes));
        }
    }
    file.close();
    if (!file)
        throw std::runtime_error(format_text(
                "cannot write {}: {}", path, errno != 0 ? std::strerror(errno) : "unknown error"));
}

} // namespace tern::driver
