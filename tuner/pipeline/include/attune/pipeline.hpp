// What pipelines of copies and kernels are made of (CMake: attune::pipeline; docs/pipelines.md): host memory that
// devices reach, copies that return at once, events, streams of a priority, memory of peers, and graphs. All of it
// works in the context of a Dispatcher, so also in a primary context that the CUDA runtime uses, and takes and gives
// the runtime's own pointers and streams. On the device `host` the same calls do the work before they return. One
// thread at a time may use an object; different objects, and the free functions, any number of threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "attune/buffer.hpp"
#include "attune/dispatcher.hpp"
#include "attune/stream_handle.hpp"

struct CUevent_st;

namespace attune {

// Memory of the host, by what a GPU can do with it:
//   pageable         ordinary memory: copies are staged by the driver, and return late
//   pinned           page-locked: copies run beside kernels, and both ways at once
//   write_combined   pinned, and not cached by the CPU: for what the CPU only writes. The CPU reads it very slowly
//   mapped           pinned; kernels are meant to access it themselves, by data()
enum class HostMemoryKind { pageable, pinned, write_combined, mapped };

// The untyped part of HostBuffer.
class HostMemory {
 public:
  // Allocates `count` elements of `element_bytes` bytes, uninitialised. Throws OutOfMemory, and Error when the driver
  // fails.
  HostMemory(const Dispatcher& dispatcher, HostMemoryKind kind, std::size_t count, std::size_t element_bytes);
  HostMemory(HostMemory&&) noexcept = default;
  HostMemory& operator=(HostMemory&&) noexcept = default;
  void* data() const noexcept { return data_.get(); }

 private:
  std::unique_ptr<void, std::function<void(void*)>> data_;
};

// `size` elements of host memory, all at one address for host and device. Work that uses it must be done when it ends.
template <typename T>
class HostBuffer {
 public:
  using element_type = T;
  static_assert(std::is_trivially_copyable_v<T>);
  // Allocates, uninitialised. Every context of the process may copy from and to it. Throws OutOfMemory, Error.
  HostBuffer(const Dispatcher& dispatcher, std::size_t size, HostMemoryKind kind = HostMemoryKind::pinned)
      : memory_(dispatcher, kind, size, sizeof(T)), size_(size) {}
  T* data() const noexcept { return static_cast<T*>(memory_.data()); }
  std::size_t size() const noexcept { return size_; }
  std::span<T> elements() const noexcept { return {data(), size_}; }

 private:
  HostMemory memory_;
  std::size_t size_;
};

// A point in the work of a stream. It also tells time.
class Event {
 public:
  explicit Event(const Dispatcher& dispatcher);  // throws Error
  Event(Event&&) noexcept = default;
  Event& operator=(Event&&) noexcept = default;
  // Marks the work that was enqueued on `stream` so far, in place of what was marked before. The stream must be of the
  // dispatcher's context. Throws Error, as all functions here do, when the driver refuses, or when earlier work failed.
  void record(StreamHandle stream);
  // Makes later work of `stream`, which may be of another device, wait for the marked work. An event that was never
  // recorded holds nothing up.
  void hold(StreamHandle stream) const;
  // Waits on this thread until the marked work is done.
  void synchronize() const;
  // Returns the time on the device from one event to this one; both are of one device, recorded outside graphs, and
  // done. On the device `host` it is the time between the calls of record().
  std::chrono::duration<double, std::milli> since(const Event& begin) const;

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<CUevent_st> event_;  // null on the device `host`
  std::chrono::steady_clock::time_point time_{};
};

// Enqueues a copy of `bytes` bytes on `stream`, a stream of the dispatcher's context, and returns at once, unless one
// side is pageable. Either side may be memory of the host, of this device or of another one. A copy between devices
// takes the direct way after allow_peers(), else the driver stages it. Both sides must live until the work is done.
// Throws Error when the driver refuses.
void copy(const Dispatcher& dispatcher, void* to, const void* from, std::size_t bytes, StreamHandle stream);

// Lets kernels and copies of each of the two devices reach the memory of the other. Returns whether they can: false
// where the machine has no way, and copies are staged. May be called again. Throws Error when the driver fails.
bool allow_peers(const Dispatcher& one, const Dispatcher& other);

// `high`: blocks of its kernels are placed before waiting blocks of other streams.
enum class Priority { normal, high };

// Makes a stream of the dispatcher's context, which does not wait for the default stream. Throws Error.
Stream make_stream(const Dispatcher& dispatcher, Priority priority);

// Work that is recorded once and launched as one.
class Graph {
 public:
  // Calls `record`, which enqueues work on `stream` and, after events that it recorded there, on other streams, also of
  // other devices. Their work must be joined to `stream` by events again. Nothing is done yet. On the device `host`
  // each launch() calls `record` instead. Throws what `record` throws, and Error where the driver refuses.
  Graph(const Dispatcher& dispatcher, StreamHandle stream, const std::function<void()>& record);
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;
  void launch(StreamHandle stream) const;  // throws Error

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<void> graph_;     // of the driver
  std::function<void()> recorded_;  // on the device `host`
};

}  // namespace attune
