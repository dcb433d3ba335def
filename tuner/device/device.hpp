// Device: the seam. All code above it is the same for `cuda` (driver API) and `host` (kernels on the CPU). A Device
// owns its context. Its modules and its memory belong to it and must be destroyed before it. Thread-safety: one thread
// at a time drives a Device for tuning. Any thread may enqueue, allocate, free, copy, load and use streams (dispatch).
// What tuning needs besides are objects beside a device: instruments.hpp, data_tools.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "attune/device_info.hpp"
#include "attune/error.hpp"
#include "attune/kernel_spec.hpp"
#include "attune/stream_handle.hpp"
#include "core/image.hpp"
#include "core/tensor_layout.hpp"
#include "core/verdict.hpp"
#include "device/compiler.hpp"
#include "kernel/instantiate.hpp"

namespace attune {

using FunctionHandle = void*;  // an entry of a loaded Module; valid while the Module lives

// A variable of a loaded Module, in device memory; valid while the Module lives.
struct Variable {
  void* address = nullptr;
  std::uint64_t bytes = 0;
};

// A loaded image. The launching code owns it; the Device must outlive it. Its destructor waits for all work that uses
// it, and does not invalidate a capture.
class Module {
 public:
  virtual ~Module() = default;
  // Returns the entry with this expression, ready to launch with its dynamic shared memory (opts in above 48 KB).
  // Returns null and sets `status` (resources, load_error) when that launch is impossible.
  virtual FunctionHandle function(std::string_view expression, const LaunchShape& shape, Status& status) = 0;
  // Returns the variable whose address the image was asked for: "&d_filter". Sets `status` (load_error) when the image
  // has no such variable.
  virtual Variable variable(std::string_view expression, Status& status) = 0;
};

struct LoadOutcome {
  Status status;
  std::shared_ptr<Module> module;  // set if and only if status.ok()
};

// Code from outside attune that enqueues work on a stream, such as a vendor's library. One thread at a time.
class Routine {
 public:
  virtual ~Routine() = default;
  // Enqueues its work without waiting; the stream may be under capture to a graph. On a GPU the device's context is
  // current. `parameters`: one pointer per argument of the kernel, to its bytes.
  virtual Status enqueue(void* const* parameters, StreamHandle stream) = 0;
};

// One piece of work, which a device does in the order of a stream. Pointers must stay valid until the work is done.
struct Operation {
  enum class Kind { launch, memset, copy, routine } kind = Kind::launch;
  // launch, routine
  FunctionHandle function = nullptr;
  Routine* routine = nullptr;
  LaunchShape shape;
  void** parameters = nullptr;  // one pointer per kernel parameter, to its bytes
  // memset, copy: device memory
  void* target = nullptr;
  const void* source = nullptr;
  std::size_t bytes = 0;
  int value = 0;  // memset: a byte
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const noexcept = 0;
  // Returns the compiler for this device's own architecture, loaded at the first call; shared, thread-safe.
  virtual std::shared_ptr<Compiler> compiler() = 0;

  // Memory. Addresses are 256-byte aligned. allocate(0) returns a valid address. Throws OutOfMemory, Error.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void free(void* address) noexcept = 0;
  virtual std::uint64_t free_memory() = 0;
  // Allocates host memory at an address that kernels, copies and byte fills of the device accept, too. Throws
  // OutOfMemory, Error.
  virtual void* allocate_mapped(std::size_t bytes) { return allocate(bytes); }
  virtual void free_mapped(void* address) noexcept { free(address); }
  // Copies between host and device memory, in the order of the stream. The copy is complete on return.
  virtual void copy_in(void* target, const void* host, std::size_t bytes, StreamHandle stream) = 0;
  virtual void copy_out(void* host, const void* source, std::size_t bytes, StreamHandle stream) = 0;

  // Streams: null is the default stream. On the host device, work is done when the call that enqueues it returns.
  virtual StreamHandle make_stream() = 0;
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;
  virtual Status synchronize(StreamHandle stream) = 0;
  // Returns the number of a stream. Streams that may work at the same time have different numbers; so have the
  // per-thread default streams of two threads in CUDA. On a host device all streams have the same number.
  virtual std::uint64_t stream_id(StreamHandle /*stream*/) { return 0; }
  // Fills memory with zeros, complete on return. The call is ordered with no stream, so no work may be using the
  // memory. It may be called while a stream is captured to a graph.
  virtual Status clear(void* target, std::size_t bytes) {
    Operation zero;
    zero.kind = Operation::Kind::memset;
    zero.target = target;
    zero.bytes = bytes;
    Status status = enqueue(zero, nullptr);
    return status.ok() ? synchronize(nullptr) : status;
  }

  // Graphs. Returns whether the stream is captured: operations enqueued on it are recorded to a graph instead of being
  // done.
  virtual bool is_captured(StreamHandle /*stream*/) { return false; }
  // Gives an object to the graph that the stream is captured to. The graph and everything made from it keep the object.
  // After the last of them is gone, a thread of attune's releases the object, which may own modules and memory of this
  // device.
  virtual Status keep_in_graph(StreamHandle /*stream*/, std::shared_ptr<const void> /*object*/) {
    return {Verdict::launch_error, info().kind + " devices record no graphs", false};
  }

  virtual LoadOutcome load(const Image& image) = 0;
  // Enqueues the operation. An error of the launch itself is in the Status; a fault of the kernel may appear only at
  // synchronize().
  virtual Status enqueue(const Operation& operation, StreamHandle stream) = 0;
  // Enqueues a launch with these parameters in place of its own. `launch.kind` must be `launch`. Fails as enqueue()
  // does.
  virtual Status enqueue_with(const Operation& launch, void** parameters, StreamHandle stream) {
    Operation operation = launch;
    operation.parameters = parameters;
    return enqueue(operation, stream);
  }

  // Encodes a tensor map of the array into `map`: 128 bytes, aligned to 64. The array's address must be a multiple of
  // 16, and the layout within the limits of tensor_limits(). Enqueues nothing.
  virtual Status encode_map(const TensorLayout& /*layout*/, void* /*array*/, void* /*map*/) {
    return {Verdict::launch_error, info().kind + " devices have no tensor maps", false};
  }
};

// Opens "cuda", "cuda:1" or "host". Throws Error with the missing part and the next step (without a driver: how to use
// `host`). Throws UsageError for an unknown name or ordinal.
std::unique_ptr<Device> open_device(std::string_view name);

// Returns whether a CUDA driver answers; `why_not` receives the reason otherwise. Never throws.
bool cuda_available(std::string& why_not) noexcept;

}  // namespace attune
