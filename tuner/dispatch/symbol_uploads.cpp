#include "dispatch/symbol_uploads.hpp"

#include "dispatch/plan_parts.hpp"

namespace attune {

void SymbolUploads::upload(const PlanParts& parts, const LaunchFrame& frame, StreamHandle stream, bool is_captured) {
  is_in_graph_ = is_in_graph_ || is_captured;
  const std::size_t count = parts.kept_steps->loaded->symbols();
  bool are_due = is_in_graph_ || sources_.size() != count;
  for (std::size_t i = 0; i < count && !are_due; ++i) are_due = frame.upload(i).source != sources_[i];
  if (!are_due) return;
  sources_.clear();
  for (std::size_t i = 0; i < count; ++i) parts.enqueue(frame.upload(i), "setting a variable", stream);
  for (std::size_t i = 0; i < count; ++i) sources_.push_back(frame.upload(i).source);
}

void SymbolUploads::forget() noexcept {
  const std::lock_guard lock(mutex_);
  sources_.clear();
}

}  // namespace attune
