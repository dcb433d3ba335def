#include "dispatch/stream_scratch.hpp"

#include <algorithm>

namespace attune {

StreamScratch::OfStream& StreamScratch::enter(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find_if(streams_, [stream](const auto& one) { return one->stream == stream; });
  OfStream& of = place != streams_.end() ? **place : *streams_.emplace_back(std::make_unique<OfStream>(stream));
  ++of.uses;
  of.users.fetch_add(1, std::memory_order_relaxed);
  return of;
}

StreamScratch::Use::Use(StreamScratch& scratch, std::uint64_t stream)
    : scratch_(scratch), of_(scratch.enter(stream)), lock_(of_.mutex) {}

StreamScratch::Use::~Use() {
  lock_.unlock();
  of_.users.fetch_sub(1, std::memory_order_release);  // from here on it may be freed
}

const ScratchMemory& StreamScratch::Use::memory(Device& device, const LoadedSteps& steps, StreamHandle stream,
                                                Status& status) {
  if (!of_.is_made) {
    of_.memory = ScratchMemory(device, steps);
    of_.is_made = true;
    scratch_.bytes_.fetch_add(of_.memory.bytes(), std::memory_order_relaxed);
  }
  if (!of_.is_ready) status = of_.memory.zero_on(device, stream);
  of_.is_ready = false;
  return of_.memory;
}

void StreamScratch::Use::done() noexcept { of_.is_ready = true; }

void StreamScratch::release_unused() {
  std::vector<std::unique_ptr<OfStream>> unused;  // freed without the lock
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&unused](std::unique_ptr<OfStream>& of) {
      const bool was_used = of->uses != of->uses_at_release;
      of->uses_at_release = of->uses;
      if (was_used || of->users.load(std::memory_order_acquire) > 0) return false;
      unused.push_back(std::move(of));
      return true;
    });
  }
  for (const auto& of : unused) bytes_.fetch_sub(of->memory.bytes(), std::memory_order_relaxed);
}

}  // namespace attune
