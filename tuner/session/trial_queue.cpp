#include "session/trial_queue.hpp"

#include <algorithm>
#include <utility>

namespace attune {

QueuedTrial TrialQueue::pop() {
  QueuedTrial first = std::move(queue_.front());
  queue_.pop_front();
  return first;
}

void TrialQueue::clear() noexcept {
  queue_.clear();
  arrived_.clear();
}

bool TrialQueue::arrive(Result& result) {
  const bool is_own = std::any_of(queue_.begin(), queue_.end(),
                                  [&](const QueuedTrial& queued) { return queued.ticket == result.ticket; });
  if (is_own) arrived_.emplace(result.ticket, std::move(result));
  return is_own;
}

std::optional<Result> TrialQueue::take_arrived() {
  if (!has_arrived()) return std::nullopt;
  return std::move(arrived_.extract(queue_.front().ticket).mapped());
}

}  // namespace attune
