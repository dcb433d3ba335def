// StreamScratch: the scratch memory of one plan, separate for each stream that the plan is launched on. It is allocated
// at the first launch on a stream. Any thread; the Device must outlive it.
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

  // `holdings` counts the memory, and its epochs date the uses.
  explicit StreamScratch(std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>())
      : holdings_(std::move(holdings)) {}
  StreamScratch(const StreamScratch&) = delete;
  StreamScratch& operator=(const StreamScratch&) = delete;
  ~StreamScratch();

  // A stream whose memory was used neither in the present epoch nor in the one before.
  struct IdleStream {
    std::uint64_t stream = 0;
    Epoch used = 0;  // of its last use
  };
  // Returns all such streams.
  std::vector<IdleStream> unused(Epoch present);
  // Takes the memory of such a stream, or nothing if a launch has used it since. Freeing the result waits for the work
  // that uses it.
  std::optional<ScratchMemory> take(const IdleStream& unused);
  std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct OfStream {
    explicit OfStream(std::uint64_t id) : stream(id) {}
    const std::uint64_t stream;
    Epoch used = 0;              // guarded by the list's lock
    std::atomic<int> users = 0;  // threads that hold or await `mutex`
    std::mutex mutex;            // guards the members below
    ScratchMemory memory;
    bool is_made = false;
    bool is_ready = false;  // the memory holds zeros, or what a kernel left there
  };
  OfStream& enter(std::uint64_t stream);

  const std::shared_ptr<Holdings> holdings_;
  std::mutex mutex_;  // guards the list
  std::vector<std::unique_ptr<OfStream>> streams_;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace attune
