#include "session/kept_images.hpp"

#include <utility>

namespace attune {

std::optional<CompileResult> KeptImages::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
  std::optional<Image> stored = disk_ != nullptr ? disk_->find(key) : std::nullopt;
  if (!stored) return std::nullopt;
  CompileResult result;
  result.outcome.image = std::move(stored);
  keep_locked(key, result);
  --compiled_;
  return result;
}

void KeptImages::keep(const std::string& key, CompileResult compiled) {
  const std::lock_guard lock(mutex_);
  keep_locked(key, std::move(compiled));
}

void KeptImages::keep_locked(const std::string& key, CompileResult compiled) {
  ++compiled_;
  if (!by_key_.insert_or_assign(key, std::move(compiled)).second) return;
  order_.push_back(key);
  if (order_.size() <= most) return;
  by_key_.erase(order_.front());
  order_.pop_front();
}

}  // namespace attune
