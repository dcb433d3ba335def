#include "dispatch/holdings.hpp"

#include <algorithm>
#include <utility>

#include "dispatch/stream_scratch.hpp"

namespace attune {

struct Holdings::CountedModule {
  CountedModule(std::shared_ptr<Holdings> of, std::shared_ptr<Module> held)
      : holdings(std::move(of)), module(std::move(held)) {}
  CountedModule(const CountedModule&) = delete;
  CountedModule& operator=(const CountedModule&) = delete;
  ~CountedModule() {
    const std::uint64_t bytes = holdings->forget(*module);  // before another module can get its address
    module.reset();
    holdings->image_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::shared_ptr<Holdings> holdings;
  std::shared_ptr<Module> module;
};

void Holdings::on_growth(std::function<void()> grown) {
  const std::lock_guard lock(grown_mutex_);
  grown_ = std::move(grown);
}

void Holdings::grew() {
  const std::lock_guard lock(grown_mutex_);
  if (grown_) grown_();
}

std::shared_ptr<Module> Holdings::hold(std::shared_ptr<Module> module, const Image& image) {
  if (module == nullptr) return module;
  const std::uint64_t bytes = image.code != nullptr ? image.code->size() : 0;
  const auto counted = std::make_shared<CountedModule>(shared_from_this(), std::move(module));
  {
    const std::lock_guard lock(mutex_);
    code_[counted->module.get()] = {bytes, epoch()};
  }
  image_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  grew();
  return {counted, counted->module.get()};
}

std::uint64_t Holdings::forget(const Module& module) {
  const std::lock_guard lock(mutex_);
  const auto place = code_.find(&module);
  if (place == code_.end()) return 0;  // there was no memory to note it
  const std::uint64_t bytes = place->second.bytes;
  code_.erase(place);
  return bytes;
}

void Holdings::mark(const Module& module) {
  const std::lock_guard lock(mutex_);
  if (const auto place = code_.find(&module); place != code_.end()) place->second.used = epoch();
}

Holdings::Code Holdings::code(const Module& module) const {
  const std::lock_guard lock(mutex_);
  const auto place = code_.find(&module);
  return place != code_.end() ? place->second : Code{};
}

void Holdings::add(StreamScratch& scratch, std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    scratch_.insert(&scratch);
  }
  scratch_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  grew();
}

void Holdings::remove(StreamScratch& scratch, std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    scratch_.erase(&scratch);
  }
  freed(bytes);
}

std::vector<ScratchMemory> Holdings::take_unused(std::uint64_t most) {
  struct IdleScratch {
    StreamScratch* scratch;
    StreamScratch::IdleStream stream;
  };
  const Epoch present = epoch();
  std::vector<IdleScratch> found;
  std::vector<ScratchMemory> taken;
  const std::lock_guard lock(mutex_);  // so that no StreamScratch ends meanwhile
  for (StreamScratch* const scratch : scratch_)
    for (const StreamScratch::IdleStream& stream : scratch->unused(present)) found.push_back({scratch, stream});
  std::ranges::sort(found, {}, [](const IdleScratch& one) { return one.stream.used; });
  std::uint64_t left = scratch_bytes();
  for (const auto& [scratch, stream] : found) {
    if (left <= most) break;
    std::optional<ScratchMemory> memory = scratch->take(stream);
    if (!memory) continue;
    left -= std::min(left, memory->bytes());
    taken.push_back(*std::move(memory));
  }
  return taken;
}

}  // namespace attune
