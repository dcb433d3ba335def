// FiberStack: a fiber's stack, with a guard page below: an overflow is a fault instead of damage. Owned by a fiber;
// used by one OS thread at a time.
#pragma once

#include <cstddef>

namespace attune {

class FiberStack {
 public:
  // Room for the local variables of one CUDA thread and of its calls. Kernels keep small arrays and few frames; the
  // deepest call is printf (measured: under 8 KiB). Untouched pages cost address space only.
  static constexpr std::size_t usable_bytes = 64 * 1024;
  // Sanitized code has larger frames, and the sanitizer's report runs on the same stack.
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

  // A process has a limited number of guard pages. Without a guard page, intact() detects an overflow afterwards: it
  // returns false when the very end of the stack was written.
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
