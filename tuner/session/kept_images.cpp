#include "session/kept_images.hpp"

#include <optional>
#include <utility>

namespace attune {

const CompileResult* KeptImages::find(const std::string& key) {
  if (const auto found = by_key_.find(key); found != by_key_.end()) return &found->second;
  std::optional<Image> stored = disk_ != nullptr ? disk_->find(key) : std::nullopt;
  if (!stored) return nullptr;
  CompileResult result;
  result.outcome.image = std::move(stored);
  keep(key, std::move(result));
  --compiled_;
  return &by_key_.at(key);
}

void KeptImages::keep(const std::string& key, CompileResult compiled) {
  ++compiled_;
  if (!by_key_.insert_or_assign(key, std::move(compiled)).second) return;
  order_.push_back(key);
  if (order_.size() <= most) return;
  by_key_.erase(order_.front());
  order_.pop_front();
}

}  // namespace attune
