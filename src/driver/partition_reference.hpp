// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_PARTITION_REFERENCE_HPP
#define TERN_DRIVER_PARTITION_REFERENCE_HPP

#include <cstdint>

#include "driver/error_model.hpp"
#include "driver/execution.hpp"

namespace tern::driver {

/// Runs the reference loops of a partition's ops one after another and tells `errors` of each.
/// `inputs` holds the partition's inputs. What is returned are its outputs; they lie in memory
/// exactly as those of the partition and start from the same bytes, so that whole buffers can be
/// compared. What stays inside the partition is dense and goes after its last use.
memory_map run_partition_reference(
        const compiled_step &step, const memory_map &inputs, error_model &errors);

/// The most bytes that run_partition_reference holds at a time.
std::uint64_t reference_bytes(const compiled_step &step);

} // namespace tern::driver

#endif
