// SPDX-License-Identifier: Apache-2.0
#include "allocation_count.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

// In a file of their own: where both ends of a pair are inlined, gcc takes malloc and delete for a
// mismatch.

namespace {
std::atomic<std::size_t> allocations{0};

/// Null where there is no memory.
void *count_and_allocate(std::size_t size, std::size_t alignment) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void *counted_allocation(std::size_t size, std::size_t alignment) {
    void *ptr = count_and_allocate(size, alignment);
    if (!ptr) throw std::bad_alloc();
    return ptr;
}
} // namespace

std::size_t allocation_count() noexcept {
    return allocations.load();
}

void *operator new(std::size_t size) {
    return counted_allocation(size, alignof(std::max_align_t));
}
void *operator new[](std::size_t size) {
    return counted_allocation(size, alignof(std::max_align_t));
}
void *operator new(std::size_t size, std::align_val_t alignment) {
    return counted_allocation(size, static_cast<std::size_t>(alignment));
}
void *operator new[](std::size_t size, std::align_val_t alignment) {
    return counted_allocation(size, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    return count_and_allocate(size, alignof(std::max_align_t));
}
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
    return count_and_allocate(size, alignof(std::max_align_t));
}
void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
    return count_and_allocate(size, static_cast<std::size_t>(alignment));
}
void *operator new[](
        std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
    return count_and_allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void *ptr) noexcept {
    std::free(ptr);
}
void operator delete[](void *ptr) noexcept {
    std::free(ptr);
}
void operator delete(void *ptr, std::size_t) noexcept {
    std::free(ptr);
}
void operator delete[](void *ptr, std::size_t) noexcept {
    std::free(ptr);
}
void operator delete(void *ptr, std::align_val_t) noexcept {
    std::free(ptr);
}
void operator delete[](void *ptr, std::align_val_t) noexcept {
    std::free(ptr);
}
void operator delete(void *ptr, std::size_t, std::align_val_t) noexcept {
    std::free(ptr);
}
void operator delete[](void *ptr, std::size_t, std::align_val_t) noexcept {
    std::free(ptr);
}
