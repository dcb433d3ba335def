#include "device/host/runner_of_thread.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "attune/error.hpp"
#include "device/host/dynamic_shared.hpp"
#include "device/host/sanitizer.hpp"

namespace attune {
namespace {

thread_local BlockRunner* runner = nullptr;

constexpr std::size_t canary_bytes = 64;

class SharedBuffer {
 public:
  SharedBuffer() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    usable_ = (shared_per_block + canary_bytes + page - 1) / page * page;
    mapped_ = usable_ + 2 * page;
    void* const memory =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw OutOfMemory("the host device cannot map the shared memory of a block");
    data_ = static_cast<std::byte*>(memory) + page;
    mprotect(memory, page, PROT_NONE);
    mprotect(data_ + usable_, page, PROT_NONE);
  }
  ~SharedBuffer() {
    remove_fence(data_);
    munmap(data_ - page(), mapped_);
  }
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;
  std::byte* data() const noexcept { return data_; }
  std::size_t usable() const noexcept { return usable_; }
  std::size_t page() const noexcept { return (mapped_ - usable_) / 2; }  // of each inaccessible page, before and after

 private:
  std::byte* data_ = nullptr;
  std::size_t usable_ = 0;  // bytes from data_ on
  std::size_t mapped_ = 0;
};

const SharedBuffer& buffer() {
  thread_local const SharedBuffer memory;
  return memory;
}

struct Canary {
  unsigned char bytes[canary_bytes];
};
constexpr Canary canary = [] {
  Canary made{};
  for (std::size_t i = 0; i < canary_bytes; ++i) made.bytes[i] = static_cast<unsigned char>(0xA5 ^ (i * 29));
  return made;
}();

}  // namespace

[[gnu::noinline]] BlockRunner* runner_of_thread() noexcept { return runner; }
[[gnu::noinline]] void set_runner_of_thread(BlockRunner* current) noexcept { runner = current; }

void* dynamic_shared_of_thread() { return buffer().data(); }

void arm_dynamic_shared(std::uint64_t bytes) {
  std::byte* const data = buffer().data();
  remove_fence(data);
  std::memcpy(data + bytes, canary.bytes, canary_bytes);
  fence_off({Fence::Around::dynamic_shared, "", data, bytes, buffer().page(), buffer().usable() - bytes});
}

bool dynamic_shared_intact(std::uint64_t bytes) {
  if (sanitizers().address) return true;  // AddressSanitizer has reported writes there already
  return std::memcmp(buffer().data() + bytes, canary.bytes, canary_bytes) == 0;
}

}  // namespace attune
