// A Runtime of one CUDA thread for tests of the host device's CUDA headers, which a test includes before this and
// before everything else, in the order in which they stand in front of a kernel. Warp intrinsics meet lanes whose
// values the test chooses; faults are thrown. One per test executable.
#pragma once

#include <cstring>
#include <string>

namespace attune::test {

struct Fault {
  std::string what;
};

struct FakeWarp {
  unsigned lanes = ~0u;                // that take part, of those in the mask
  unsigned long long values[32] = {};  // what the others bring
  int yields = 0;
  std::string last_name;  // of the last intrinsic
};

inline FakeWarp warp;

inline int sync_block(attune_host::BlockVote vote, int predicate, const char* name) {
  warp.last_name = name;
  return vote == attune_host::BlockVote::none ? 0 : predicate;
}

inline unsigned exchange(unsigned mask, unsigned long long value, unsigned long long* values, const char* name) {
  warp.last_name = name;
  warp.values[attune_host::current_thread_pointer->lane] = value;
  std::memcpy(values, warp.values, sizeof warp.values);
  return mask & warp.lanes;
}

// The kernels' side of a test: installed for one CUDA thread, until the end of its scope.
class OneThread {
 public:
  explicit OneThread(attune_host::Thread thread = {}) : thread_(thread) {
    static constexpr attune_host::Runtime runtime = {attune_host::host_abi_version,
                                                     sync_block,
                                                     exchange,
                                                     [](const void*) { return 0xffu; },
                                                     [] { ++warp.yields; },
                                                     [](const char* what) { throw Fault{what}; }};
    warp = {};
    attune_host_set_runtime(&runtime);
    *attune_host_current_slot() = &thread_;
  }
  ~OneThread() { *attune_host_current_slot() = nullptr; }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

  attune_host::Thread& thread() { return thread_; }

  // Runs `kernel` as an executor does: through a pointer that the compiler cannot see through, since indices count as
  // constant inside one activation.
  template <typename... A>
  void run(void (*kernel)(A...), A... arguments) {
    void* parameters[] = {&arguments..., nullptr};
    void (*volatile entry)(void (*)(A...), void**) = &attune_host::attune_invoke<A...>;
    entry(kernel, parameters);
  }

 private:
  attune_host::Thread thread_;
};

}  // namespace attune::test
