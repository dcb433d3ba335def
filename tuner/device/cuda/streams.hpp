// What a launch needs to know of its stream: its number, and whether it is captured to a graph. The device's context
// must be current. Any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "core/verdict.hpp"
#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

// Returns whether it is the default stream of the context, which all threads share.
inline bool is_legacy_stream(const CUstream_st* stream) noexcept {
  return reinterpret_cast<std::uintptr_t>(stream) <= 1;  // null or CU_STREAM_LEGACY
}

// Returns the driver's number of the stream, which no other stream of the process ever has. Drivers before CUDA 12.0
// give no numbers: there it is the handle, which a later stream may have again, or, for a per-thread default stream, a
// number of the thread.
std::uint64_t stream_id(const DriverApi& api, CUstream_st* stream) noexcept;

// Returns whether the stream is captured to a graph. The stream must not be the default one.
bool is_captured(const DriverApi& api, CUstream_st* stream) noexcept;

// Gives the object to the graph that the stream is captured to. The Reaper releases the object after the graph's end.
// Returns launch_error when the driver is older than CUDA 11.3. Throws std::system_error when no thread can be made.
Status keep_in_graph(const DriverApi& api, CUstream_st* stream, std::shared_ptr<const void> object);

}  // namespace attune::cuda
