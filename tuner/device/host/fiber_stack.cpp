#include "device/host/fiber_stack.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "attune/error.hpp"
#include "device/host/sanitizer.hpp"

namespace attune {
namespace {

// A guard page splits a mapping, and Linux allows a process 65,530 mappings. Beyond this many stacks, only the word at
// each end detects an overflow.
constexpr int most_guard_pages = 16'000;
std::atomic<int> guard_pages{0};

// Stack tops a power of two apart would share one set of the first-level cache.
constexpr std::size_t colours = 32, colour_bytes = 128;

constexpr std::uint64_t end_word = 0x5A5AA5A5C3C33C3CULL;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

std::size_t FiberStack::default_bytes() noexcept { return sanitizers().any() ? sanitized_bytes : usable_bytes; }

FiberStack::FiberStack(std::size_t number) {
  mapped_ = default_bytes() + 2 * page_bytes();  // a guard page, and a page for the colours
  void* const memory =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    throw OutOfMemory(
        fmt::format("host device: no room for another fiber's stack of {} KiB; set ATTUNE_HOST_THREADS to "
                    "fewer threads",
                    default_bytes() / 1024));
  }
  mapping_ = static_cast<std::byte*>(memory);
  bottom_ = mapping_ + page_bytes();
  top_ = mapping_ + mapped_ - number % colours * colour_bytes;
  if (guard_pages.fetch_add(1) < most_guard_pages) guarded_ = mprotect(mapping_, page_bytes(), PROT_NONE) == 0;
  if (guarded_) return;
  guard_pages.fetch_sub(1);
  std::memcpy(bottom_, &end_word, sizeof end_word);
}

FiberStack::~FiberStack() {
  allow_access(bottom_, size());  // abandoned frames; the addresses will be used again
  munmap(mapping_, mapped_);
  if (guarded_) guard_pages.fetch_sub(1);
}

bool FiberStack::guards(const void* address) const noexcept {
  const auto* const at = static_cast<const std::byte*>(address);
  return guarded_ && at >= mapping_ && at < bottom_;
}

bool FiberStack::intact() const noexcept {
  if (guarded_) return true;
  std::uint64_t word;
  std::memcpy(&word, bottom_, sizeof word);
  return word == end_word;
}

}  // namespace attune
