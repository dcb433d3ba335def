// Buffer<T> owns an array in the memory of a dispatcher's device, Stream owns a stream. Both work in the same way on
// the devices `cuda` and `host`, so an application needs no CUDA toolkit for them. Both keep the device alive. One
// thread at a time may use an object.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "attune/dispatcher.hpp"
#include "attune/stream_handle.hpp"

namespace attune {

// The untyped part of Buffer: `count` elements of `element_bytes` bytes each, uninitialised.
class BufferMemory {
 public:
  BufferMemory(std::shared_ptr<Device> device, std::size_t count, std::size_t element_bytes);  // throws OutOfMemory
  BufferMemory(BufferMemory&&) noexcept;
  BufferMemory& operator=(BufferMemory&&) noexcept;
  ~BufferMemory();
  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  // Copy in the order of `stream`, complete on return. Throw UsageError unless `bytes` == bytes(), and Error when the
  // device fails.
  void copy_in(const void* host, std::size_t bytes, StreamHandle stream);
  void copy_out(void* host, std::size_t bytes, StreamHandle stream) const;

 private:
  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

template <typename T>
class Buffer {
 public:
  using element_type = T;
  using is_device_memory = void;  // so its elements cannot be passed to a launch by value
  static_assert(std::is_trivially_copyable_v<T>);
  // Allocates `size` elements, uninitialised. Throws OutOfMemory.
  Buffer(const Dispatcher& dispatcher, std::size_t size) : memory_(dispatcher.device(), size, sizeof(T)), size_(size) {}
  // Allocates host.size() elements and copies `host` into them. Throws OutOfMemory, and Error when the device fails.
  Buffer(const Dispatcher& dispatcher, std::span<const T> host) : Buffer(dispatcher, host.size()) { copy_from(host); }

  T* data() const noexcept { return static_cast<T*>(memory_.data()); }  // device memory: not to be read on the CPU
  std::size_t size() const noexcept { return size_; }

  // Copy in the order of `stream` (null: the default stream), complete on return. Throw UsageError unless `host` has
  // size() elements, and Error when the device fails.
  void copy_from(std::span<const T> host, StreamHandle stream = nullptr) {
    memory_.copy_in(host.data(), host.size_bytes(), stream);
  }
  void copy_to(std::span<T> host, StreamHandle stream = nullptr) const {
    memory_.copy_out(host.data(), host.size_bytes(), stream);
  }
  std::vector<T> to_vector(StreamHandle stream = nullptr) const {
    std::vector<T> host(size_);
    copy_to(host, stream);
    return host;
  }

 private:
  BufferMemory memory_;
  std::size_t size_;
};

class Stream {
 public:
  explicit Stream(const Dispatcher& dispatcher);  // throws Error
  // Takes over a stream that was made on the device (attune::make_stream() of attune/pipeline.hpp).
  Stream(std::shared_ptr<Device> device, StreamHandle made) noexcept : device_(std::move(device)), handle_(made) {}
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();
  StreamHandle handle() const noexcept { return handle_; }
  operator StreamHandle() const noexcept { return handle_; }
  void synchronize() const;  // waits for all work on the stream; throws BrokenProcess when a kernel faulted

 private:
  std::shared_ptr<Device> device_;
  StreamHandle handle_ = nullptr;
};

}  // namespace attune
