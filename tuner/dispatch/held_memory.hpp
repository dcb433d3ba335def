// HeldMemory: how much device memory the code and the scratch arrays of a dispatcher take. The dispatcher and all plans
// that it made share one; plans may outlive the dispatcher. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "device/device.hpp"

namespace attune {

struct HeldMemory {
  std::atomic<std::uint64_t> images{0}, scratch{0};  // bytes
};

// Bytes that count as long as this object lives.
class HeldBytes {
 public:
  using Count = std::atomic<std::uint64_t>;
  HeldBytes() = default;
  HeldBytes(std::shared_ptr<Count> count, std::uint64_t bytes) : count_(std::move(count)), bytes_(bytes) {
    count_->fetch_add(bytes_, std::memory_order_relaxed);
  }
  HeldBytes(HeldBytes&& other) noexcept : count_(std::move(other.count_)), bytes_(std::exchange(other.bytes_, 0)) {}
  HeldBytes& operator=(HeldBytes other) noexcept {
    std::swap(count_, other.count_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HeldBytes() {
    if (count_ != nullptr) count_->fetch_sub(bytes_, std::memory_order_relaxed);
  }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<Count> count_;
  std::uint64_t bytes_ = 0;
};

// Returns the module, whose code of so many bytes counts until the last copy of the result is gone. Null stays null.
inline std::shared_ptr<Module> held_module(const std::shared_ptr<HeldMemory>& held, std::shared_ptr<Module> module,
                                           std::uint64_t bytes) {
  struct CountedModule {
    HeldBytes bytes;  // counts until the module is gone
    std::shared_ptr<Module> module;
  };
  if (module == nullptr) return module;
  Module* const address = module.get();
  const std::shared_ptr<HeldBytes::Count> images(held, &held->images);
  return {std::make_shared<CountedModule>(HeldBytes(images, bytes), std::move(module)), address};
}

}  // namespace attune
