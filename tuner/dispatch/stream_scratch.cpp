#include "dispatch/stream_scratch.hpp"

#include <algorithm>
#include <utility>

namespace attune {

StreamScratch::OfStream& StreamScratch::enter(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find_if(streams_, [stream](const auto& one) { return one->stream == stream; });
  OfStream& of = place != streams_.end() ? **place : *streams_.emplace_back(std::make_unique<OfStream>(stream));
  of.is_used = true;
  of.users.fetch_add(1, std::memory_order_relaxed);
  return of;
}

StreamScratch::Use::Use(StreamScratch& scratch, std::uint64_t stream)
    : scratch_(scratch), of_(scratch.enter(stream)), lock_(of_.mutex) {}

StreamScratch::Use::~Use() {
  lock_.unlock();
  of_.users.fetch_sub(1, std::memory_order_release);  // from here on take_unused() may take the memory
}

const ScratchMemory& StreamScratch::Use::memory(Device& device, const LoadedSteps& steps, StreamHandle stream,
                                                Status& status) {
  if (!of_.is_made) {
    of_.memory = ScratchMemory(device, steps, scratch_.held_);
    of_.is_made = true;
  }
  if (!of_.is_ready) status = of_.memory.zero_on(device, stream);
  of_.is_ready = false;
  return of_.memory;
}

void StreamScratch::Use::done() noexcept { of_.is_ready = true; }

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] void StreamScratch::take_unused(std::uint64_t& excess, std::vector<ScratchMemory>& taken) {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const std::unique_ptr<OfStream>& of) {
    const bool was_used = std::exchange(of->is_used, false);
    if (was_used || excess == 0 || of->users.load(std::memory_order_acquire) > 0) return false;
    excess -= std::min(excess, of->memory.held_bytes());
    taken.push_back(std::move(of->memory));
    return true;
  });
}

}  // namespace attune
