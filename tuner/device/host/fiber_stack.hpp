// FiberStack: memory that a fiber runs on, with a guard page below, so that an overflow is a fault instead of damage.
// Owned by a fiber; used by one OS thread at a time.
#pragma once

#include <cstddef>

namespace attune {

class FiberStack {
 public:
  // Local variables of one CUDA thread and the calls below it. Kernels keep small arrays and few frames; printf is the
  // deepest thing they call (measured: under 8 KiB). Untouched pages cost address space only.
  static constexpr std::size_t usable_bytes = 64 * 1024;
  // Sanitized code has larger frames, and the sanitizer's report and what describes it run on the same stack.
  static constexpr std::size_t sanitized_bytes = 1024 * 1024;
  static std::size_t default_bytes() noexcept;

  // `number` spreads the tops of stacks over the sets of the first-level cache. Throws OutOfMemory.
  explicit FiberStack(std::size_t number);
  ~FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

  void* top() const noexcept { return top_; }        // stacks grow down from here
  void* bottom() const noexcept { return bottom_; }  // lowest usable byte
  std::size_t size() const noexcept { return static_cast<std::size_t>(top_ - bottom_); }
  bool guards(const void* address) const noexcept;  // is this in the guard page?

  // A process has a limited number of guard pages. Without one, intact() finds an overflow afterwards: false when
  // something was written at the very end of the stack.
  bool guarded() const noexcept { return guarded_; }
  bool intact() const noexcept;

 private:
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* bottom_ = nullptr;
  std::byte* top_ = nullptr;
  bool guarded_ = false;
};

}  // namespace attune
