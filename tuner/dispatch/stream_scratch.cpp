#include "dispatch/stream_scratch.hpp"

#include <algorithm>

namespace attune {

StreamScratch::~StreamScratch() { holdings_->remove(*this, bytes()); }

StreamScratch::OfStream& StreamScratch::enter(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find_if(streams_, [stream](const auto& one) { return one->stream == stream; });
  OfStream& of = place != streams_.end() ? **place : *streams_.emplace_back(std::make_unique<OfStream>(stream));
  of.used = holdings_->epoch();
  of.users.fetch_add(1, std::memory_order_relaxed);
  return of;
}

StreamScratch::Use::Use(StreamScratch& scratch, std::uint64_t stream)
    : scratch_(scratch), of_(scratch.enter(stream)), lock_(of_.mutex) {}

StreamScratch::Use::~Use() {
  lock_.unlock();
  of_.users.fetch_sub(1, std::memory_order_release);  // from here on take() may take the memory
}

const ScratchMemory& StreamScratch::Use::memory(Device& device, const LoadedSteps& steps, StreamHandle stream,
                                                Status& status) {
  if (!of_.is_made) {
    of_.memory = ScratchMemory(device, steps);
    of_.is_made = true;
    scratch_.bytes_.fetch_add(of_.memory.bytes(), std::memory_order_relaxed);
    scratch_.holdings_->add(scratch_, of_.memory.bytes());
  }
  if (!of_.is_ready) status = of_.memory.zero_on(device, stream);
  of_.is_ready = false;
  return of_.memory;
}

void StreamScratch::Use::done() noexcept { of_.is_ready = true; }

std::vector<StreamScratch::IdleStream> StreamScratch::unused(Epoch present) {
  std::vector<IdleStream> found;
  const std::lock_guard lock(mutex_);
  for (const auto& of : streams_)
    if (is_unused(of->used, present)) found.push_back({of->stream, of->used});
  return found;
}

std::optional<ScratchMemory> StreamScratch::take(const IdleStream& unused) {
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find_if(streams_, [&](const auto& of) { return of->stream == unused.stream; });
  if (place == streams_.end()) return std::nullopt;
  OfStream& of = **place;
  if (of.used != unused.used || of.users.load(std::memory_order_acquire) > 0) return std::nullopt;
  ScratchMemory memory = std::move(of.memory);
  streams_.erase(place);
  bytes_.fetch_sub(memory.bytes(), std::memory_order_relaxed);
  return memory;
}

}  // namespace attune
