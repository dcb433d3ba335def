// StreamScratch: the scratch memory of one plan, apart for each stream that it is launched on. It is made at the first
// launch there. Any thread; the Device must outlive it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dispatch/holdings.hpp"
#include "dispatch/scratch_memory.hpp"

namespace attune {

class StreamScratch {
  struct OfStream;

 public:
  // The scratch memory of a stream, locked: steps of two launches on one stream do not mix. On a device that is done
  // when a call returns, it also keeps two threads from working in the same memory.
  class Use {
   public:
    // `stream`: the device's number of it (Device::stream_id).
    Use(StreamScratch& scratch, std::uint64_t stream);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();
    // Returns the memory. At the first use it allocates, and enqueues zeroing; so it does after a use that was not
    // done(). Throws OutOfMemory naming the argument.
    const ScratchMemory& memory(Device& device, const LoadedSteps& steps, StreamHandle stream, Status& status);
    // Every step is enqueued, so that the memory is as the kernel leaves it.
    void done() noexcept;

   private:
    StreamScratch& scratch_;
    OfStream& of_;
    std::unique_lock<std::mutex> lock_;
  };

  // The memory counts in `holdings`, whose epochs say when it was used.
  explicit StreamScratch(std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>())
      : holdings_(std::move(holdings)) {}
  StreamScratch(const StreamScratch&) = delete;
  StreamScratch& operator=(const StreamScratch&) = delete;
  ~StreamScratch();

  // A stream whose memory was not used in the present epoch, nor in the one before.
  struct Unused {
    std::uint64_t stream = 0;
    Epoch used = 0;
  };
  std::vector<Unused> unused(Epoch present);
  // Takes the memory of such a stream, unless a launch used it since. Freeing it waits for the work that uses it.
  std::optional<ScratchMemory> take(const Unused& unused);
  std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct OfStream {
    explicit OfStream(std::uint64_t id) : stream(id) {}
    const std::uint64_t stream;
    Epoch used = 0;              // under the list's lock
    std::atomic<int> users = 0;  // threads that have or await the lock
    std::mutex mutex;            // of what follows
    ScratchMemory memory;
    bool is_made = false;
    bool is_ready = false;  // zeros, or as a kernel leaves it
  };
  OfStream& enter(std::uint64_t stream);

  const std::shared_ptr<Holdings> holdings_;
  std::mutex mutex_;  // of the list
  std::vector<std::unique_ptr<OfStream>> streams_;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace attune
