// LaunchFrame: one set of the arguments of loaded steps. A launch has its frame on the stack of its thread; what is
// kept has its frame on the heap. One thread at a time.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "device/loaded_steps.hpp"

namespace attune {

class LaunchFrame {
 public:
  // Parameters and their pointers lie on the stack up to this many bytes. A kernel with larger arrays by value (a
  // launch may have 32 KB of parameters) allocates memory at each launch.
  static constexpr std::size_t stack_bytes = 2048;

  // Scalars hold their first values; arrays are null, maps zeros. `steps` must outlive it.
  explicit LaunchFrame(const LoadedSteps& steps)
      : steps_(steps),
        heap_(steps.frame_bytes() > stack_bytes ? std::make_unique_for_overwrite<std::byte[]>(steps.frame_bytes())
                                                : nullptr),
        slots_(steps.lay_out(heap_ ? heap_.get() : stack_)) {}
  LaunchFrame(const LaunchFrame&) = delete;
  LaunchFrame& operator=(const LaunchFrame&) = delete;

  // Returns a pointer to the bytes of each argument: at least 16 bytes, and at least as many as its value has.
  std::span<void* const> slots() const noexcept { return {slots_, steps_.arguments()}; }
  void set_array(std::size_t argument, void* memory) noexcept { std::memcpy(slots_[argument], &memory, sizeof memory); }
  // Returns operation `i` over the present values, which must not change until it is enqueued.
  Operation operation(std::size_t i) const noexcept { return steps_.operation(i, slots_); }
  Operation upload(std::size_t symbol) const noexcept { return steps_.upload(symbol, slots_); }
  // Copies the values and addresses of a frame of the same steps.
  void copy(const LaunchFrame& other) noexcept { steps_.copy_values(slots_, other.slots_); }

 private:
  const LoadedSteps& steps_;
  alignas(LoadedSteps::frame_alignment) std::byte stack_[stack_bytes];  // lay_out() initialises what is used
  std::unique_ptr<std::byte[]> heap_;
  void** slots_;
};

}  // namespace attune
