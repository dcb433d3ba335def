// StreamScratch: the scratch memory of one plan, separate for each stream that the plan is launched on. It is allocated
// at the first launch on a stream. Any thread; the Device must outlive it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "dispatch/held_memory.hpp"
#include "dispatch/scratch_memory.hpp"

namespace attune {

class StreamScratch {
  struct OfStream;

 public:
  // The scratch memory of a stream, locked, so that the steps of two launches on one stream do not mix. On the host
  // device, where a launch is done on return, the lock also keeps two threads from working in the same memory.
  class Use {
   public:
    // `stream`: its number from Device::stream_id().
    Use(StreamScratch& scratch, std::uint64_t stream);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();
    // Returns the memory, which it allocates at the first use. At the first use, and after a use without done(), it
    // enqueues zeroing; `status` is then that of the zeroing. Throws OutOfMemory that names the argument.
    const ScratchMemory& memory(Device& device, const LoadedSteps& steps, StreamHandle stream, Status& status);
    // Says that every step was enqueued, so that the memory will be as the kernel leaves it, and needs no zeroing.
    void done() noexcept;

   private:
    StreamScratch& scratch_;
    OfStream& of_;
    std::unique_lock<std::mutex> lock_;
  };

  // `held` counts the memory.
  explicit StreamScratch(std::shared_ptr<HeldMemory> held) : held_(std::move(held)) {}
  StreamScratch(const StreamScratch&) = delete;
  StreamScratch& operator=(const StreamScratch&) = delete;

  // Takes memory of streams that were not used since the last call, and lowers `excess` by its bytes. It stops taking
  // when `excess` is 0. The memory of a launch that is under way stays. Freeing the taken memory waits for the work
  // that uses it.
  void take_unused(std::uint64_t& excess, std::vector<ScratchMemory>& taken);

 private:
  struct OfStream {
    explicit OfStream(std::uint64_t id) : stream(id) {}
    const std::uint64_t stream;
    bool is_used = false;        // since the last take_unused(); guarded by the list's lock
    std::atomic<int> users = 0;  // threads that hold or await `mutex`
    std::mutex mutex;            // guards the members below
    ScratchMemory memory;
    bool is_made = false;
    bool is_ready = false;  // the memory holds zeros, or what a kernel left there
  };
  OfStream& enter(std::uint64_t stream);

  const std::shared_ptr<HeldMemory> held_;
  std::mutex mutex_;  // guards the list
  std::vector<std::unique_ptr<OfStream>> streams_;
};

}  // namespace attune
