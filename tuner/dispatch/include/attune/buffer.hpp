// Buffer<T>: an owned array on a dispatcher's device. Stream: an owned stream. Both are alike on cuda and host, so that
// an application needs no toolkit. Both keep the device alive. One thread at a time per object.
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

// The untyped part of Buffer.
class BufferMemory {
 public:
  BufferMemory(std::shared_ptr<Device> device, std::size_t count, std::size_t element_bytes);  // throws OutOfMemory
  BufferMemory(BufferMemory&&) noexcept;
  BufferMemory& operator=(BufferMemory&&) noexcept;
  ~BufferMemory();
  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  // Throw UsageError unless `bytes` == bytes(), Error when the device fails.
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
  using is_device_memory = void;  // its elements cannot be passed by value
  static_assert(std::is_trivially_copyable_v<T>);
  // Allocates `size` elements, uninitialised. Throws OutOfMemory.
  Buffer(const Dispatcher& dispatcher, std::size_t size) : memory_(dispatcher.device(), size, sizeof(T)), size_(size) {}
  // Allocates host.size() elements and copies `host` into them.
  Buffer(const Dispatcher& dispatcher, std::span<const T> host) : Buffer(dispatcher, host.size()) { copy_from(host); }

  T* data() const noexcept { return static_cast<T*>(memory_.data()); }  // device memory: not to be read on the CPU
  std::size_t size() const noexcept { return size_; }

  // Copies in the order of `stream`, complete on return. Throws UsageError unless `host` has size() elements.
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
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();
  StreamHandle handle() const noexcept { return handle_; }
  operator StreamHandle() const noexcept { return handle_; }
  void synchronize() const;  // throws Error when a kernel faulted

 private:
  std::shared_ptr<Device> device_;
  StreamHandle handle_ = nullptr;
};

}  // namespace attune
