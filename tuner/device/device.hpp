// Device: the seam. All code above it is the same for `cuda` (driver API), `host` (kernels on the CPU) and `replay`. A
// Device owns its context. Its modules and its memory belong to it and must be destroyed before it. Thread-safety: one
// thread at a time drives a Device for tuning. Any thread may enqueue, allocate, free, copy, load and use streams
// (dispatch). Compiler is thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/error.hpp"
#include "attune/kernel_spec.hpp"
#include "attune/stream_handle.hpp"
#include "core/image.hpp"
#include "core/tensor_layout.hpp"
#include "core/verdict.hpp"
#include "device/device_state.hpp"
#include "device/inspection.hpp"
#include "kernel/fill_values.hpp"
#include "kernel/instantiate.hpp"

namespace attune {

// Compiles source to images. It needs no device: `cuda` compiles on machines without a driver.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Returns one outcome per request, in order. A failed compile is an outcome, too; throws Error only when the compiler
  // itself is missing or broken. Requests of one call may share one run of the compiler. A failed request never fails
  // its neighbours.
  virtual std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) = 0;
  // Returns the best number of requests for one call: 1 for NVRTC, a dozen for the host's C++ compiler.
  virtual std::size_t preferred_batch() const noexcept = 0;
  // Returns "NVRTC 13.0" or "g++ 12.2.0". Throws Error when there is none.
  virtual std::string toolchain() = 0;
  // Returns the architecture of the code that it makes for a request's architecture: the same, or "compute_90" when it
  // makes PTX. Throws Error when there is no compiler, or none for that architecture.
  virtual std::string target(const std::string& architecture) { return architecture; }
  // Ends compiles under way, as far as possible; their outcomes then mean nothing.
  virtual void abandon() noexcept {}
  // Returns whether compiling disturbs timing on the device (the host device: same cores).
  virtual bool disturbs_timing() const noexcept = 0;
};

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

struct SingleTime {
  Status status;
  double nanoseconds = 0;
};

// Several samples, in order. After a failure only samples from before it are there, and possibly not all of them.
struct DeviceTimes {
  Status status;
  std::vector<double> nanoseconds;
};

// The operations to time, and how.
struct Sampling {
  std::span<const Operation> before;  // ahead of each sample, not timed
  // The same work over different data: a sample times the first of them; a batch takes them in turn.
  std::span<const std::span<const Operation>> timed;
  std::span<const Operation> after = {};  // after each sample, not timed
  bool flush = true;  // ahead of each sample, the caches are filled with other data, which is read and never written
  int count = 1;      // samples
  int batch = 1;      // a sample is the mean of this many runs in a row, enqueued as one
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const noexcept = 0;
  // Returns the time by which sessions go, in seconds since an arbitrary moment. It is the machine's steady clock; on
  // `replay` it is the recording's clock, which advances by the recorded time of each trial.
  virtual double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  // Returns whether seconds() is the device's own clock, which stands still between calls.
  virtual bool has_own_clock() const noexcept { return false; }
  // Returns other processes on the device, as far as visible: "python3 (4711)", "python3 of user 1001 (4711)". They
  // disturb times.
  virtual std::vector<std::string> other_users() { return {}; }
  // Returns clocks, temperature, power and throttling at this moment; empty where the device has no sensors. Any thread
  // may call it, also while the device works.
  virtual DeviceState state() { return {}; }
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

  // Takes samples by the device's own clock, with everything enqueued ahead. Synchronous. Stops at the first failure.
  virtual DeviceTimes take_samples(const Sampling& sampling) = 0;
  // Takes one sample of each turn, in this order. Turns with equal spans `timed` do the same work. Several turns may be
  // enqueued together: if one of them fails, it is unknown which, and fewer samples are returned than were taken, or
  // none.
  virtual DeviceTimes take_samples_in_turn(std::span<const Sampling> turns) {
    DeviceTimes samples;
    for (std::size_t i = 0; i < turns.size() && samples.status.ok(); ++i) {
      Sampling one = turns[i];
      one.count = 1;
      DeviceTimes taken = take_samples(one);
      samples.status = std::move(taken.status);
      samples.nanoseconds.insert(samples.nanoseconds.end(), taken.nanoseconds.begin(), taken.nanoseconds.end());
    }
    return samples;
  }
  SingleTime sample(std::span<const Operation> before, std::span<const Operation> timed, bool flush) {
    DeviceTimes samples = take_samples({.before = before, .timed = {&timed, 1}, .flush = flush});
    return {std::move(samples.status), samples.nanoseconds.empty() ? 0 : samples.nanoseconds.front()};
  }

  // Fills device memory with data. Synchronous on the default stream. `type` is a type name, `count` a number of
  // elements.
  virtual void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                        std::uint64_t seed) = 0;
  // Inspects memory on the default stream. Returns what was found, in the order of the inspections. Waits once for all
  // of them.
  virtual std::vector<Found> inspect(std::span<const Inspection> inspections) = 0;
  Found inspect(const Inspection& one) { return inspect(std::span(&one, 1)).front(); }
  // Forbids, where the device can, the `below` bytes before an array and the `above` bytes after it: until unfence(), a
  // kernel that touches them is reported.
  virtual void fence(void* /*array*/, std::size_t /*bytes*/, std::size_t /*below*/, std::size_t /*above*/) {}
  virtual void unfence(const void* /*array*/) noexcept {}
};

// Opens "cuda", "cuda:1" or "host". Throws Error with the missing part and the next step (without a driver: how to use
// `host`). Throws UsageError for an unknown name or ordinal.
std::unique_ptr<Device> open_device(std::string_view name);

// What a compiler does with heavy headers, such as CUB's. `parse`: reads them at each compile; for applications, which
// compile a source once or twice. `precompile`: keeps them precompiled, for the many configurations of a session.
// Precompiled headers take 85 to 180 MB of disk, and compiles that use them wait for each other. The host device always
// parses.
enum class HeavyHeaders { parse, precompile };

// Returns the compiler for a device name or an architecture, without a device: "host", "sm_90", "cuda:0".
std::shared_ptr<Compiler> make_compiler(std::string_view architecture, HeavyHeaders headers = HeavyHeaders::parse);

// Returns whether a CUDA driver answers; `why_not` receives the reason otherwise. Never throws.
bool cuda_available(std::string& why_not) noexcept;

}  // namespace attune
