#include "attune/buffer.hpp"

#include <fmt/format.h>

#include <limits>

#include "attune/error.hpp"
#include "device/device.hpp"

namespace attune {
namespace {

std::size_t total_bytes(std::size_t count, std::size_t element_bytes) {
  if (count <= std::numeric_limits<std::size_t>::max() / element_bytes) return count * element_bytes;
  throw OutOfMemory(fmt::format("a buffer of {} elements of {} bytes: more than 2^64 bytes", count, element_bytes));
}

void check_bytes(std::size_t host, std::size_t buffer) {
  if (host == buffer) return;
  throw UsageError(
      fmt::format("copy between a buffer of {} bytes and {} bytes of host memory: they must be equal", buffer, host));
}

}  // namespace

BufferMemory::BufferMemory(std::shared_ptr<Device> device, std::size_t count, std::size_t element_bytes)
    : device_(std::move(device)), bytes_(total_bytes(count, element_bytes)) {
  data_ = device_->allocate(bytes_);
}

BufferMemory::BufferMemory(BufferMemory&& other) noexcept
    : device_(std::move(other.device_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

BufferMemory& BufferMemory::operator=(BufferMemory&& other) noexcept {
  BufferMemory moved(std::move(other));
  std::swap(device_, moved.device_);
  std::swap(data_, moved.data_);
  std::swap(bytes_, moved.bytes_);
  return *this;
}

BufferMemory::~BufferMemory() {
  if (data_) device_->free(data_);
}

void BufferMemory::copy_in(const void* host, std::size_t bytes, StreamHandle stream) {
  check_bytes(bytes, bytes_);
  if (bytes > 0) device_->copy_in(data_, host, bytes, stream);
}

void BufferMemory::copy_out(void* host, std::size_t bytes, StreamHandle stream) const {
  check_bytes(bytes, bytes_);
  if (bytes > 0) device_->copy_out(host, data_, bytes, stream);
}

Stream::Stream(const Dispatcher& dispatcher) : device_(dispatcher.device()), handle_(device_->make_stream()) {}
Stream::Stream(Stream&& other) noexcept
    : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  Stream moved(std::move(other));
  std::swap(device_, moved.device_);
  std::swap(handle_, moved.handle_);
  return *this;
}

Stream::~Stream() {
  if (handle_) device_->destroy_stream(handle_);
}

void Stream::synchronize() const {
  const Status status = device_->synchronize(handle_);
  if (!status.ok()) {
    throw_failed(status, fmt::format("work on a stream of {} failed: {}: {}", device_->info().name,
                                     to_text(status.verdict), status.detail));
  }
}

}  // namespace attune
