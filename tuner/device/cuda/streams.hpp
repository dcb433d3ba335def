// What a stream is to a launch: which one it is, and whether a graph is recorded on it. The device's context must be
// current. Any thread.
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

// Returns the driver's number of the stream, which no other one of the process ever has. Before CUDA 12.0 it is the
// handle, which a later stream may have again; of a per-thread default stream it is the thread's.
std::uint64_t stream_id(const DriverApi& api, CUstream_st* stream) noexcept;

// Returns whether the stream, which is not the default one, records to a graph.
bool is_captured(const DriverApi& api, CUstream_st* stream) noexcept;

// Gives the object to the graph that the stream records to. The Reaper lets it go after the graph. launch_error when
// the driver is older than CUDA 11.3. Throws std::system_error when no thread can be made.
Status keep_in_graph(const DriverApi& api, CUstream_st* stream, std::shared_ptr<const void> object);

}  // namespace attune::cuda
